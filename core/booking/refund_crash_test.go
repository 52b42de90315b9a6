package booking

import (
	"testing"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/core/pg"
)

// FP12: the process dies at each step of a refund of one of two places. The next one
// ends it: refunded once, the books equal to the provider's, the place free once.
func TestDeathDuringARefund(t *testing.T) {
	quiet := fakepay.WebhookControl{Off: true}
	for _, step := range []struct {
		name string
		die  func(x *shop, o OrderView)
	}{
		{"before the request leaves", func(x *shop, o OrderView) {
			x.shut(x.db.DB) // no loops: as if it died right after the answer to the buyer
			x.mustReturn(o)
		}},
		{"during the request, before its effect", func(x *shop, o OrderView) {
			x.control(fakepay.Control{Webhooks: quiet, Faults: []fakepay.Fault{{Op: "refund", Kind: fakepay.FaultTimeoutBefore, Times: 1, Delay: "10s"}}})
			x.mustReturn(o)
			x.eventually(func() bool { return x.count(`SELECT count(*) FROM refund WHERE next_at > now()`) == 1 })
			x.close()
		}},
		{"after its effect, before the answer", func(x *shop, o OrderView) {
			x.control(fakepay.Control{Webhooks: quiet, Faults: []fakepay.Fault{{Op: "refund", Kind: fakepay.FaultTimeoutAfter, Times: 1, Delay: "10s"}}})
			x.mustReturn(o)
			x.settled("the refund", func(ps []fakepay.Payment) bool { return ps[0].Refunded == 2500 })
			x.close()
		}},
		{"with the answer in hand, before it is written", func(x *shop, o OrderView) {
			x.control(fakepay.Control{Webhooks: quiet})
			x.shut(x.db.DB)
			x.mustReturn(o)
			// The request as this process makes it, of which nothing is written down.
			c := claimed{orderKey{o.ID.Event, o.ID.ID}, x.refundID()}
			call, p, err := x.e.prepareRefund(x.t.Context(), c, nil)
			if err != nil {
				x.t.Fatal(err)
			}
			if _, err := x.e.request(x.t.Context(), p, claimed{c.order, call.a.ID}, call); err != nil {
				x.t.Fatal(err)
			}
		}},
	} {
		t.Run(step.name, func(t *testing.T) {
			t.Parallel()
			x := newShop(t, saleSpec{seats: 2})
			o := x.paid(1, seats(1, 2))
			step.die(x, o)
			if n := x.count(`SELECT count(*) FROM refund WHERE state = 'reserved'`); n != 1 {
				t.Fatalf("%d refunds are reserved: the row must be there whatever happens", n)
			}
			x.mustHold(2, seats(1)) // free from the moment it was reserved
			x.control(fakepay.Control{Webhooks: quiet})
			x.dueNow()
			x.open(x.db.Open(t, pg.Options{}))
			x.untilState(1, o, order.PartlyRefunded)
			x.books()
			if p := x.payments()[0]; p.Refunded != 2500 {
				t.Errorf("%d refunded", p.Refunded)
			}
		})
	}
}

func (x *shop) mustReturn(o OrderView) {
	x.t.Helper()
	if err := x.giveBack(1, o, 1); err != nil {
		x.t.Fatal(err)
	}
}

func (x *shop) refundID() (id uuid.UUID) {
	x.t.Helper()
	if err := x.db.Pool.QueryRow(x.t.Context(), `SELECT id FROM refund`).Scan(&id); err != nil {
		x.t.Fatal(err)
	}
	return id
}

// FP12: the provider says "already refunded", since somebody did it by hand. It is one
// refund; what was returned is not returned again.
func TestAlreadyRefunded(t *testing.T) {
	x := newShop(t, saleSpec{seats: 1})
	x.control(fakepay.Control{Webhooks: fakepay.WebhookControl{Off: true}})
	o := x.paid(1, seats(1))
	x.shut(x.db.DB)
	x.mustCancel(1, o)
	x.tell("/control/payments/"+x.payments()[0].ID+"/refund", map[string]any{})
	x.open(x.db.DB)
	x.untilState(1, o, order.Refunded)
	x.books()
	if p := x.payments()[0]; p.Refunded != 2500 {
		t.Errorf("%d refunded", p.Refunded)
	}
}

// A refund that is refused again and again, for want of balance at the provider, is
// tried on with a new key each time, and is somebody's work until it went through.
func TestAFailingRefundHasAnOwner(t *testing.T) {
	x := newShop(t, saleSpec{seats: 1})
	o := x.paid(1, seats(1))
	x.control(fakepay.Control{Faults: []fakepay.Fault{{Op: "refund", Kind: fakepay.FaultBalance}}})
	x.shut(x.db.DB)
	x.mustCancel(1, o)
	c := claimed{orderKey{o.ID.Event, o.ID.ID}, x.refundID()}
	for range refundAlarm {
		if err := x.e.refund(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	list, err := x.e.Breaks(t.Context(), false)
	if err != nil || len(list) != 1 || list[0].Class != BreakRefundFailing || list[0].Owner != "finance" || *list[0].Here != 2500 {
		t.Fatalf("%+v %v", list, err)
	}
	if v := x.view(1, o); v.State != order.Captured || v.Tickets[0].State != "revoked" {
		t.Errorf("meanwhile: %s, ticket %s", v.State, v.Tickets[0].State)
	}
	x.control(fakepay.Control{})
	x.dueNow()
	x.open(x.db.DB)
	x.untilState(1, o, order.Refunded)
	x.books()
	if list, err = x.e.Breaks(t.Context(), true); err != nil || list[0].State != "cured" {
		t.Errorf("afterwards: %+v %v", list, err)
	}
}

// AB29: of what must only be added to, the application's role can change nothing.
func TestTheRecordsAreAppendOnly(t *testing.T) {
	x := newShop(t, saleSpec{seats: 1})
	for table, column := range map[string]string{"journal": "kind", "posting": "amount", "ledger_seal": "n", "settlement": "amount",
		"payment_switch": "reason", "refund_approval": "approver"} {
		for _, sql := range []string{"UPDATE " + table + " SET " + column + " = " + column, "DELETE FROM " + table, "TRUNCATE " + table,
			"ALTER TABLE " + table + " DISABLE TRIGGER ALL", "DROP TABLE " + table} {
			if _, err := x.db.Pool.Exec(t.Context(), sql); pg.Code(err) != "42501" {
				t.Errorf("%s: %v, want permission denied", sql, err)
			}
		}
	}
	var role string
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT current_user`).Scan(&role); err != nil || role != "ropeline_app" {
		t.Errorf("the test runs as %s (%v), not as the application", role, err)
	}
}
