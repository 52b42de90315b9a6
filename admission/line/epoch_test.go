package line

import (
	"errors"
	"testing"
	"time"
)

// W04: a knock that was under way while the room was reset, or is repeated after it, speaks of a place of the old line. It
// neither stands at the door of the new one nor uses up the place of whoever has that index there.
func TestAKnockOfTheLineBeforeIsNobodys(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		r := started(t, s, Config{Settings: Settings{Rate: Rate{200, time.Second}, Cap: 100}, Dir: t.TempDir()})
		j, err := r.Join(t.Context(), "old", "")
		if err != nil {
			t.Fatal(err)
		}
		old := Visitor{ID: j.ID, Index: j.Index, Epoch: j.Epoch}
		if _, err := r.Reset(t.Context(), Expect{}, Settings{}); err != nil {
			t.Fatal(err)
		}
		n, err := r.Join(t.Context(), "new", "")
		if err != nil || n.Index != old.Index || n.Epoch == old.Epoch {
			t.Fatalf("%+v %v", n, err)
		}
		for range 3 {
			if a, err := r.Enter(t.Context(), old); !errors.Is(err, ErrRetry) {
				t.Fatalf("a ticket of the line before: %+v, %v", a, err)
			}
		}
		if err := r.Leave(t.Context(), old); !errors.Is(err, ErrRetry) {
			t.Fatalf("it has left: %v", err)
		}
		untilIn(t, r, Visitor{ID: n.ID, Index: n.Index, Epoch: n.Epoch})
	})
}
