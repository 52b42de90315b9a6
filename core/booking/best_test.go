package booking

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
)

// The best seats are chosen of what is free now, whoever changed it: this process,
// another one, time, or nobody who says so.
func TestTheBestAvailableSeats(t *testing.T) {
	x := newSale(t, saleSpec{seats: 30})
	x.db.Owner(t, `UPDATE venue_seat SET quality = CASE WHEN row_name = '2' THEN 5 ELSE 0 END`)
	es := x.twoProcesses()
	v, err := x.hold(1, HoldRequest{Best: bestOf(4)})
	wantSeats(t, v, err, 14, 15, 16, 17) // the middle of the best row
	w, err := x.holdAs(es[1], 2, "other process", HoldRequest{Best: bestOf(3)})
	wantSeats(t, w, err, 11, 12, 13)
	w, err = x.hold(3, HoldRequest{Best: bestOf(3)})
	wantSeats(t, w, err, 18, 19, 20)
	x.age(v.ID, 8*time.Minute) // nobody announces that; the floor thinks it is held
	b, err := x.hold(4, HoldRequest{Best: bestOf(4)})
	wantSeats(t, b, err, 4, 5, 6, 7)
	x.db.Owner(t, `UPDATE seat SET state = 'blocked' WHERE seat_id IN (24, 25)`) // nor this
	b, err = x.hold(5, HoldRequest{Best: bestOf(4)})
	wantSeats(t, b, err, 26, 27, 28, 29)
	if _, err := x.e.Release(t.Context(), x.command(5), ReleaseRequest{b.ID}); err != nil {
		t.Fatal(err)
	}
	b, err = x.holdAs(es[1], 6, "given back", HoldRequest{Best: bestOf(5)})
	wantSeats(t, b, err, 26, 27, 28, 29, 30)
}

// What no sale could ever give is not said to be gone: the class that no seat has, and
// more than one account may have, however few seats are left.
func TestWhatTheBestSeatsAreRefusedFor(t *testing.T) {
	x := newSale(t, saleSpec{seats: 3, limit: 4})
	_, err := x.hold(1, HoldRequest{Best: &hold.Best{Quantity: 1, Class: "Z"}})
	if p := wantCode(t, err, "invalid_class"); p.Status != 422 || p.Extra["class"] != "Z" || p.Detail != `This event has no seats of class "Z".` {
		t.Errorf("%+v", p)
	}
	_, err = x.hold(1, HoldRequest{Best: bestOf(5)})
	if p := wantCode(t, err, "limit_exceeded"); p.Extra["limit"] != 4 || p.Extra["requested"] != 5 {
		t.Errorf("%+v", p)
	}
	_, err = x.hold(1, HoldRequest{Best: bestOf(4)})
	wantCode(t, err, "not_enough_places")
	v, err := x.hold(1, HoldRequest{Best: &hold.Best{Quantity: 3, Class: "A"}})
	wantSeats(t, v, err, 1, 2, 3)
	_, err = x.hold(1, HoldRequest{Best: bestOf(2)})
	wantCode(t, err, "limit_exceeded")
	_, err = x.hold(2, HoldRequest{Best: &hold.Best{Quantity: 1, Class: "A"}})
	wantCode(t, err, "not_enough_places")
	w, err := x.hold(1, HoldRequest{Best: bestOf(2), Replace: v.ID})
	if err == nil {
		wantSeats(t, w, err, 1, 2)
	} else {
		wantCode(t, err, "not_enough_places")
	}
	x.setEvent(`state = 'closed'`)
	_, err = x.hold(2, HoldRequest{Best: bestOf(3)})
	wantCode(t, err, "not_on_sale")
}

// Two processes give the best seats away at once: everybody gets a pair, side by
// side, until there is no pair, and no seat twice.
func TestACrowdForTheBestSeats(t *testing.T) {
	x := newSale(t, saleSpec{seats: 60})
	es := x.twoProcesses()
	pairs := make([][]int32, 40)
	got := together(40, func(i int) error {
		v, err := x.holdAs(es[i%2], int64(i+1), "k", HoldRequest{Best: bestOf(2)})
		pairs[i] = held(v)
		return err
	})
	got.only(t, "ok", "not_enough_places")
	if got["ok"] != 30 {
		t.Errorf("%v", got)
	}
	seen := make(map[int32]bool)
	for _, p := range pairs {
		if len(p) == 2 && (p[1] != p[0]+1 || p[0]%10 == 0) {
			t.Errorf("%v are not side by side", p)
		}
		for _, s := range p {
			if seen[s] {
				t.Errorf("seat %d was given twice", s)
			}
			seen[s] = true
		}
	}
}

// At most so many choices are made in a batch, and one whose time is up keeps its
// turn without using up its patience.
func TestChoicesOfABatchAreBounded(t *testing.T) {
	x := newSale(t, saleSpec{seats: 1})
	l := &x.e.lanes[0]
	for i := range 3 * maxBest {
		r := &request{key: key{1, int64(i + 1), "", fmt.Sprint(i)}, done: make(chan struct{}), take: &hold.Request{Best: bestOf(1)}}
		if i%3 == 2 {
			r.take = &hold.Request{Seats: []int32{1}}
		}
		l.queue = append(l.queue, r)
	}
	l.busy = true
	batch := l.next()
	best := 0
	for _, r := range batch {
		if r.best() {
			best++
		}
	}
	if best != maxBest || len(batch) != maxBest+maxBest {
		t.Errorf("%d choices in a batch of %d", best, len(batch))
	}
	late := batch[0]
	late.postponed = true
	for range 2 * maxSkips {
		late.postponed = true
		l.finish([]*request{late}, 0)
		if late.skips != 0 || l.queue[0] != late {
			t.Fatalf("%d skips; first in line: %v", late.skips, l.queue[0] == late)
		}
		l.queue = slices.Delete(l.queue, 0, 1)
	}
	l.queue = nil
}

// Somebody has the last pair locked, and has not decided: nobody is told that there is
// none.
func TestALockedPairIsNotGone(t *testing.T) {
	x := newSale(t, saleSpec{seats: 2})
	conn, err := pgx.Connect(t.Context(), x.db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(withoutCancel(t))
	if _, err := conn.Exec(t.Context(), `BEGIN; SELECT FROM seat WHERE seat_id = 2 FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	_, err = x.hold(1, HoldRequest{Best: bestOf(2)})
	wantCode(t, err, "busy")
	if _, err := conn.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	v, err := x.hold(1, HoldRequest{Best: bestOf(2)})
	wantSeats(t, v, err, 1, 2)
}
