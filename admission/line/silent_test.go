package line

import (
	"testing"
	"time"
)

// W26, AQ10: people who stop asking are not counted any more after the retention time; coming back, they are, and stand
// where they stood.
func TestSilentPeopleAreNotCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		const people = 400
		b := newBench(t, s, Config{Settings: Settings{Cap: 1, Rate: Rate{1, time.Minute}}})
		b.crowd(people)
		var rh rhythm
		// share lets some seconds pass in which those who ask do so, and says which share of the places from X on is counted.
		share := func(seconds int, asks func(i int64) bool) float64 {
			for range seconds {
				for i := range int64(people) {
					if asks(i) {
						b.r.Present(Visitor{ID: vid(i), Index: i})
					}
				}
				b.tick(&rh)
			}
			return float64(rh.waiting) / float64(people-b.r.view.Load().x) // X goes on a little after the counting
		}
		if got := share(200, func(i int64) bool { return i%2 == 0 }); got < 0.45 || got > 0.6 {
			t.Fatalf("%.2f of the line is counted, half of it is there", got)
		}
		if got := share(20, func(int64) bool { return true }); got < 0.9 {
			t.Errorf("%.2f of the line is counted after the others have come back", got)
		}
		if got := b.r.Place(people - 1); got != people-1 {
			t.Errorf("place %d", got)
		}
	})
}
