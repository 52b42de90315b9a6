package booking

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// TestDeclinedThenAnotherCard (B25): one charge.
func TestDeclinedThenAnotherCard(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1})
	o := x.mustOrder(1, seats(1))
	for i, token := range []string{fakepay.TokenDeclined, fakepay.TokenInsufficient} {
		x.mustPay(1, o, token)
		v := x.until(1, o, "declined", func(v OrderView) bool { return v.State == order.Pending })
		if v.Reason != "declined" || v.AttemptsLeft != MaxAttempts-1-i || v.Payment.Phase != payment.StateDeclined {
			t.Fatalf("%+v %+v", v, v.Payment)
		}
	}
	x.mustPay(1, o, fakepay.TokenOK)
	x.untilState(1, o, order.Captured)
	x.books()
	charged := 0
	for _, p := range x.payments() {
		if p.Captured > 0 {
			charged++
		}
	}
	if charged != 1 {
		t.Fatalf("%d charges", charged)
	}
}

func TestTooManyCards(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1})
	o := x.mustOrder(1, seats(1))
	for range MaxAttempts {
		x.mustPay(1, o, fakepay.TokenDeclined)
		x.untilState(1, o, order.Pending)
	}
	wantCode(t, x.pay(1, o, fakepay.TokenOK), "too_many_attempts")
}

// TestOneOrderOfAHold (B26): ten orders at once, with different keys.
func TestOneOrderOfAHold(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1})
	h := x.mustHold(1, seats(1))
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids, created := map[Ref]int{}, 0
	for i := range 10 {
		wg.Go(func() {
			cmd := Command{EventSlug: slug, AccountID: 1, Route: "order", Key: fmt.Sprint("b26-", i)}
			a, err := x.e.PlaceOrder(t.Context(), cmd, OrderRequest{Hold: h.ID})
			o, err := orderOf(a, err)
			if err != nil {
				t.Errorf("order: %v", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[o.ID]++
			if a.Status == 201 {
				created++
			}
		})
	}
	wg.Wait()
	if len(ids) != 1 || created != 1 || x.count(`SELECT count(*) FROM orders`) != 1 {
		t.Fatalf("%d orders, %d created", len(ids), created)
	}
}

// TestParallelPays (FP11): one attempt, the others are told so.
func TestParallelPays(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1})
	x.control(fakepay.Control{Faults: []fakepay.Fault{{Op: "authorize", Kind: fakepay.FaultDelay, Delay: "500ms"}}})
	o := x.mustOrder(1, seats(1))
	y := tally{}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range 8 {
		wg.Go(func() {
			cmd := Command{AccountID: 1, Route: "pay", Key: fmt.Sprint("fp11-", i)}
			_, err := x.e.Pay(t.Context(), cmd, PayRequest{Order: o.ID, CardToken: fakepay.TokenOK})
			mu.Lock()
			defer mu.Unlock()
			y.add(err)
		})
	}
	wg.Wait()
	y.only(t, "ok", "payment_in_progress", "payment_unknown", "busy")
	if y["ok"] != 1 {
		t.Fatalf("%v", y)
	}
	x.untilState(1, o, order.Captured)
	if ps := x.payments(); len(ps) != 1 {
		t.Fatalf("%d payments", len(ps))
	}
	x.books()
}

// TestWhatCannotBePaid (AB16, AB17).
func TestWhatCannotBePaid(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 4})
	ended := x.mustOrder(1, seats(1))
	x.age(ended.Hold, time.Hour)
	wantCode(t, x.pay(1, ended, fakepay.TokenOK), "hold_expired")
	if v := x.view(1, ended); v.State != order.Expired {
		t.Errorf("the order is %s", v.State)
	}
	released := x.mustOrder(1, seats(2))
	if _, err := x.e.Release(t.Context(), x.command(1), ReleaseRequest{Hold: released.Hold}); err != nil {
		t.Fatal(err)
	}
	if v := x.view(1, released); v.State != order.Cancelled || v.Reason != reasonReleased {
		t.Errorf("the order of a released hold is %s, %s", v.State, v.Reason)
	}
	wantCode(t, x.pay(1, released, fakepay.TokenOK), "hold_released")
	mine := x.mustOrder(1, seats(3))
	wantCode(t, x.pay(2, mine, fakepay.TokenOK), "not_found")
	wantCode(t, x.pay(1, OrderView{ID: Ref{1, uuid.New()}}, fakepay.TokenOK), "not_found")
	wantCode(t, x.pay(1, OrderView{ID: Ref{99, mine.ID.ID}}, fakepay.TokenOK), "not_found")
	wantCode(t, x.pay(1, mine, ""), "invalid_card_token")
	low := mine.Amount - 1
	_, err := x.e.Pay(t.Context(), x.command(1), PayRequest{Order: mine.ID, CardToken: fakepay.TokenOK, ExpectedAmount: &low})
	wantCode(t, err, "price_changed")
	_, err = x.order(2, mine.Hold)
	wantCode(t, err, "not_found")
	if _, err := x.e.OrderView(t.Context(), 2, mine.ID); err == nil {
		t.Error("another account sees the order")
	}
	if n := x.count(`SELECT count(*) FROM attempt`); n != 0 || len(x.payments()) != 0 {
		t.Errorf("%d attempts were made", n)
	}
}

func (x *shop) cancel(account int64, o OrderView) error {
	_, err := x.e.CancelOrder(x.t.Context(), x.command(account), CancelRequest{Order: o.ID})
	return err
}

func (x *shop) mustCancel(account int64, o OrderView) {
	x.t.Helper()
	if err := x.cancel(account, o); err != nil {
		x.t.Fatalf("cancel %s: %v", o.ID, err)
	}
}

// TestCancel in every state a buyer can do it in: places and money come back once.
func TestCancel(t *testing.T) {
	t.Parallel()
	t.Run("waiting", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 1})
		o := x.mustOrder(1, seats(1))
		x.mustCancel(1, o)
		wantCode(t, x.cancel(1, o), "nothing_to_cancel")
		x.mustHold(2, seats(1))
	})
	t.Run("while the provider thinks", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 1})
		o := x.mustOrder(1, seats(1))
		x.payLate(1, o, func() { x.mustCancel(1, o) })
		x.phase(1, o, payment.StateVoided)
		x.books()
		x.given(1, o)
		x.mustHold(2, seats(1))
	})
	t.Run("confirmed, capture refused", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 1})
		x.fault("capture", fakepay.FaultDecline, 1)
		o := x.mustOrder(1, seats(1))
		x.mustPay(1, o, fakepay.TokenOK)
		if v := x.untilState(1, o, order.Cancelled); v.Reason != "capture_failed" {
			t.Fatalf("reason %s", v.Reason)
		}
		x.phase(1, o, payment.StateVoided)
		x.books()
		x.given(1, o)
		x.mustHold(2, seats(1))
	})
	t.Run("captured", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 2, counters: []counterSpec{{"Floor", 2, 0}}})
		x.fault("refund", fakepay.FaultTimeoutAfter, 1)
		o := x.mustOrder(1, HoldRequest{Seats: []int32{1}, Places: places(1, 2).Places})
		x.mustPay(1, o, fakepay.TokenOK)
		x.untilState(1, o, order.Captured)
		x.mustCancel(1, o)
		wantCode(t, x.cancel(1, o), "nothing_to_cancel")
		x.mustHold(2, HoldRequest{Seats: []int32{1}, Places: places(1, 2).Places}) // free at once
		x.untilState(1, o, order.Refunded)
		x.books()
		x.given(1, o)
		wantCode(t, x.cancel(1, o), "nothing_to_cancel")
	})
}

// TestCancelAgainstCapture (B28): the money goes back exactly once.
func TestCancelAgainstCapture(t *testing.T) {
	t.Parallel()
	const n = 16
	x := newShop(t, saleSpec{seats: n})
	var wg sync.WaitGroup
	orders := make([]OrderView, n)
	for i := range orders {
		orders[i] = x.mustOrder(int64(i+1), seats(int32(i+1)))
	}
	for i, o := range orders {
		wg.Go(func() {
			account := int64(i + 1)
			cmd := func(what string) Command { return Command{AccountID: account, Route: what, Key: fmt.Sprint("b28-", i)} }
			if _, err := x.e.Pay(t.Context(), cmd("pay"), PayRequest{Order: o.ID, CardToken: fakepay.TokenOK}); err != nil {
				t.Errorf("pay: %v", err)
			}
			time.Sleep(time.Duration(i) * 3 * time.Millisecond) // spreads the cancels over the payment's life
			if _, err := x.e.CancelOrder(t.Context(), cmd("cancel"), CancelRequest{Order: o.ID}); err != nil {
				t.Errorf("cancel: %v", err)
			}
		})
	}
	wg.Wait()
	for i, o := range orders {
		x.until(int64(i+1), o, "given back", func(v OrderView) bool { return v.State == order.Cancelled || v.State == order.Refunded })
	}
	x.books()
	for i, o := range orders {
		x.given(int64(i+1), o)
	}
	if n := x.count(`SELECT count(*) FROM seat WHERE state <> 'available'`); n != 0 {
		t.Errorf("%d seats are not free", n)
	}
}

// TestElsewhere: what happens at the provider without us.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	paid := func(t *testing.T) (*shop, OrderView, string) {
		x := newShop(t, saleSpec{seats: 2})
		o := x.mustOrder(1, seats(1, 2))
		x.mustPay(1, o, fakepay.TokenOK)
		x.untilState(1, o, order.Captured)
		x.books()
		return x, o, "/control/payments/" + x.payments()[0].ID + "/"
	}
	t.Run("all refunded", func(t *testing.T) {
		x, o, at := paid(t)
		x.tell(at+"refund", map[string]any{})
		x.untilState(1, o, order.Refunded)
		x.books()
		x.given(1, o)
		x.mustHold(2, seats(1, 2))
	})
	t.Run("a part refunded, then cancelled", func(t *testing.T) {
		x, o, at := paid(t)
		x.tell(at+"refund", map[string]any{"amount": 700})
		x.untilState(1, o, order.PartlyRefunded)
		x.mustCancel(1, o)
		x.untilState(1, o, order.Refunded)
		x.books()
		x.given(1, o)
	})
	t.Run("dispute won", func(t *testing.T) {
		x, o, at := paid(t)
		x.tell(at+"dispute", map[string]any{})
		x.until(1, o, "disputed", func(v OrderView) bool { return v.Disputed })
		x.tell(at+"dispute_won", map[string]any{})
		x.until(1, o, "no longer disputed", func(v OrderView) bool { return !v.Disputed })
		x.books()
	})
	t.Run("dispute lost", func(t *testing.T) {
		x, o, at := paid(t)
		x.tell(at+"dispute", map[string]any{})
		x.until(1, o, "disputed", func(v OrderView) bool { return v.Disputed })
		x.tell(at+"dispute_lost", map[string]any{})
		if v := x.untilState(1, o, order.Refunded); v.Reason != "chargeback" {
			t.Errorf("reason %s", v.Reason)
		}
		x.books()
		x.mustHold(2, seats(1, 2))
	})
}
