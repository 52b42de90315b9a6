package booking

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// TestTogetherAndAloneShowTheSame: the answer made of what a batch has in memory is, but
// for the clock, the order as everybody else reads it.
func TestTogetherAndAloneShowTheSame(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 4, counters: []counterSpec{{"Floor", 9, 0}}})
	x.shut(x.db.DB)
	same := func(what string, a Answer, err error, o Ref) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		v, err := x.e.OrderView(t.Context(), 1, o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var here, there map[string]any
		if err := json.Unmarshal(a.Body, &here); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &there); err != nil {
			t.Fatal(err)
		}
		delete(here, "server_time")
		delete(there, "server_time")
		if fmt.Sprint(here) != fmt.Sprint(there) {
			t.Errorf("%s:\n together %v\n    alone %v", what, here, there)
		}
	}
	h := x.mustHold(1, HoldRequest{Seats: []int32{3, 4}, Places: places(1, 2).Places})
	a, err := x.e.PlaceOrder(t.Context(), x.command(1), OrderRequest{Hold: h.ID})
	o, _ := orderOf(a, err)
	same("order", a, err, o.ID)
	a, err = x.e.Pay(t.Context(), x.command(1), PayRequest{Order: o.ID, CardToken: fakepay.TokenOK})
	same("pay", a, err, o.ID)
}

// TestManyOrdersAtOnce: a crowd orders and pays in the same moments; each has an order and
// a charge, asked twice or not, and a refusal in a batch is nobody else's.
func TestManyOrdersAtOnce(t *testing.T) {
	t.Parallel()
	const n = 60
	x := newShop(t, saleSpec{seats: n})
	var holds [n]HoldView
	for i := range holds {
		holds[i] = x.mustHold(int64(i+1), seats(int32(i+1)))
	}
	x.age(holds[0].ID, time.Hour) // too late
	var wg sync.WaitGroup
	var orders [n]OrderView
	for i, h := range holds {
		wg.Go(func() {
			account := int64(i + 1)
			cmd := func(what string) Command {
				return Command{EventSlug: slug, AccountID: account, Route: what, Key: fmt.Sprint("crowd-", i)}
			}
			var first Answer
			for try := range 2 {
				a, err := x.e.PlaceOrder(t.Context(), cmd("order"), OrderRequest{Hold: h.ID})
				if i == 0 {
					wantCode(t, err, "hold_expired")
					return
				}
				o, err := orderOf(a, err)
				if err != nil {
					t.Errorf("order %d: %v", i, err)
					return
				}
				if orders[i] = o; try == 1 && (!a.Replayed || string(a.Body) != string(first.Body)) {
					t.Errorf("order %d: the same key brought another answer", i)
				}
				first = a
			}
			for range 2 {
				if _, err := x.e.Pay(t.Context(), cmd("pay"), PayRequest{Order: orders[i].ID, CardToken: fakepay.TokenOK}); err != nil {
					t.Errorf("pay %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
	for i := 1; i < n; i++ {
		x.untilState(int64(i+1), orders[i], order.Captured)
	}
	x.books()
	if ps := x.payments(); len(ps) != n-1 {
		t.Errorf("%d payments for %d orders", len(ps), n-1)
	}
}
