package booking

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// together runs n functions at the same moment and tallies what they return.
func together(n int, fn func(i int) error) tally {
	var (
		mu    sync.Mutex
		all   sync.WaitGroup
		start = make(chan struct{})
		out   = make(tally)
	)
	for i := range n {
		all.Go(func() {
			<-start
			err := fn(i)
			mu.Lock()
			defer mu.Unlock()
			out.add(err)
		})
	}
	close(start)
	all.Wait()
	return out
}

// holdAs holds with keys of the caller's choice: for use from many goroutines.
func (x *sale) holdAs(e *Engine, account int64, key string, r HoldRequest) (HoldView, error) {
	a, err := e.Hold(x.t.Context(), Command{EventSlug: slug, AccountID: account, Route: "crowd", Key: key}, r)
	return viewOf(a, err)
}

// twoProcesses is a second engine on a pool of its own: only row locks join them.
func (x *sale) twoProcesses() [2]*Engine {
	return [2]*Engine{x.e, x.engine(x.db.Open(x.t, pg.Options{}), x.e.cfg)}
}

// B01: fifty buyers, one seat: one has it, forty-nine are told that it is taken.
func TestFiftyBuyersOneSeat(t *testing.T) {
	x := newSale(t, saleSpec{seats: 1})
	es := x.twoProcesses()
	got := together(50, func(i int) error {
		_, err := x.holdAs(es[i%2], int64(i+1), "k", seats(1))
		return err
	})
	if got["ok"] != 1 || got["seat_taken"] != 49 {
		t.Errorf("%v", got)
	}
}

// AB8: the last seat, a thousand at once.
func TestAThousandBuyersOneSeat(t *testing.T) {
	x := newSale(t, saleSpec{seats: 1})
	got := together(1000, func(i int) error {
		_, err := x.holdAs(x.e, int64(i%400+1), fmt.Sprint(i), seats(1))
		return err
	})
	// An account that comes again after it has the seat is refused for the seat too.
	if got["ok"] != 1 || got["seat_taken"] != 999 {
		t.Errorf("%v", got)
	}
}

// B01: sets that overlap: never half a set.
func TestOverlappingSets(t *testing.T) {
	x := newSale(t, saleSpec{seats: 3})
	es := x.twoProcesses()
	got := together(40, func(i int) error {
		_, err := x.holdAs(es[i/2%2], int64(i+1), "k", [2]HoldRequest{seats(1, 2), seats(2, 3)}[i%2])
		return err
	})
	if got["ok"] != 1 || got["seat_taken"] != 39 {
		t.Errorf("%v", got)
	}
	var held, holds int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT hold_id) FROM seat WHERE state = 'held'`).Scan(&held, &holds); err != nil || held != 2 || holds != 1 {
		t.Errorf("%d seats of %d holds, %v", held, holds, err)
	}
}

// AB9: [A,B] against [B,A], over and over: no deadlock, all or nothing.
func TestOppositeOrdersDoNotDeadlock(t *testing.T) {
	x := newSale(t, saleSpec{seats: 2})
	es := x.twoProcesses()
	for round := range 10 {
		got := together(100, func(i int) error {
			_, err := x.holdAs(es[i/2%2], int64(i+1), fmt.Sprint(round), [2]HoldRequest{seats(1, 2), seats(2, 1)}[i%2])
			return err
		})
		got.only(t, "ok", "seat_taken")
		if got["ok"] != 1 {
			t.Fatalf("round %d: %v", round, got)
		}
		x.db.Owner(t, `UPDATE hold SET held_until = now() - interval '1 s' WHERE state = 1`)
		x.db.Owner(t, `UPDATE hold_line SET held_until = now() - interval '1 s' WHERE state = 1`)
		x.db.Owner(t, `UPDATE seat SET held_until = now() - interval '1 s' WHERE state = 'held'`)
	}
}

// B01: five places left, twenty requests: exactly five.
func TestFivePlacesTwentyRequests(t *testing.T) {
	x := newSale(t, saleSpec{seats: 1, counters: []counterSpec{{"Standing", 5, 0}}})
	es := x.twoProcesses()
	got := together(20, func(i int) error {
		_, err := x.holdAs(es[i%2], int64(i+1), "k", places(1, 1))
		return err
	})
	if got["ok"] != 5 || got["not_enough_places"] != 15 {
		t.Errorf("%v", got)
	}
}

// B16: a flight of 180 with an overbook limit of 3, 64 buyers at a time: 183, never 184.
func TestAnOverbookedFlightStopsAtItsLimit(t *testing.T) {
	x := newSale(t, saleSpec{seats: 1, counters: []counterSpec{{"Economy", 180, 3}}, limit: 1000})
	es := x.twoProcesses()
	got := together(64, func(i int) error {
		for n := range 4 {
			if _, err := x.holdAs(es[i%2], int64(i+1), fmt.Sprint(n), places(1, 1)); err != nil {
				return err
			}
		}
		return nil
	})
	got.only(t, "ok", "not_enough_places")
	if held, _ := x.counterSums(1); held != 183 {
		t.Errorf("%d held, %v", held, got)
	}
}

// B11, AB7: limit 6, many parallel holds of 2 by one account: at most three.
func TestTheLimitHoldsUnderARace(t *testing.T) {
	x := newSale(t, saleSpec{seats: 100, counters: []counterSpec{{"Standing", 1000, 0}}})
	es := x.twoProcesses()
	race := func(round string) {
		t.Helper()
		var mu sync.Mutex
		var mine []HoldView
		got := together(50, func(i int) error {
			r := seats(int32(2*i+1), int32(2*i+2))
			if i%2 == 0 {
				r = places(1, 2)
			}
			v, err := x.holdAs(es[i%2], 9, fmt.Sprint(round, i), r)
			if err == nil {
				mu.Lock()
				mine = append(mine, v)
				mu.Unlock()
			}
			return err
		})
		if got["ok"] != 3 || got["limit_exceeded"] != 47 {
			t.Errorf("%s: %v", round, got)
		}
		for _, v := range mine {
			if _, err := x.e.Release(t.Context(), x.command(9), ReleaseRequest{v.ID}); err != nil {
				t.Fatalf("release: %v", err)
			}
		}
	}
	race("first")
	race("after giving back")
}

// B13 (short): clients hold and release random sets of six out of thirty seats in
// random order, in two processes: no deadlock and no fault reaches a client.
func TestRandomSetsInRandomOrder(t *testing.T) {
	x := newSale(t, saleSpec{seats: 30, counters: []counterSpec{{"Standing", 20, 0}}})
	es := x.twoProcesses()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	got := together(60, func(i int) error {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		for n := 0; ctx.Err() == nil; n++ {
			set := rng.Perm(30)[:1+rng.IntN(5)]
			var r HoldRequest
			for _, s := range set {
				r.Seats = append(r.Seats, int32(s+1))
			}
			if rng.IntN(2) == 0 {
				r.Places = places(1, 1).Places
			}
			e := es[rng.IntN(2)]
			v, err := x.holdAs(e, int64(i+1), fmt.Sprint(n), r)
			if err == nil {
				c := Command{EventSlug: slug, AccountID: int64(i + 1), Route: "release", Key: fmt.Sprint(n)}
				_, err = e.Release(t.Context(), c, ReleaseRequest{v.ID})
			}
			if p := problem.As(err); err != nil && (p == nil || p.Code != "seat_taken" && p.Code != "not_enough_places" && p.Code != "busy") {
				return err
			}
		}
		return nil
	})
	if got["ok"] != 60 {
		t.Errorf("%v", got)
	}
}
