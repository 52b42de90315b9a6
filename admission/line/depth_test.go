package line

import (
	"testing"
	"time"
)

func TestAheadSkipsGaps(t *testing.T) {
	s := Snapshot{X: 50, Gaps: [][2]int64{{10, 20}, {54, 10_000}, {10_010, 10_020}}}
	for place, want := range map[int64]int64{0: 0, 50: 0, 54: 4, 60: 4, 10_000: 4, 10_005: 9, 10_030: 24} {
		if got := s.Ahead(place); got != want {
			t.Errorf("%d places are ahead of %d, want %d", got, place, want)
		}
	}
}

// After a loss people are counted, not the indexes that it may have left ungiven: who was known, who has come back since, and
// at most how many more there may be.
func TestDepthCountsPeople(t *testing.T) {
	for name, c := range map[string]struct {
		s              Snapshot
		people, unsure int64
	}{
		"whole":             {Snapshot{X: 3, Next: 10}, 7, 0},
		"behind the front":  {Snapshot{X: 12, Next: 10}, 0, 0},
		"lost":              {Snapshot{X: 0, Next: 10_000, Gaps: [][2]int64{{4, 10_000}}}, 4, 9_996},
		"two came back":     {Snapshot{X: 0, Next: 10_003, Gaps: [][2]int64{{4, 10_000}}, Found: 2}, 9, 9_994},
		"X in the gap":      {Snapshot{X: 9_000, Next: 10_003, Gaps: [][2]int64{{4, 10_000}}, Found: 1}, 4, 999},
		"behind the gap":    {Snapshot{X: 10_001, Next: 10_003, Gaps: [][2]int64{{4, 10_000}}, Found: 1}, 2, 0},
		"the gap was drawn": {Snapshot{X: 5_000, Next: 10_010, N: 10_000, Draw: DrawRecord{Revealed: true}, Gaps: [][2]int64{{1_000, 10_000}}}, 510, 4_500},
		"not drawn as yet":  {Snapshot{X: 0, Next: 10_000, N: 10_000, Gaps: [][2]int64{{4, 10_000}}}, 4, 9_996},
	} {
		if people, unsure := c.s.Depth(); people != c.people || unsure != c.unsure {
			t.Errorf("%s: %d people and up to %d more, want %d and %d", name, people, unsure, c.people, c.unsure)
		}
	}
}

// The store that lost everything, in a paused room: four people are four, and those who show a ticket of the lost moments count.
func TestDepthAfterALoss(t *testing.T) {
	b := newBench(t, openStore(t, "redis"), Config{})
	b.crowd(4)
	if err := b.r.Change(t.Context(), Change{Action: ActionPause}); err != nil {
		t.Fatal(err)
	}
	b.beat()
	<-b.r.note(b.call(scriptStatus).header) // as each tick does
	b.join(vid(4))                          // in the last moment
	b.empty()
	b.settle()
	var rh rhythm
	b.tick(&rh)
	if people, unsure := b.r.Snapshot().Depth(); people != 4 || unsure != firstCeiling-4 {
		t.Fatalf("after the loss: %d people and up to %d more", people, unsure)
	}
	b.call(scriptReturn, vid(4), 4, "")
	rh.share = time.Time{}
	b.tick(&rh)
	b.tick(&rh)
	if people, unsure := b.r.Snapshot().Depth(); people != 5 || unsure != firstCeiling-5 {
		t.Fatalf("after the last one has come back: %d people and up to %d more", people, unsure)
	}
	if s := b.r.Snapshot(); s.Waiting != 5 {
		t.Fatalf("%d are present", s.Waiting)
	}
}
