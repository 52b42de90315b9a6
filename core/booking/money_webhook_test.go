package booking

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// resend lets the provider send a notice by hand and gives the shop's statuses.
func (x *shop) resend(r fakepay.Resend) []int {
	x.t.Helper()
	var out struct{ Statuses []int }
	if err := json.Unmarshal(x.tell("/control/webhooks", r), &out); err != nil {
		x.t.Fatal(err)
	}
	return out.Statuses
}

// effects counts everything a notice could have caused once too often.
func (x *shop) effects() [4]int64 {
	return [4]int64{
		x.count(`SELECT count(*) FROM journal`), x.count(`SELECT count(*) FROM ticket`),
		x.count(`SELECT count(*) FROM outbox`), x.count(`SELECT count(*) FROM refund`),
	}
}

func (x *shop) inboxRead() {
	x.t.Helper()
	if !x.eventually(func() bool { return x.count(`SELECT count(*) FROM webhook_inbox WHERE state = 'new'`) == 0 }) {
		x.t.Fatal("the inbox was not read")
	}
}

// TestOneNoticeManyTimes (B23, FP4, AB22): ten copies in parallel, later again.
func TestOneNoticeManyTimes(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 2})
	x.control(fakepay.Control{
		Webhooks: fakepay.WebhookControl{Duplicate: 9},
		Faults:   []fakepay.Fault{{Op: "authorize", Kind: fakepay.FaultDrop, Times: 1}},
	})
	o := x.mustOrder(1, seats(1, 2))
	x.mustPay(1, o, fakepay.TokenOK)
	x.untilState(1, o, order.Captured)
	x.books()
	want := x.effects()
	id := x.payments()[0].ID
	for _, s := range x.resend(fakepay.Resend{Payment: id, Event: "evt_again", Times: 10}) {
		if s != http.StatusOK {
			t.Errorf("a copy was answered %d", s)
		}
	}
	x.inboxRead()
	if n := x.count(`SELECT count(*) FROM webhook_inbox WHERE id = 'evt_again'`); n != 1 {
		t.Errorf("%d rows for one notice", n)
	}
	if got := x.effects(); got != want {
		t.Errorf("journals, tickets, outbox, refunds %v, want %v", got, want)
	}
}

// TestReorderedNotices (FP5): each notice overtakes the one before, and answers are
// lost, so that notices are all there is.
func TestReorderedNotices(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 6})
	x.control(fakepay.Control{Webhooks: fakepay.WebhookControl{Reorder: true}})
	var orders []OrderView
	for i := int64(1); i <= 6; i++ {
		o := x.mustOrder(i, seats(int32(i)))
		x.mustPay(i, o, fakepay.TokenLost)
		orders = append(orders, o)
	}
	for i, o := range orders {
		x.untilState(int64(i+1), o, order.Captured)
	}
	x.books()
}

// TestLateSuccessByNotice (B21): the notice finds an order whose hold is over and
// whose places are free; it confirms, and the same notice again does nothing.
func TestLateSuccessByNotice(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 2})
	x.policy("retake", "never")
	x.control(fakepay.Control{
		Webhooks: fakepay.WebhookControl{Delay: "500ms"},
		Faults:   []fakepay.Fault{{Op: "authorize", Kind: fakepay.FaultDrop, Times: 1}, {Op: "lookup", Kind: fakepay.Fault500}},
	})
	o := x.mustOrder(1, seats(1, 2))
	x.mustPay(1, o, fakepay.TokenOK)
	x.settled("the payment", func(ps []fakepay.Payment) bool { return len(ps) == 1 })
	x.age(o.Hold, time.Hour)
	x.untilState(1, o, order.Captured)
	x.books()
	want := x.effects()
	if s := x.resend(fakepay.Resend{Payment: x.payments()[0].ID}); s[0] != http.StatusOK {
		t.Fatalf("answered %v", s)
	}
	x.inboxRead()
	if got := x.effects(); got != want {
		t.Errorf("journals, tickets, outbox, refunds %v, want %v", got, want)
	}
}

// TestSignaturesAtTheDoor (B29, AB21, AB24).
func TestSignaturesAtTheDoor(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1})
	// The provider's own notice of the decline may come while rows are counted: only those
	// sent by hand come.
	x.control(fakepay.Control{Webhooks: fakepay.WebhookControl{Off: true}})
	o := x.mustOrder(1, seats(1))
	x.mustPay(1, o, fakepay.TokenDeclined)
	x.untilState(1, o, order.Pending)
	id := x.payments()[0].ID
	for _, tc := range []struct {
		r    fakepay.Resend
		want int
		rows int64
	}{
		{fakepay.Resend{Payment: id}, 200, 1},
		{fakepay.Resend{Payment: id, Offset: -295}, 200, 1},
		{fakepay.Resend{Payment: id, Offset: 295}, 200, 1},
		{fakepay.Resend{Payment: id, Offset: -305}, 400, 0},
		{fakepay.Resend{Payment: id, Offset: 305}, 400, 0},
		{fakepay.Resend{Payment: id, Forge: true}, 400, 0},
	} {
		before := x.count(`SELECT count(*) FROM webhook_inbox`)
		if got := x.resend(tc.r); got[0] != tc.want {
			t.Errorf("%+v: %d, want %d", tc.r, got[0], tc.want)
		}
		if stored := x.count(`SELECT count(*) FROM webhook_inbox`) - before; stored != tc.rows {
			t.Errorf("%+v: %d rows stored, want %d", tc.r, stored, tc.rows)
		}
	}
	big := bytes.Repeat([]byte("x"), 2<<20)
	h := http.Header{fakepay.SignatureHeader: {fakepay.Sign(webhookSecret, time.Now(), big)}}
	wantCode(t, x.e.ReceiveWebhook(t.Context(), "fakepay", h, big), "too_large")
	wantCode(t, x.e.ReceiveWebhook(t.Context(), "nobody", h, nil), "not_found")
	old := []byte(`{"id":"evt_old"}`)
	h.Set(fakepay.SignatureHeader, fakepay.Sign("the one before", time.Now(), old))
	if err := x.e.ReceiveWebhook(t.Context(), "fakepay", h, old); err != nil {
		t.Errorf("the secret before: %v", err)
	}
	pool := x.db.Open(t, x.spec.pool)
	e, err := New(x.spec.config, pool, x.till())
	if err != nil {
		t.Fatal(err)
	}
	pool.Close() // nothing can be stored, so nothing may be accepted (B30)
	if err := e.ReceiveWebhook(t.Context(), "fakepay", h, old); err == nil {
		t.Error("accepted without a row")
	}
}

// TestStrangeNotices (FP8, FP9): one about nothing we know is kept and asked again,
// one that cannot be read is put aside, and the good ones flow.
func TestStrangeNotices(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1})
	for _, raw := range []string{
		`{"id":"evt_unknown","type":"payment.captured","payment":{"id":"pay_x","reference":"1-7f2c1a54-0000-4000-8000-000000000000","authorized":5,"captured":5}}`,
		`{"id":"evt_foreign","type":"payment.captured","payment":{"id":"pay_y","reference":"somebody else's","authorized":5}}`,
		`{"id":"evt_poison","payment":{"id":"pay_z","reference":"1-x","authorized":-1}}`,
		`not even JSON`,
	} {
		if got := x.resend(fakepay.Resend{Raw: raw}); got[0] != http.StatusOK {
			t.Errorf("%s: %d, must be stored", raw, got[0])
		}
	}
	o := x.mustOrder(1, seats(1))
	x.mustPay(1, o, fakepay.TokenLost)
	x.untilState(1, o, order.Captured)
	is := func(state string) func() bool {
		return func() bool {
			x.db.Owner(t, `UPDATE webhook_inbox SET next_at = now() WHERE state = 'new' AND error <> ''`)
			return x.count(`SELECT count(*) FROM webhook_inbox WHERE state = $1`, state) == 2
		}
	}
	if !x.eventually(is("quarantined")) {
		t.Error("the unreadable ones were not put aside")
	}
	if n := x.count(`SELECT min(tries) FROM webhook_inbox WHERE state = 'quarantined'`); n != poisonTries {
		t.Errorf("put aside after %d tries", n)
	}
	if !x.eventually(is("unmatched")) {
		t.Error("the unknown ones were not kept")
	}
	x.books()
}

// TestResendIsHarmless: a stored notice is read again at an operator's wish, changes
// nothing twice, and is forgotten after 90 days.
func TestResendIsHarmless(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1})
	o := x.mustOrder(1, seats(1))
	x.mustPay(1, o, fakepay.TokenOK)
	x.untilState(1, o, order.Captured)
	x.books()
	x.inboxRead()
	want := x.effects()
	x.resend(fakepay.Resend{Payment: x.payments()[0].ID, Event: "evt_again"})
	x.inboxRead()
	if err := ResendWebhook(t.Context(), x.db.Pool, "fakepay", "evt_again"); err != nil {
		t.Fatal(err)
	}
	if !x.eventually(func() bool {
		return x.count(`SELECT count(*) FROM webhook_inbox WHERE id = 'evt_again' AND state = 'done' AND tries = 1`) == 1
	}) {
		t.Error("it was not read again")
	}
	if got := x.effects(); got != want {
		t.Errorf("journals, tickets, outbox, refunds %v, want %v", got, want)
	}
	wantCode(t, ResendWebhook(t.Context(), x.db.Pool, "fakepay", "evt_none"), "not_found")
	x.resend(fakepay.Resend{Raw: `{"id":"evt_foreign","payment":{"id":"pay_y","reference":"somebody else's","authorized":5}}`})
	x.eventually(func() bool {
		l, err := Webhooks(t.Context(), x.db.Pool)
		return err == nil && len(l) == 1 && l[0].ID == "evt_foreign"
	})
	x.db.Owner(t, `UPDATE webhook_inbox SET received_at = now() - CASE WHEN id = 'evt_foreign' THEN interval '91 days' ELSE interval '89 days' END`)
	kept := x.count(`SELECT count(*) FROM webhook_inbox`) - 1
	if _, err := x.e.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := x.count(`SELECT count(*) FROM webhook_inbox`); n != kept {
		t.Errorf("%d notices are kept, want %d", n, kept)
	}
}
