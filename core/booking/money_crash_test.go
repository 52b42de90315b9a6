package booking

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// dueNow lets the claims of a dead process run out.
func (x *shop) dueNow() {
	x.db.Owner(x.t, `UPDATE attempt SET next_at = now() - interval '1 second'`)
	x.db.Owner(x.t, `UPDATE refund SET next_at = now() - interval '1 second'`)
	x.db.Owner(x.t, `UPDATE webhook_inbox SET next_at = now() - interval '1 second'`)
}

// dieDuring opens an order's payment and drops the engine while the provider holds
// the answer back; its effect has happened.
func (x *shop) dieDuring(account int64, r HoldRequest) OrderView {
	x.t.Helper()
	x.control(fakepay.Control{
		Mode: x.mode, Webhooks: fakepay.WebhookControl{Off: true},
		Faults: []fakepay.Fault{{Op: "authorize", Kind: fakepay.FaultTimeoutAfter, Times: 1, Delay: "10s"}},
	})
	o := x.mustOrder(account, r)
	x.mustPay(account, o, fakepay.TokenOK)
	x.settled("the payment", func(ps []fakepay.Payment) bool { return len(ps) == 1 })
	x.close()
	x.control(fakepay.Control{Mode: x.mode, Webhooks: fakepay.WebhookControl{Off: true}})
	return o
}

// TestDeathAfterTheProvidersEffect (B20): the process dies between the provider's
// effect and our commit. The next one asks, and pays or voids, once.
func TestDeathAfterTheProvidersEffect(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"two_step", "one_step"} {
		t.Run("hold alive/"+mode, func(t *testing.T) {
			x := newShop(t, saleSpec{seats: 2})
			x.mode = mode
			o := x.dieDuring(1, seats(1, 2))
			if n := x.count(`SELECT count(*) FROM attempt WHERE phase = 'sent'`); n != 1 {
				t.Fatalf("%d attempts are sent: the row must be there before the call", n)
			}
			x.dueNow()
			x.open(x.db.DB)
			if v := x.untilState(1, o, order.Captured); len(v.Tickets) != 2 {
				t.Fatalf("%d tickets", len(v.Tickets))
			}
			if ps := x.payments(); len(ps) != 1 || ps[0].Captured != 5000 {
				t.Fatalf("%+v", ps)
			}
			x.books()
		})
		t.Run("hold over/"+mode, func(t *testing.T) {
			x := newShop(t, saleSpec{seats: 1})
			x.mode = mode
			o := x.dieDuring(1, seats(1))
			x.age(o.Hold, time.Hour)
			x.dueNow()
			x.open(x.db.DB)
			x.until(1, o, "given back", func(v OrderView) bool {
				return v.Payment.Phase == payment.StateVoided || v.Payment.Phase == payment.StateRefunded
			})
			x.books()
			x.given(1, o)
		})
	}
	t.Run("before anything was sent", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 1})
		x.shut(x.db.DB) // no loops: as if it died right after the 202
		o := x.mustOrder(1, seats(1))
		x.mustPay(1, o, fakepay.TokenOK)
		x.age(o.Hold, time.Hour)
		x.open(x.db.DB)
		x.phase(1, o, payment.StateAbandoned)
		if ps := x.payments(); len(ps) != 0 {
			t.Fatalf("charged for a dead hold: %+v", ps)
		}
	})
	t.Run("between confirmation and capture, two successors", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 1})
		x.fault("capture", fakepay.Fault500, 0)
		o := x.mustOrder(1, seats(1))
		x.mustPay(1, o, fakepay.TokenOK)
		x.untilState(1, o, order.Confirmed)
		x.close()
		x.control(fakepay.Control{})
		_, stop := x.another()
		defer stop()
		x.dueNow()
		x.open(x.db.DB)
		x.untilState(1, o, order.Captured)
		x.books()
	})
}

// TestLostAnswers (FP1, FP2, B25, B30): whatever happens to the answer, the card is
// charged once and the order ends paid.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		fakepay.FaultTimeoutBefore, fakepay.FaultTimeoutAfter, fakepay.FaultDrop, fakepay.FaultReset, fakepay.FaultHalf,
		fakepay.Fault500, fakepay.Fault500After, fakepay.Fault429, fakepay.FaultEmpty,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			x := newShop(t, saleSpec{seats: 1})
			x.control(fakepay.Control{Webhooks: fakepay.WebhookControl{Off: true}, Faults: []fakepay.Fault{
				{Op: "authorize", Kind: kind, Times: 1, Delay: "10s"},
				{Op: "capture", Kind: kind, Times: 1, Delay: "10s"},
			}})
			o := x.mustOrder(1, seats(1))
			x.mustPay(1, o, fakepay.TokenOK)
			v := x.until(1, o, "unknown", func(v OrderView) bool { return v.PaymentUnknown || v.State == order.Captured })
			if v.PaymentUnknown {
				wantCode(t, x.pay(1, o, fakepay.TokenOK), "payment_unknown")
			}
			if v := x.untilState(1, o, order.Captured); len(v.Tickets) != 1 {
				t.Fatalf("%d tickets", len(v.Tickets))
			}
			if ps := x.payments(); len(ps) != 1 {
				t.Fatalf("%d payments for one key: %+v", len(ps), ps)
			}
			x.books()
		})
	}
}

// TestEarlyWebhook (B22): the notice is there before the answer, and even before
// the row it is about.
func TestEarlyWebhook(t *testing.T) {
	t.Parallel()
	t.Run("before the answer", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 1})
		x.fault("authorize", fakepay.FaultTimeoutAfter, 1)
		o := x.mustOrder(1, seats(1))
		x.mustPay(1, o, fakepay.TokenOK)
		x.untilState(1, o, order.Captured)
		x.books()
	})
	t.Run("before the row", func(t *testing.T) {
		x := newShop(t, saleSpec{seats: 1})
		x.shut(x.db.DB)
		o := x.mustOrder(1, seats(1))
		id := uuid.New()
		client := x.e.provider()
		if _, err := client.Authorize(t.Context(), payment.Authorization{Reference: Ref{1, id}.String(), Amount: o.Amount, Currency: "EUR", CardToken: fakepay.TokenOK}); err != nil {
			t.Fatal(err)
		}
		x.eventually(func() bool { return x.count(`SELECT count(*) FROM webhook_inbox`) == 1 })
		if _, err := x.e.readInbox(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := x.count(`SELECT count(*) FROM webhook_inbox WHERE state = 'unmatched'`); n != 1 {
			t.Fatal("the notice is not kept as unmatched")
		}
		x.db.Owner(t, `INSERT INTO attempt (event_id, id, order_id, provider, phase, card_token, amount, currency, created_at, sent_at, next_at)
			VALUES (1, $1, $2, 'fakepay', 'sent', 'tok_ok', $3, 'EUR', now(), now(), now() + interval '1 hour')`, id, o.ID.ID, o.Amount)
		x.db.Owner(t, `UPDATE orders SET state = 'verifying', current_attempt = $1, attempts = 1`, id)
		x.db.Owner(t, `UPDATE webhook_inbox SET next_at = now()`)
		x.open(x.db.DB)
		x.untilState(1, o, order.Captured)
		x.books()
	})
}

// another runs a second engine beside, as a second process would be.
func (x *shop) another() (*Engine, func()) {
	x.t.Helper()
	main, stop := x.e, x.stop
	x.stop = nil
	x.open(x.db.Open(x.t, x.spec.pool))
	e, end := x.e, x.stop
	x.e, x.stop = main, stop
	return e, end
}
