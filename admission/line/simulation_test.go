package line

import (
	"testing"
	"time"
)

// Half of the crowd are ghosts, half of whom even look present: the door must still get its people. Counted in
// room time, so that a slow machine changes nothing.
func TestGhostsDoNotSlowTheLine(t *testing.T) {
	if testing.Short() {
		t.Skip("two hundred room seconds with ten thousand people")
	}
	const people, seconds, perSecond = 10_000, 200, 20
	b := newBench(t, openStore(t, "embedded"), Config{Settings: Settings{Cap: 600, Rate: Rate{perSecond, time.Second}}})
	b.crowd(people)
	ghost := func(i int64) bool { return i%2 == 1 }
	silent := func(i int64) bool { return i%4 == 1 }
	grant := map[int64]string{}
	in := map[int64]int{}
	var rh rhythm
	for now := range seconds {
		b.tick(&rh)
		x := b.r.view.Load().x
		var asking []int64
		for i := range int64(people) {
			if !silent(i) && int(i)%20 == now%20 {
				b.r.Present(Visitor{ID: vid(i), Index: i})
			}
			if since, ok := in[i]; ok {
				if now-since == 25 { // a short visit
					b.call(scriptLeave, vid(i), i)
				}
				continue
			}
			if i < x && !ghost(i) && (int(i)+now)%2 == 0 { // a page near the front asks every two seconds
				asking = append(asking, i)
			}
		}
		for len(asking) > 0 {
			part := asking[:min(batchMax, len(asking))]
			asking = asking[len(part):]
			var args, done []any
			for _, i := range part {
				args = append(args, vid(i), i, b.r.Place(i), grant[i])
			}
			rep := b.call(scriptKnock, args...)
			for k, i := range part {
				switch a, _ := readAnswer(rep.header, rep.results[k]); a.Standing {
				case Granted:
					grant[i] = itoa(a.Grant)
				case In:
					in[i] = now
					done = append(done, vid(i), i, "1", 1)
				}
			}
			if len(done) > 0 {
				b.call(scriptConfirm, done...)
			}
		}
	}
	intended := perSecond * seconds
	t.Logf("%d of %d intended entries; X %d, door %d", len(in), intended, b.r.view.Load().x, b.r.view.Load().door)
	if got := float64(len(in)) / float64(intended); got < 0.9 {
		t.Errorf("%.3f of the intended entries", got)
	}
	checkLog(t, b.events)
}
