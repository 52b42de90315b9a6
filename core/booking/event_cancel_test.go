package booking

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// B43: a cancelled event with orders in every state; the provider fails 5 % of the
// refunds and three times lacks the balance; the process dies at 40 % of the work.
// Finally every buyer has the money back once, and the report's sums are the provider's.
func TestACancelledEventGivesEverythingBack(t *testing.T) {
	const orders, accounts = 1000, 400
	buyer := func(i int) int64 { return int64(i%accounts + 1) }
	x := newShop(t, saleSpec{seats: orders})
	var wg sync.WaitGroup
	views := make([]OrderView, orders)
	for i := range orders {
		views[i] = x.mustOrder(buyer(i), seats(int32(i+1)))
	}
	slots := make(chan struct{}, 16)
	for i := range orders - 2 { // two never pay
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if _, err := x.e.Pay(t.Context(), Command{EventSlug: slug, AccountID: buyer(i), Route: "pay", Key: fmt.Sprint(i)},
				PayRequest{Order: views[i].ID, CardToken: fakepay.TokenOK}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range orders - 2 {
		x.untilState(buyer(i), views[i], order.Captured)
	}
	x.giveBack(1, views[0], 1) // one has had it before
	dry, err := x.e.CancellationOf(t.Context(), slug)
	if err != nil || dry.State != "dry_run" || dry.OrdersLeft != orders-1 || dry.AmountLeft != (orders-3)*2500 {
		t.Fatalf("%+v %v", dry, err)
	}
	_, err = x.e.CancelEvent(t.Context(), slug, "ann", "the singer is ill", dry.AmountLeft+1)
	wantCode(t, err, "cancellation_changed")
	if x.count(`SELECT count(*) FROM event WHERE state = 'cancelled'`) != 0 {
		t.Fatal("a refused cancellation took the event off the sale")
	}
	x.control(fakepay.Control{Faults: []fakepay.Fault{
		{Op: "refund", Kind: fakepay.FaultBalance, Times: 3},
		{Op: "refund", Kind: fakepay.FaultDrop, Probability: 0.03}, {Op: "refund", Kind: fakepay.Fault500, Probability: 0.02},
	}})
	if c, err := x.e.CancelEvent(t.Context(), slug, "ann", "the singer is ill", dry.AmountLeft); err != nil || c.State != "running" || c.Orders != orders-1 {
		t.Fatalf("%+v %v", c, err)
	}
	if !x.eventually(func() bool { return x.count(`SELECT count(*) FROM refund WHERE state = 'done'`) >= orders*2/5 }) {
		t.Fatal("nothing moves")
	}
	x.open(x.db.Open(t, x.spec.pool)) // another process; of the first nothing is left but the database
	var c Cancellation
	if !x.eventually(func() bool {
		c, err = x.e.CancellationOf(t.Context(), slug)
		return err == nil && c.State == "done"
	}) {
		t.Fatalf("not done: %+v %v", c, err)
	}
	if c.OrdersLeft != 0 || c.Reserved != 0 || c.Refunded != orders-3 || c.RefundedSum != dry.AmountLeft || c.Cancelled != 2 || c.PaymentsAsked != 0 {
		t.Errorf("report %+v", c)
	}
	var returned int64
	for _, p := range x.payments() {
		if p.Refunded != p.Captured {
			t.Errorf("%s: %d of %d returned", p.Reference, p.Refunded, p.Captured)
		}
		returned += p.Refunded
	}
	if returned != c.RefundedSum+2500 {
		t.Errorf("the provider returned %d, the report says %d", returned, c.RefundedSum)
	}
	x.books()
	again, err := x.e.CancelEvent(t.Context(), slug, "bob", "again", 0)
	if err != nil || again.State != "done" || again.By != "ann" {
		t.Errorf("asked again: %+v %v", again, err)
	}
	_, err = x.hold(200, seats(1))
	wantCode(t, err, "not_on_sale")
	if v := x.view(2, views[1]); v.State != order.Refunded || v.Reason != reasonEvent {
		t.Errorf("order: %s %s", v.State, v.Reason)
	}
	if n := x.count(`SELECT count(*) FROM ticket WHERE revoked_at IS NULL`); n != 0 {
		t.Errorf("%d tickets are valid", n)
	}
	if got := fmt.Sprint(c.By, c.Why); !contains(got, "singer") {
		t.Error(got)
	}
}
