package line

import (
	"testing"
	"time"
)

// W26, AQ10: people who stop asking are not counted any more after the retention time, and nobody is called on their
// account; coming back, they stand where they stood.
func TestSilentPeopleAreNotCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Cap: 0, Rate: Rate{1, time.Second}}})
		b.crowd(10)
		var rh rhythm
		for range 120 {
			for i := range int64(5) {
				b.r.Present(Visitor{ID: vid(i), Index: i})
			}
			b.pass(2 * time.Second)
			b.tick(&rh)
		}
		if w := b.r.Snapshot().Waiting; w != 5 {
			t.Fatalf("%d people are counted, five are there", w)
		}
		for range 2 {
			b.r.Present(Visitor{ID: vid(7), Index: 7})
			b.tick(&rh)
			b.pass(2 * time.Second)
			b.tick(&rh)
		}
		if w := b.r.Snapshot().Waiting; w != 6 {
			t.Errorf("%d people are counted after one has come back", w)
		}
		if got := b.r.Place(7); got != 7 {
			t.Errorf("place %d", got)
		}
	})
}
