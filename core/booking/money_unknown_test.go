package booking

import (
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// unknownPayment is a payment of which the provider has heard nothing.
func unknownPayment(t *testing.T, s saleSpec) (*shop, OrderView) {
	x := newShop(t, s)
	x.fault("authorize", fakepay.FaultReset, 1)
	o := x.mustOrder(1, seats(1))
	x.mustPay(1, o, fakepay.TokenOK)
	return x, o
}

// asked lets the provider be asked now, and waits until its answer is written down.
func (x *shop) asked() {
	x.t.Helper()
	before := x.count(`SELECT not_found FROM attempt`)
	x.dueNow()
	if !x.eventually(func() bool { return x.count(`SELECT not_found FROM attempt`) > before }) {
		x.t.Fatal("the provider was not asked")
	}
}

// TestNotFoundIsBelievedLate: where a request must not be repeated, an attempt the provider
// knows nothing of is abandoned after three answers over a quarter of an hour, not before.
func TestNotFoundIsBelievedLate(t *testing.T) {
	t.Parallel()
	for _, contract := range []string{"no_keys", "one_step"} {
		t.Run(contract, func(t *testing.T) {
			t.Parallel()
			x := newShop(t, saleSpec{seats: 1, contract: contract})
			x.control(fakepay.Control{Faults: []fakepay.Fault{{Op: "authorize", Kind: fakepay.FaultReset, Times: 1}, {Op: "lookup", Kind: fakepay.Fault500}}})
			o := x.mustOrder(1, seats(1))
			x.mustPay(1, o, fakepay.TokenOK)
			x.phase(1, o, payment.StateUnknown)
			x.age(o.Hold, time.Hour)
			x.control(fakepay.Control{})
			for range 4 {
				x.asked()
			}
			if v := x.view(1, o); v.Payment.Phase != payment.StateUnknown || !v.PaymentUnknown {
				t.Fatalf("believed after seconds: %s", v.Payment.Phase)
			}
			wantCode(t, x.pay(1, o, fakepay.TokenOK), "payment_unknown")
			x.db.Owner(t, `UPDATE attempt SET quiet_ms = quiet_ms + 2 * 3600 * 1000`)
			x.dueNow()
			x.phase(1, o, payment.StateAbandoned)
			x.untilState(1, o, order.Expired)
			if ps := x.payments(); len(ps) != 0 {
				t.Errorf("sent again: %+v", ps)
			}
		})
	}
}

// TestTwoStepsAreRepeated: where an authorization only sets money aside, the same request
// settles in seconds what became of it, also when nobody waits for it any more.
func TestTwoStepsAreRepeated(t *testing.T) {
	t.Parallel()
	for policy, end := range map[string]payment.State{"refund": payment.StateVoided, "retake": payment.StateCaptured} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			x := newShop(t, saleSpec{seats: 1})
			x.policy(policy, "never")
			x.control(fakepay.Control{Faults: []fakepay.Fault{{Op: "authorize", Kind: fakepay.FaultReset, Times: 1}, {Op: "lookup", Kind: fakepay.Fault500}}})
			o := x.mustOrder(1, seats(1))
			x.mustPay(1, o, fakepay.TokenOK)
			x.phase(1, o, payment.StateUnknown)
			x.age(o.Hold, time.Hour)
			x.control(fakepay.Control{})
			x.dueNow()
			x.phase(1, o, end)
			x.books()
			if ps := x.payments(); len(ps) != 1 {
				t.Errorf("%+v", ps)
			}
		})
	}
}

// TestAbandonedIsWatched: an authorization that shows up after everybody gave up is in
// no report. It is found by the daily question, and given back.
func TestAbandonedIsWatched(t *testing.T) {
	t.Parallel()
	x, o := unknownPayment(t, saleSpec{seats: 1, contract: "no_keys"})
	x.phase(1, o, payment.StateUnknown)
	x.age(o.Hold, time.Hour)
	x.asked()
	x.asked()
	x.db.Owner(t, `UPDATE attempt SET quiet_ms = quiet_ms + 2 * 3600 * 1000`)
	x.dueNow()
	x.phase(1, o, payment.StateAbandoned)
	days := x.count(`SELECT round(extract(epoch FROM watch_until - now()) / 86400) FROM attempt`)
	if days != 7 {
		t.Errorf("watched for %d days, an authorization lives 7", days)
	}

	// A day later nothing, and the day after there it is.
	x.close()
	x.shut(x.db.DB)
	watch := func() {
		t.Helper()
		x.dueNow()
		if _, err := x.e.attendWatched(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.e.workers.wg.Wait()
	}
	watch()
	if n := x.count(`SELECT count(*) FROM attempt WHERE phase = 'abandoned' AND next_at > now() + interval '18 hours'`); n != 1 {
		t.Error("the next question is not a day away")
	}
	x.control(fakepay.Control{Webhooks: fakepay.WebhookControl{Off: true}})
	ref := Ref{x.id, x.view(1, o).Payment.ID.ID}.String()
	if _, err := x.e.provider().Authorize(t.Context(), payment.Authorization{Reference: ref, Amount: o.Amount, Currency: "EUR", CardToken: fakepay.TokenOK}); err != nil {
		t.Fatal(err)
	}
	watch()
	if v := x.view(1, o); v.Payment.Phase != payment.StateVoided || v.State != order.Expired {
		t.Errorf("order %s, payment %s", v.State, v.Payment.Phase)
	}
	if n := x.count(`SELECT count(*) FROM attempt WHERE watch_until IS NOT NULL`); n != 0 {
		t.Error("it is watched on")
	}
	x.books()
	x.given(1, o)
}

// TestWatchingEnds when no authorization can live any more.
func TestWatchingEnds(t *testing.T) {
	t.Parallel()
	x, o := unknownPayment(t, saleSpec{seats: 1, contract: "no_keys"})
	x.phase(1, o, payment.StateUnknown)
	x.asked()
	x.asked()
	x.db.Owner(t, `UPDATE attempt SET quiet_ms = quiet_ms + 2 * 3600 * 1000`)
	x.dueNow()
	x.phase(1, o, payment.StateAbandoned)
	if v := x.view(1, o); v.State != order.Pending {
		t.Errorf("the hold lives and the order is %s: it may be paid anew", v.State)
	}
	x.db.Owner(t, `UPDATE attempt SET watch_until = now() - interval '1 second', next_at = now()`)
	if _, err := x.e.attendWatched(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.e.workers.wg.Wait()
	if n := x.count(`SELECT count(*) FROM attempt WHERE watch_until IS NOT NULL`); n != 0 {
		t.Error("still watched")
	}
	x.mustPay(1, o, fakepay.TokenOK)
	x.untilState(1, o, order.Captured)
	x.books()
}

// TestWithoutKeys (B47): a provider without idempotency keys is asked after a time-out
// and never sent the same request blindly; each step has its effect once.
func TestWithoutKeys(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "one_step "} {
		for _, kind := range []string{fakepay.FaultTimeoutAfter, fakepay.FaultDrop, fakepay.Fault500After, fakepay.FaultEmpty} {
			t.Run(mode+kind, func(t *testing.T) {
				t.Parallel()
				x := newShop(t, saleSpec{seats: 1, contract: mode + "no_keys"})
				x.control(fakepay.Control{Webhooks: fakepay.WebhookControl{Off: true}, Faults: []fakepay.Fault{
					{Op: "authorize", Kind: kind, Times: 1, Delay: "10s"},
					{Op: "capture", Kind: kind, Times: 1, Delay: "10s"},
					{Op: "refund", Kind: kind, Times: 1, Delay: "10s"},
				}})
				o := x.mustOrder(1, seats(1))
				x.mustPay(1, o, fakepay.TokenOK)
				x.untilState(1, o, order.Captured)
				x.mustCancel(1, o)
				x.untilState(1, o, order.Refunded)
				x.books()
				if ps := x.payments(); len(ps) != 1 || ps[0].Captured != 2500 || ps[0].Refunded != 2500 {
					t.Errorf("%+v", ps)
				}
			})
		}
	}
}

// TestARefundWithoutKeysIsNotRepeatedSoon: a refund the provider does not show may still
// be under way there; it is sent again only after the longest processing time.
func TestARefundWithoutKeysIsNotRepeatedSoon(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1, contract: "no_keys"})
	o := x.mustOrder(1, seats(1))
	x.mustPay(1, o, fakepay.TokenOK)
	x.untilState(1, o, order.Captured)
	x.fault("refund", fakepay.FaultReset, 1) // never got there; we cannot know
	x.mustCancel(1, o)
	tries := func(n int64) bool {
		x.dueNow()
		return x.count(`SELECT tries FROM refund`) >= n
	}
	if !x.eventually(func() bool { return tries(4) }) {
		t.Fatal("the refund is not looked at")
	}
	if ps := x.payments(); ps[0].Refunded != 0 {
		t.Fatalf("sent again within seconds: %+v", ps)
	}
	x.db.Owner(t, `UPDATE refund SET sent_at = sent_at - interval '2 hours', next_at = now()`)
	x.untilState(1, o, order.Refunded)
	x.books()
}

// TestExtensions: each policy lengthens the hold at its own moment of a payment.
func TestExtensions(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]bool{"never": false, "at_payment_start": true, "near_end": true, "while_pending": true} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			x := newShop(t, saleSpec{seats: 1})
			x.policy("refund", policy)
			x.control(fakepay.Control{Webhooks: fakepay.WebhookControl{Off: true}, Faults: []fakepay.Fault{{Kind: fakepay.Fault500}}})
			o := x.mustOrder(1, seats(1))
			x.age(o.Hold, 7*time.Minute) // of 8
			before := x.view(1, o).ExpiresAt
			x.mustPay(1, o, fakepay.TokenOK)
			x.phase(1, o, payment.StateUnknown)
			x.eventually(func() bool { return x.count(`SELECT checks FROM attempt`) >= 1 })
			after := time.Time(x.view(1, o).ExpiresAt)
			if longer := after.After(time.Time(before)); longer != want {
				t.Errorf("the hold ended %s and ends %s", time.Time(before), after)
			}
			if n := x.count(`SELECT count(*) FROM hold WHERE held_until > first_held_at + interval '20 minutes'`); n != 0 {
				t.Error("beyond the cap")
			}
			x.age(o.Hold, time.Hour) // a dead hold is not revived by the questions that follow
			x.dueNow()
			x.eventually(func() bool { return x.count(`SELECT checks FROM attempt`) >= 2 })
			if n := x.count(`SELECT count(*) FROM hold WHERE held_until > now()`); n != 0 {
				t.Error("revived")
			}
			x.mustHold(2, seats(1))
		})
	}
}

// TestProviderDown (FP3): while the provider is away holds end on time and their places are
// sold to others, nothing is guessed, and when it is back every payment ends.
func TestProviderDown(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 3})
	x.policy("refund", "near_end")
	down := fakepay.Control{Webhooks: fakepay.WebhookControl{Off: true}, Faults: []fakepay.Fault{{Kind: fakepay.Fault500}}}
	x.control(down)
	var orders []OrderView
	for i := int64(1); i <= 3; i++ {
		o := x.mustOrder(i, seats(int32(i)))
		x.mustPay(i, o, fakepay.TokenOK)
		orders = append(orders, o)
	}
	for i, o := range orders {
		x.until(int64(i+1), o, "unknown", func(v OrderView) bool { return v.PaymentUnknown })
	}
	x.age(orders[0].Hold, time.Hour)
	x.age(orders[1].Hold, time.Hour)
	x.mustHold(9, seats(1)) // on time, whatever the payment does
	for range 3 {
		x.dueNow()
		x.eventually(func() bool { return x.count(`SELECT count(*) FROM attempt WHERE next_at > now()`) == 3 })
	}
	if n := x.count(`SELECT count(*) FROM orders WHERE state = 'verifying'`); n != 3 {
		t.Errorf("%d orders wait, want all 3: an outage says nothing", n)
	}
	x.control(fakepay.Control{})
	x.dueNow()
	x.untilState(3, orders[2], order.Captured)
	x.phase(1, orders[0], payment.StateVoided)
	x.phase(2, orders[1], payment.StateVoided)
	x.books()
	x.given(1, orders[0])
	x.given(2, orders[1])
}

const contractLimit = 4 // requests a second, where a test has one

// TestContractLimit: no more requests leave a second than the contract allows.
func TestContractLimit(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 8, contract: "limited"})
	x.control(fakepay.Control{PerSecond: contractLimit})
	begin := time.Now()
	for i := int64(1); i <= 8; i++ {
		x.mustPay(i, x.mustOrder(i, seats(int32(i))), fakepay.TokenOK)
	}
	if !x.eventually(func() bool { return x.count(`SELECT count(*) FROM orders WHERE state = 'captured'`) == 8 }) {
		t.Fatal("not all were captured")
	}
	// Sixteen requests at four a second; a test's clock is no measure, but it cannot be faster.
	if took := time.Since(begin); took < 3*time.Second {
		t.Errorf("sixteen requests within %s", took)
	}
	x.books()
}
