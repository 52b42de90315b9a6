package booking

import (
	"context"
	"sync"
	"testing"
	"time"
)

// The stock is that of the rows, with holds that are over as free places, whether or not somebody has folded them in.
func TestStockCountsWhatCanBeHad(t *testing.T) {
	x := newSale(t, saleSpec{seats: 20, counters: []counterSpec{{"Floor", 30, 2}}, ttl: 42 * time.Second})
	db := x.db.DB.Pool
	want := func(when string, free, held, sold int64) Stock {
		t.Helper()
		s, err := countStock(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		if s.Available != free || s.Held != held || s.Sold != sold || s.Total != free+held+sold {
			t.Errorf("%s: %+v, want %d free, %d held, %d sold", when, s, free, held, sold)
		}
		return s
	}
	want("at first", 52, 0, 0)
	x.db.Owner(t, `UPDATE seat SET state = 'blocked' WHERE seat_id = 20`)
	h := x.mustHold(1, seats(1, 2, 3))
	x.mustHold(2, places(1, 4))
	s := want("two holds, a seat blocked", 44, 7, 0)
	var sum int64
	for i, n := range s.Expiring {
		if sum += n; n > 0 && (i < 7 || i > 8) {
			t.Errorf("%d places expire in step %d, the holds live 42 s", n, i)
		}
	}
	if sum != 7 {
		t.Errorf("%d places expire, want 7", sum)
	}
	x.age(h.ID, time.Minute)
	want("one hold over", 47, 4, 0)
	x.db.Owner(t, `UPDATE hold_line SET held_until = held_until - interval '1 min'`)
	want("both over", 51, 0, 0)
	x.db.Owner(t, `UPDATE hold_line SET held_until = held_until + interval '1 h' WHERE counter_id IS NOT NULL`)
	if s := want("a hold far beyond the histogram", 47, 4, 0); len(s.Expiring) != ExpirySteps || s.Expiring[ExpirySteps-1] != 0 {
		t.Errorf("the histogram ends with %v", s.Expiring[len(s.Expiring)-1])
	}
	x.db.Owner(t, `UPDATE event SET state = 'closed'`)
	want("nothing on sale", 0, 0, 0)
	x.db.Owner(t, `UPDATE event SET state = 'on_sale', on_sale_at = now() + interval '1 h'`)
	want("not on sale yet", 0, 0, 0)
}

// However many ask, the database is asked once.
func TestStockIsCountedSeldom(t *testing.T) {
	x := newSale(t, saleSpec{seats: 5})
	before := x.db.Pool.Stat().AcquireCount()
	if _, ok, err := x.e.Stock(t.Context()); err != nil || !ok {
		t.Fatal(ok, err)
	}
	x.e.counted.next = time.Now().Add(time.Hour) // however slow this machine is
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, _, err := x.e.Stock(withoutCancel(t)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, ok, err := x.e.Stock(t.Context())
	if err != nil || !ok || s.Total != 5 {
		t.Fatalf("%+v, %t, %v", s, ok, err)
	}
	if n := x.db.Pool.Stat().AcquireCount() - before; n != 1 {
		t.Errorf("52 questions took %d connections, want 1", n)
	}
	// While one counts, the others take what there is.
	x.e.counted.next, x.e.counted.asked = time.Time{}, true
	if again, ok, err := x.e.Stock(t.Context()); err != nil || !ok || again.At != s.At {
		t.Errorf("%+v, %t, %v: want the last count", again, ok, err)
	}
	x.e.counted.asked = false
	// A database that does not answer leaves the last count with its time.
	x.e.counted.next = time.Time{}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	again, ok, err := x.e.Stock(gone)
	if err == nil || !ok || again.At != s.At {
		t.Errorf("%+v, %t, %v: want the last count and the error", again, ok, err)
	}
}

// Usage of the engine's own connections: the lanes' are counted too, and counters only grow.
func TestUsageCountsEveryPool(t *testing.T) {
	x := newSale(t, saleSpec{seats: 40})
	before := x.e.Usage()
	if before.Database.Capacity != float64(x.db.Pool.Config().MaxConns) || before.Lanes.Capacity != laneCount+slowLaneWidth+docketCount+1 {
		t.Errorf("capacity %g and %g is not that of the pools", before.Database.Capacity, before.Lanes.Capacity)
	}
	last := before
	for i := range 20 {
		x.mustHold(int64(i+1), seats(int32(i+1)))
		u := x.e.Usage()
		if u.Lanes.Busy <= last.Lanes.Busy || u.Lanes.Done <= last.Lanes.Done || u.Database.Busy < last.Database.Busy {
			t.Errorf("after hold %d: %+v is not more than %+v", i, u, last)
		}
		last = u
	}
}
