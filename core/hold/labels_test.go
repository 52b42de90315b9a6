package hold

import "testing"

func TestLabelsAreAskedForOnce(t *testing.T) {
	var l Labels
	events, ids := []int64{1, 1, 2}, []int32{7, 8, 7}
	e, i := l.fill(map[seatKey]string{}, events, ids)
	if len(e) != 3 || len(i) != 3 {
		t.Fatalf("an empty memory knows something: %v %v", e, i)
	}
	l.learn(map[seatKey]string{{1, 7}: "seven", {2, 7}: "seven of two"}, e, i) // seat 8 does not exist
	out := map[seatKey]string{}
	if e, i := l.fill(out, events, ids); len(e) != 1 || e[0] != 1 || i[0] != 8 || out[seatKey{1, 7}] != "seven" || out[seatKey{2, 7}] != "seven of two" {
		t.Errorf("asks for %v %v, knows %v", e, i, out)
	}
	var none *Labels
	if _, i := none.fill(out, events, ids); len(i) != 3 {
		t.Errorf("no memory asks for %v", i)
	}
	none.learn(out, events, ids)
}
