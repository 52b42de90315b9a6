package line

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

// started is a room with its loops, in real time.
func started(t testing.TB, s *Store, c Config) *Room {
	t.Helper()
	c.Lottery = testLottery
	if c.Name == "" {
		c.Name = "hall"
	}
	r, err := s.Room(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop(context.Background()) })
	r.awaitBirth(t.Context())
	return r
}

// untilIn knocks as a page does until the visitor is in.
func untilIn(t testing.TB, r *Room, v Visitor) Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a net against hanging, not a measure
	defer cancel()
	var a Answer
	for {
		next, err := r.Enter(ctx, v)
		if ctx.Err() != nil {
			t.Fatalf("%s does not get in: %+v; %+v", v.ID, a, r.Snapshot())
		}
		a = next
		if err != nil && !errors.Is(err, ErrRetry) {
			t.Fatal(err)
		}
		switch a.Standing {
		case In:
			return a
		case Used, Closed, Paused:
			t.Fatalf("%s is %s", v.ID, a.Standing)
		}
		time.Sleep(20 * time.Millisecond) // the visitor's pace
	}
}

func TestRoomLetsPeopleIn(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		var mu sync.Mutex
		var log []Event
		r := started(t, s, Config{
			Settings: Settings{Rate: Rate{200, time.Second}, Cap: 100}, Dir: t.TempDir(),
			Events: func(es []Event) { mu.Lock(); log = append(log, es...); mu.Unlock() },
		})
		var crowd sync.WaitGroup
		for i := range 60 {
			crowd.Go(func() {
				j, err := r.Join(t.Context(), fmt.Sprintf("visitor-%d", i), "")
				if err != nil {
					t.Error(err)
					return
				}
				a := untilIn(t, r, Visitor{ID: j.ID, Index: j.Index})
				if a.LeaseEnd.Sub(a.Now) < 9*time.Minute || a.HardEnd.Before(a.LeaseEnd) {
					t.Errorf("lease %v, hard %v at %v", a.LeaseEnd, a.HardEnd, a.Now)
				}
			})
		}
		crowd.Wait()
		l, ok, err := r.Renew(t.Context(), "visitor-7")
		if err != nil || !ok || !l.End.After(l.Now) {
			t.Fatalf("renew: %+v %v %v", l, ok, err)
		}
		if err := r.Leave(t.Context(), Visitor{ID: "visitor-7", Index: l.Index}); err != nil {
			t.Fatal(err)
		}
		if _, ok, _ := r.Renew(t.Context(), "visitor-7"); ok {
			t.Fatal("still inside after leaving")
		}
		if snap := r.Snapshot(); snap.State != "open" || snap.Live != 59 || snap.Next != 60 || snap.X < 60 {
			t.Fatalf("snapshot: %+v", snap)
		}
		if err := r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		checkLog(t, log)
	})
}

// checkLog recomputes promise 5 from the log alone.
func checkLog(t failer, log []Event) {
	t.Helper()
	var seq, x int64
	lastEntry, rate := -1e18, 0.0
	inside := map[string]bool{}
	door := map[string]int64{}
	for _, e := range log {
		if e.Seq <= seq {
			t.Fatalf("seq %d after %d", e.Seq, seq)
		}
		seq = e.Seq
		if e.Rate != nil {
			rate = *e.Rate
		}
		switch e.Kind {
		case EventX:
			if *e.X < x {
				t.Fatalf("X fell from %d to %d", x, *e.X)
			}
			x = *e.X
		case EventDoor:
			if *e.Place >= x {
				t.Fatalf("place %d at the door with X %d", *e.Place, x)
			}
			door[e.Vid] = *e.Place
		case EventDrop:
			delete(door, e.Vid)
		case EventGrant:
			if gap := *e.EntryMS - lastEntry; gap < 1000/rate-1e-6 {
				t.Fatalf("entry %.3f comes %.3f ms after the one before, at %.1f/s", *e.EntryMS, gap, rate)
			}
			lastEntry = *e.EntryMS
			for other, place := range door {
				if place < *e.Place {
					t.Fatalf("%s (place %d) was granted before %s (place %d)", e.Vid, *e.Place, other, place)
				}
			}
			delete(door, e.Vid)
			inside[e.Vid] = true
			if int64(len(inside)) != *e.Live || *e.Live > *e.Cap {
				t.Fatalf("%d inside, the log says %d of %d", len(inside), *e.Live, *e.Cap)
			}
		case EventExpire, EventLeave:
			delete(inside, e.Vid)
			delete(door, e.Vid)
		}
	}
}

func TestRoomDrawsAtTheOpening(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		r := started(t, s, Config{Dir: t.TempDir(), Settings: Settings{State: StatePrequeue, Rate: Rate{1000, time.Second}, Cap: 100}})
		for i := range 5 {
			if _, err := r.Join(t.Context(), vid(int64(i)), ""); err != nil {
				t.Fatal(err)
			}
		}
		if p := r.Place(2); p != -1 {
			t.Fatalf("place %d before the draw", p)
		}
		if err := r.Change(t.Context(), Change{Action: ActionOpen}); err != nil {
			t.Fatal(err)
		}
		late, err := r.Join(t.Context(), "late", "")
		if err != nil {
			t.Fatal(err)
		}
		if a := untilIn(t, r, Visitor{ID: "late", Index: late.Index}); a.Place != 5 {
			t.Fatalf("a late joiner has place %d", a.Place)
		}
		if a := untilIn(t, r, Visitor{ID: vid(1), Index: 1}); a.Place != 3 {
			t.Fatalf("index 1 was drawn to %d", a.Place)
		}
		d := r.Snapshot().Draw
		if !d.Revealed || d.N != 5 || d.Seed != testLottery.Seed(d.Secret, "", d.Root, 5) {
			t.Fatalf("the record is %+v", d)
		}
		var list leafWriter
		if err := r.DrawList(t.Context(), &list); err != nil || list.n != 5*32 {
			t.Fatalf("the list has %d bytes, %v", list.n, err)
		}
	})
}

type leafWriter struct{ n int }

func (w *leafWriter) Write(b []byte) (int, error) { w.n += len(b); return len(b), nil }

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(string, ...any)
}
