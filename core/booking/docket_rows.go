package booking

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/payment"
)

// Statements that write for many orders at once.
const (
	sqlDocketAddOrders = `
INSERT INTO orders (event_id, id, account_id, hold_id, state, amount, currency, fee, version, created_at, updated_at)
SELECT k.*, 1, $9, $9 FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::uuid[], $5::text[], $6::bigint[], $7::text[], $8::bigint[]) AS k`

	sqlDocketWriteOrders = `
UPDATE orders o SET state = k.state, reason = k.reason, disputed = k.disputed, current_attempt = k.current, attempts = k.attempts,
       version = k.version, updated_at = $9
  FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::boolean[], $6::uuid[], $7::smallint[], $8::bigint[])
       AS k(event_id, id, state, reason, disputed, current, attempts, version)
 WHERE o.event_id = k.event_id AND o.id = k.id`

	sqlDocketAddAttempts = `
INSERT INTO attempt (event_id, id, order_id, provider, phase, card_token, amount, currency, created_at, next_at)
SELECT k.event_id, k.id, k.order_id, k.provider, 'created', k.token, k.amount, k.currency, $9, k.next_at
  FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::timestamptz[])
       AS k(event_id, id, order_id, provider, token, amount, currency, next_at)`

	sqlDocketWriteAttempts = `
UPDATE attempt t SET phase = k.phase, want = k.want, payment_ref = k.ref, authorized = k.authorized, captured = k.captured,
       refunded = k.refunded, declined = k.declined, voided = k.voided, dispute = k.dispute, reason = k.reason, sent_at = k.sent_at,
       checks = k.checks, not_found = k.not_found, asked_at = k.asked_at, quiet_ms = k.quiet_ms, watch_until = k.watch_until, next_at = k.next_at
  FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::boolean[],
              $10::boolean[], $11::text[], $12::text[], $13::timestamptz[], $14::smallint[], $15::smallint[], $16::timestamptz[], $17::bigint[],
              $18::timestamptz[], $19::timestamptz[])
       AS k(event_id, id, phase, want, ref, authorized, captured, refunded, declined, voided, dispute, reason, sent_at, checks, not_found,
            asked_at, quiet_ms, watch_until, next_at)
 WHERE t.event_id = k.event_id AND t.id = k.id`

	sqlDocketTickets = `
INSERT INTO ticket (event_id, id, order_id, line, unit, seat_id, counter_id, hold_version, account_id, issued_at)
SELECT t.event_id, t.id, t.order_id, t.line, t.unit, nullif(t.seat, 0), nullif(t.counter, 0), t.version, t.account_id, $10
  FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::smallint[], $5::smallint[], $6::int[], $7::bigint[], $8::int[], $9::bigint[])
       AS t(event_id, id, order_id, line, unit, seat, counter, version, account_id)`

	sqlDocketLetters = `
UPDATE webhook_inbox w SET state = 'done', tries = w.tries + 1, error = ''
  FROM unnest($1::text[], $2::text[]) AS k(provider, id) WHERE w.provider = k.provider AND w.id = k.id`

	sqlKeepAnswers = `
INSERT INTO idempotency (slot, event_id, account_id, id, body_hash, status, body)
SELECT $1, k.* FROM unnest($2::bigint[], $3::bigint[], $4::uuid[], $5::bytea[], $6::smallint[], $7::bytea[])
       AS k(event_id, account_id, id, print, status, body)
 ORDER BY 2, 3, 4 ON CONFLICT DO NOTHING`
)

// docketRows are the rows of a batch as columns.
type docketRows struct {
	now time.Time

	newOrders struct {
		events, accounts, amounts, fees []int64
		ids, holds                      []uuid.UUID
		states, currencies              []string
	}
	orders struct {
		events, versions []int64
		ids              []uuid.UUID
		states, reasons  []string
		disputed         []bool
		current          []*uuid.UUID
		attempts         []int16
	}
	newAttempts struct {
		events, amounts               []int64
		ids, orders                   []uuid.UUID
		providers, tokens, currencies []string
		next                          []time.Time
	}
	attempts struct {
		events, authorized, captured, refunded, quiet []int64
		ids                                           []uuid.UUID
		phases, wants, disputes, reasons              []string
		refs                                          []*string
		declined, voided                              []bool
		sent, asked, watch                            []*time.Time
		checks, notFound                              []int16
		next                                          []time.Time
	}
	tickets struct {
		events, counters, accounts []int64
		ids, orders                []uuid.UUID
		lines, units               []int16
		seats, versions            []int32
	}
	letters struct{ providers, ids []string }
}

func newDocketRows(now time.Time) *docketRows { return &docketRows{now: now} }

// add takes what changed of an order; told: others hear of it.
func (r *docketRows) add(d *dossier) (told bool) {
	o, ev := &d.order, d.ev.ID
	switch {
	case d.isNew:
		n := &r.newOrders
		n.events, n.ids, n.accounts, n.holds = append(n.events, ev), append(n.ids, o.ID), append(n.accounts, o.AccountID), append(n.holds, o.HoldID)
		n.states, n.amounts = append(n.states, string(o.State)), append(n.amounts, o.Amount)
		n.currencies, n.fees = append(n.currencies, o.Currency), append(n.fees, o.Fee)
		told = true
	case d.orderChanged:
		o.Version++
		w := &r.orders
		w.events, w.ids, w.states, w.reasons = append(w.events, ev), append(w.ids, o.ID), append(w.states, string(o.State)), append(w.reasons, o.Reason)
		w.disputed, w.current = append(w.disputed, o.Disputed), append(w.current, zeroIsNull(o.Current))
		w.attempts, w.versions = append(w.attempts, o.Attempts), append(w.versions, o.Version)
		told = true
	}
	for _, a := range d.attempts {
		if a.isNew {
			n := &r.newAttempts
			n.events, n.ids, n.orders = append(n.events, ev), append(n.ids, a.ID), append(n.orders, o.ID)
			n.providers, n.tokens = append(n.providers, a.Provider), append(n.tokens, a.CardToken)
			n.amounts, n.currencies, n.next = append(n.amounts, a.Amount), append(n.currencies, a.Currency), append(n.next, d.wakeAt(a))
		}
		if a.changed {
			r.attempt(d, a)
		}
	}
	if d.issue {
		r.issue(d)
	}
	return told
}

func (r *docketRows) attempt(d *dossier, a *attemptRow) {
	w, f := &r.attempts, a.Facts
	w.events, w.ids = append(w.events, d.ev.ID), append(w.ids, a.ID)
	w.phases, w.wants, w.refs = append(w.phases, string(a.Phase)), append(w.wants, string(a.Want)), append(w.refs, zeroIsNull(a.PaymentRef))
	w.authorized, w.captured, w.refunded = append(w.authorized, f.Authorized), append(w.captured, f.Captured), append(w.refunded, f.Refunded)
	w.declined, w.voided, w.disputes = append(w.declined, f.Declined), append(w.voided, f.Voided), append(w.disputes, string(f.Dispute))
	w.reasons, w.sent, w.checks = append(w.reasons, a.Reason), append(w.sent, a.SentAt), append(w.checks, a.Checks)
	w.notFound, w.asked = append(w.notFound, int16(a.Silence.Times)), append(w.asked, a.askedAt())
	w.quiet, w.watch, w.next = append(w.quiet, a.Silence.For.Milliseconds()), append(w.watch, a.WatchUntil), append(w.next, d.wakeAt(a))
}

// issue writes one ticket a place. The unique index over live tickets of a seat is the
// last line of defence, as in the way alone.
func (r *docketRows) issue(d *dossier) {
	t := &r.tickets
	for _, l := range d.places.(*heldPlaces).h.Lines {
		if l.State != hold.LineSold {
			continue
		}
		for unit := range l.Qty {
			t.events, t.ids, t.orders = append(t.events, d.ev.ID), append(t.ids, uuid.New()), append(t.orders, d.order.ID)
			t.lines, t.units, t.seats = append(t.lines, l.N), append(t.units, int16(unit+1)), append(t.seats, l.Seat)
			t.counters, t.versions, t.accounts = append(t.counters, l.Counter), append(t.versions, l.Version), append(t.accounts, d.order.AccountID)
		}
	}
}

func (r *docketRows) letter(l *letter) {
	r.letters.providers, r.letters.ids = append(r.letters.providers, l.provider), append(r.letters.ids, l.id)
}

// send writes them in one round trip.
func (r *docketRows) send(ctx context.Context, tx pgx.Tx) error {
	var q pgx.Batch
	if n := &r.newOrders; len(n.ids) > 0 {
		q.Queue(sqlDocketAddOrders, n.events, n.ids, n.accounts, n.holds, n.states, n.amounts, n.currencies, n.fees, r.now)
	}
	if w := &r.orders; len(w.ids) > 0 {
		q.Queue(sqlDocketWriteOrders, w.events, w.ids, w.states, w.reasons, w.disputed, w.current, w.attempts, w.versions, r.now)
	}
	if n := &r.newAttempts; len(n.ids) > 0 {
		q.Queue(sqlDocketAddAttempts, n.events, n.ids, n.orders, n.providers, n.tokens, n.amounts, n.currencies, n.next, r.now)
	}
	if w := &r.attempts; len(w.ids) > 0 {
		q.Queue(sqlDocketWriteAttempts, w.events, w.ids, w.phases, w.wants, w.refs, w.authorized, w.captured, w.refunded, w.declined, w.voided,
			w.disputes, w.reasons, w.sent, w.checks, w.notFound, w.asked, w.quiet, w.watch, w.next)
	}
	if t := &r.tickets; len(t.ids) > 0 {
		q.Queue(sqlDocketTickets, t.events, t.ids, t.orders, t.lines, t.units, t.seats, t.counters, t.versions, t.accounts, r.now)
	}
	if len(r.letters.ids) > 0 {
		q.Queue(sqlDocketLetters, r.letters.providers, r.letters.ids)
	}
	if q.Len() == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &q).Close(); err != nil {
		return fmt.Errorf("write orders: %w", err)
	}
	return nil
}

// docketStatements are for the test that prepares them.
var docketStatements = map[string]string{
	"docket orders": sqlDocketOrders, "docket holds": sqlDocketHolds, "keys there": sqlDocketKeys, "docket lock": sqlDocketLock,
	"docket attempts": sqlDocketAttempts, "docket refunds": sqlDocketRefunds, "docket placed": sqlDocketPlaced, "occasions": sqlOccasions,
	"docket add orders": sqlDocketAddOrders, "docket write orders": sqlDocketWriteOrders, "docket add attempts": sqlDocketAddAttempts,
	"docket write attempts": sqlDocketWriteAttempts, "docket tickets": sqlDocketTickets, "docket letters": sqlDocketLetters, "keep answers": sqlKeepAnswers,
}

func viewPayment(r Ref, a *attemptRow) *PaymentView {
	v := &PaymentView{ID: r, Phase: payment.StateOf(a.Phase, a.Facts, a.Want), Provider: a.Provider, Reason: a.Reason}
	if a.Want == payment.Keep {
		v.Reason = "" // why money was kept is for the audit log; nothing is wrong
	}
	return v
}
