package booking

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// policy sets how the event treats late money.
func (x *shop) policy(late, extend string) {
	x.db.Owner(x.t, `UPDATE event SET late_policy = $1, extend = $2`, late, extend)
}

// phase waits until the order's latest payment is there.
func (x *shop) phase(account int64, o OrderView, p payment.State) {
	x.t.Helper()
	x.until(account, o, "payment "+string(p), func(v OrderView) bool { return v.Payment != nil && v.Payment.Phase == p })
}

// payLate pays, lets the request reach the provider, and does something before the
// provider has answered.
func (x *shop) payLate(account int64, o OrderView, between func()) {
	x.t.Helper()
	x.control(fakepay.Control{Mode: x.mode, Faults: []fakepay.Fault{{Op: "authorize", Kind: fakepay.FaultDelay, Delay: "600ms", Times: 1}}})
	x.mustPay(account, o, fakepay.TokenOK)
	x.phase(account, o, payment.StateSent)
	between()
}

// given checks that nothing is kept of an order's money and nothing is sold.
func (x *shop) given(account int64, o OrderView) {
	x.t.Helper()
	for _, p := range x.payments() {
		if owner := x.count(`SELECT count(*) FROM attempt WHERE order_id = $1 AND event_id || '-' || id = $2`, o.ID.ID, p.Reference); owner == 0 {
			continue
		}
		if !p.Declined && !p.Voided && p.Captured != p.Refunded || p.Captured == 0 && !p.Voided && !p.Declined {
			x.t.Errorf("money is kept: %+v", p)
		}
	}
	for _, k := range x.view(account, o).Tickets {
		if k.State != "revoked" {
			x.t.Errorf("a ticket is valid: %+v", k)
		}
	}
}

// TestLateSuccess (B02): the money comes after the hold has ended, in both shapes
// of provider and under both policies.
func TestLateSuccess(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"two_step", "one_step"} {
		t.Run("another bought the last place/"+mode, func(t *testing.T) {
			x := newShop(t, saleSpec{seats: 1})
			x.mode = mode
			x.policy("retake", "never")
			a := x.mustOrder(1, seats(1))
			x.payLate(1, a, func() {
				x.age(a.Hold, time.Hour)
				b := x.mustOrder(2, seats(1))
				x.mustPay(2, b, fakepay.TokenOK)
				x.untilState(2, b, order.Captured)
			})
			end := order.Expired
			if mode == "one_step" {
				end = order.ExpiredRefunded
			}
			x.untilState(1, a, end)
			x.books()
			x.given(1, a)
		})
		t.Run("seats free, policy refund/"+mode, func(t *testing.T) {
			x := newShop(t, saleSpec{seats: 1})
			x.mode = mode
			x.policy("refund", "never")
			a := x.mustOrder(1, seats(1))
			x.payLate(1, a, func() { x.age(a.Hold, time.Hour) })
			x.until(1, a, "over", func(v OrderView) bool {
				return v.Payment.Phase == payment.StateVoided || v.Payment.Phase == payment.StateRefunded
			})
			x.books()
			x.given(1, a)
			x.mustHold(2, seats(1))
		})
		t.Run("seats free, policy retake/"+mode, func(t *testing.T) {
			x := newShop(t, saleSpec{seats: 2, counters: []counterSpec{{"Floor", 1, 0}}})
			x.mode = mode
			x.policy("retake", "never")
			a := x.mustOrder(1, HoldRequest{Seats: []int32{1, 2}, Places: places(1, 1).Places})
			x.payLate(1, a, func() { x.age(a.Hold, time.Hour) })
			if v := x.untilState(1, a, order.Captured); len(v.Tickets) != 3 {
				t.Fatalf("%d tickets", len(v.Tickets))
			}
			x.books()
		})
	}
	t.Run("retake over the account's limit", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 9, limit: 2})
		x.policy("retake", "never")
		a := x.mustOrder(1, seats(1, 2))
		x.payLate(1, a, func() {
			x.age(a.Hold, time.Hour)
			x.mustHold(1, seats(3))
		})
		x.phase(1, a, payment.StateVoided)
		x.given(1, a)
	})
	t.Run("sale closed by staff", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 1})
		a := x.mustOrder(1, seats(1))
		x.payLate(1, a, func() { x.db.Owner(t, `UPDATE event SET state = 'closed'`) })
		x.phase(1, a, payment.StateVoided)
		if v := x.view(1, a); v.State != order.Cancelled {
			t.Fatalf("order is %s", v.State)
		}
		x.given(1, a)
	})
}

// TestExpiryAgainstSuccess (B03): the end of the hold and the provider's answer in
// many interleavings; always exactly one of paid and given back.
func TestExpiryAgainstSuccess(t *testing.T) {
	t.Parallel()
	const n = 40
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	x := newShop(t, saleSpec{seats: n})
	x.policy([]string{"refund", "retake"}[rnd.IntN(2)], []string{"never", "at_payment_start", "near_end"}[rnd.IntN(3)])
	orders := make([]OrderView, n)
	for i := range orders {
		orders[i] = x.mustOrder(int64(i+1), seats(int32(i+1)))
	}
	var wg sync.WaitGroup
	for i, o := range orders {
		pause, lost := time.Duration(rnd.IntN(60))*time.Millisecond, rnd.IntN(4) == 0
		wg.Go(func() {
			token := fakepay.TokenOK
			if lost {
				token = fakepay.TokenLost
			}
			cmd := Command{AccountID: int64(i + 1), Route: "pay", Key: fmt.Sprint("b03-", i)}
			if _, err := x.e.Pay(t.Context(), cmd, PayRequest{Order: o.ID, CardToken: token}); err != nil {
				t.Errorf("pay: %v", err)
			}
			time.Sleep(pause) // the interleaving itself; nothing waits for it
			x.age(o.Hold, time.Hour)
		})
	}
	wg.Wait()
	paid := 0
	for i, o := range orders {
		v := x.until(int64(i+1), o, "settled", func(v OrderView) bool {
			p := v.Payment.Phase
			return v.State == order.Captured || p == payment.StateVoided || p == payment.StateAbandoned || p == payment.StateRefunded
		})
		if v.State == order.Captured {
			paid++
			if len(v.Tickets) != 1 || v.Payment.Phase != payment.StateCaptured {
				t.Errorf("paid without a ticket: %+v", v)
			}
		} else {
			x.given(int64(i+1), o)
		}
	}
	t.Logf("%d of %d paid", paid, n)
	x.books()
}

// TestTheWholeStory (B15): ten-minute holds, told by the minute.
func TestTheWholeStory(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 4, counters: []counterSpec{{"Floor", 3, 0}}, ttl: 10 * time.Minute})
	x.policy("refund", "never")
	const r, k, s = 1, 2, 3
	rOrder := x.mustOrder(r, seats(1, 2)) // 600
	x.age(rOrder.Hold, 3*time.Minute)     // 603
	_, err := x.hold(k, seats(2, 3))
	wantCode(t, err, "seat_taken")
	kOrder := x.mustOrder(k, seats(3, 4))
	x.age(rOrder.Hold, 5*time.Minute) // 608
	x.age(kOrder.Hold, 5*time.Minute)
	x.mustPay(r, rOrder, fakepay.TokenOK)
	x.untilState(r, rOrder, order.Captured)
	x.payLate(k, kOrder, func() { x.age(kOrder.Hold, 7*time.Minute) }) // 615
	x.phase(k, kOrder, payment.StateVoided)
	if v := x.view(k, kOrder); v.State != order.Expired {
		t.Fatalf("K's order is %s", v.State)
	}
	x.given(k, kOrder)
	x.mustHold(s, seats(4)) // 616
	for seat, want := range map[int]string{
		1: "sold " + rOrder.Hold.String(), 2: "sold " + rOrder.Hold.String(), 3: "held " + kOrder.Hold.String(), 4: "held",
	} {
		var got string
		if err := x.db.Pool.QueryRow(t.Context(), `SELECT state || ' ' || hold_id FROM seat WHERE seat_id = $1`, seat).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got[:len(want)] != want {
			t.Errorf("seat %d is %s, want %s", seat, got, want)
		}
	}
	area := x.mustOrder(r, places(1, 2))
	_, err = x.hold(s, places(1, 2))
	wantCode(t, err, "not_enough_places")
	x.mustPay(r, area, fakepay.TokenOK)
	x.untilState(r, area, order.Captured)
	if held, sold := x.counterSums(1); held != 0 || sold != 2 {
		t.Errorf("area: %d held, %d sold", held, sold)
	}
	x.books()
}
