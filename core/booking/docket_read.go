package booking

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
)

// Statements that read for many orders at once.
const (
	sqlDocketOrders = `
SELECT k.n, o.hold_id, o.account_id
  FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k(event_id, id, n)
  JOIN orders o ON o.event_id = k.event_id AND o.id = k.id`

	sqlDocketHolds = `
SELECT k.n, h.account_id
  FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k(event_id, id, n)
  JOIN hold h ON h.event_id = k.event_id AND h.id = k.id`

	sqlDocketKeys = `
SELECT k.n FROM unnest($2::bigint[], $3::bigint[], $4::uuid[]) WITH ORDINALITY AS k(event_id, account_id, id, n)
  JOIN idempotency i ON i.slot = ANY($1::smallint[]) AND i.event_id = k.event_id AND i.account_id = k.account_id AND i.id = k.id`

	sqlDocketLock = `
SELECT o.event_id, o.id, o.account_id, o.hold_id, o.state, o.reason, o.disputed, o.amount, o.currency, o.fee, o.current_attempt, o.attempts,
       o.version, o.created_at
  FROM unnest($1::bigint[], $2::uuid[]) AS k(event_id, id) JOIN orders o ON o.event_id = k.event_id AND o.id = k.id
 ORDER BY o.event_id, o.id FOR NO KEY UPDATE OF o`

	sqlDocketAttempts = `
SELECT t.event_id, t.order_id, ` + attemptColumns + `
  FROM unnest($1::bigint[], $2::uuid[]) AS k(k_event, k_order) JOIN attempt t ON t.event_id = k.k_event AND t.order_id = k.k_order
 ORDER BY t.event_id, t.order_id, t.created_at, t.id FOR NO KEY UPDATE OF t`

	sqlDocketRefunds = `
SELECT r.event_id, r.order_id, r.id, r.attempt_id, r.amount, r.state = 'done', r.reason, r.sent_at, r.kept, r.refusals
  FROM unnest($1::bigint[], $2::uuid[]) AS k(k_event, k_order) JOIN refund r ON r.event_id = k.k_event AND r.order_id = k.k_order
 ORDER BY r.event_id, r.order_id, r.created_at, r.id`

	sqlDocketPlaced = `
SELECT o.event_id, o.hold_id, o.account_id
  FROM unnest($1::bigint[], $2::uuid[]) AS k(event_id, hold_id) JOIN orders o ON o.event_id = k.event_id AND o.hold_id = k.hold_id`

	sqlOccasions = `SELECT e.id, ` + occasionColumns + ` FROM event e` + occasionJoin + ` WHERE e.id = ANY($1::bigint[])`
)

// find learns which holds the matters are about.
func (b *docketBatch) find(ctx context.Context, tx pgx.Tx) error {
	var orders, places []*matter
	var oe, pe []int64
	var oi, pi []uuid.UUID
	for _, m := range b.matters {
		if m.place != uuid.Nil {
			places, pe, pi = append(places, m), append(pe, m.order.event), append(pi, m.place)
			continue
		}
		orders, oe, oi = append(orders, m), append(oe, m.order.event), append(oi, m.order.id)
	}
	var q pgx.Batch
	var n int
	var h holdRef
	each := func(sql string, args, dest []any, fn func()) {
		q.Queue(sql, args...).Query(func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, dest, func() error { fn(); return nil })
			return err
		})
	}
	if len(orders) > 0 {
		each(sqlDocketOrders, []any{oe, oi}, []any{&n, &h.id, &h.account}, func() {
			m := orders[n-1]
			b.holds[m] = holdRef{m.order.event, h.id, h.account}
		})
	}
	if len(places) > 0 {
		each(sqlDocketHolds, []any{pe, pi}, []any{&n, &h.account}, func() {
			if m := places[n-1]; h.account == m.command.key.account {
				b.holds[m] = holdRef{m.order.event, m.place, h.account}
			}
		})
	}
	if err := tx.SendBatch(ctx, &q).Close(); err != nil {
		return fmt.Errorf("find orders: %w", err)
	}
	for _, m := range b.matters {
		if _, found := b.holds[m]; !found {
			m.alone = true // not there: what is to be said is said by the way alone
		}
	}
	return nil
}

// open locks and reads the orders, whose holds are locked, and sends away whose key is
// known: the lock of its account is held, so nobody is about to write one.
func (b *docketBatch) open(ctx context.Context, tx pgx.Tx) error {
	var commands []*matter
	var keys keyArrays
	var oe, pe, events []int64
	var oi, pi []uuid.UUID
	seen := map[orderKey]bool{}
	views := map[int64]bool{}
	for _, m := range b.matters {
		h, here := b.holds[m]
		switch {
		case !here:
			continue
		case m.place != uuid.Nil:
			pe, pi = append(pe, h.event), append(pi, h.id)
		case !seen[m.order]:
			seen[m.order] = true
			oe, oi = append(oe, m.order.event), append(oi, m.order.id)
		}
		if c := m.command; c != nil {
			commands = append(commands, m)
			keys.add(c.key.row(), c.print)
			if !views[h.event] {
				views[h.event] = true
				events = append(events, h.event)
			}
		}
	}
	var q pgx.Batch
	each := func(sql string, args []any, fn func(pgx.CollectableRow) error) {
		q.Queue(sql, args...).Query(func(rows pgx.Rows) error {
			defer rows.Close()
			for rows.Next() {
				if err := fn(rows); err != nil {
					return err
				}
			}
			return rows.Err()
		})
	}
	if len(commands) > 0 {
		each(sqlDocketKeys, []any{slotsAt(b.world.Now), keys.events, keys.accounts, keys.ids}, func(row pgx.CollectableRow) error {
			var n int
			if err := row.Scan(&n); err != nil {
				return err
			}
			delete(b.holds, commands[n-1])
			commands[n-1].alone = true
			return nil
		})
	}
	if len(oe) > 0 {
		each(sqlDocketLock, []any{oe, oi}, b.readOrder)
		each(sqlDocketAttempts, []any{oe, oi}, b.readAttempt)
		each(sqlDocketRefunds, []any{oe, oi}, b.readRefund)
	}
	if len(pe) > 0 {
		each(sqlDocketPlaced, []any{pe, pi}, func(row pgx.CollectableRow) error {
			var h holdRef
			if err := row.Scan(&h.event, &h.id, &h.account); err != nil {
				return err
			}
			b.placed[h] = true
			return nil
		})
	}
	if len(events) > 0 {
		each(sqlOccasions, []any{events}, func(row pgx.CollectableRow) error {
			var id int64
			var of occasionRow
			if err := row.Scan(append([]any{&id}, of.dest()...)...); err != nil {
				return err
			}
			b.of[id] = of.occasion()
			return nil
		})
	}
	if q.Len() == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &q).Close(); err != nil {
		return fmt.Errorf("open orders: %w", err)
	}
	for _, d := range b.list {
		if err := d.readDisputes(ctx, tx); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(b.matters, func(m *matter) bool { return m.pays }) {
		if b.off = paymentsOn(ctx, tx, b.e.provider().Name()); b.off != nil && !refusal(b.off) {
			return b.off
		}
	}
	return nil
}

func (b *docketBatch) readOrder(row pgx.CollectableRow) error {
	d := &dossier{now: b.world.Now}
	o := &d.order
	var event int64
	var current *uuid.UUID
	if err := row.Scan(&event, &o.ID, &o.AccountID, &o.HoldID, &o.State, &o.Reason, &o.Disputed, &o.Amount, &o.Currency, &o.Fee, &current,
		&o.Attempts, &o.Version, &o.CreatedAt); err != nil {
		return err
	}
	if current != nil {
		o.Current = *current
	}
	d.ev = b.events[event]
	d.places = &heldPlaces{b.world, b.world.Hold(event, o.HoldID)}
	b.dossiers[orderKey{event, o.ID}] = d
	b.list = append(b.list, d)
	return nil
}

// prefixed scans two columns before those of a row that is scanned elsewhere.
type prefixed struct {
	pgx.CollectableRow
	first []any
}

func (p prefixed) Scan(dest ...any) error { return p.CollectableRow.Scan(append(p.first, dest...)...) }

func (b *docketBatch) readAttempt(row pgx.CollectableRow) error {
	var k orderKey
	a, err := scanAttempt(prefixed{row, []any{&k.event, &k.id}})
	if d := b.dossiers[k]; err == nil && d != nil {
		d.attempts = append(d.attempts, a)
	}
	return err
}

func (b *docketBatch) readRefund(row pgx.CollectableRow) error {
	var k orderKey
	r, err := scanRefund(prefixed{row, []any{&k.event, &k.id}})
	if d := b.dossiers[k]; err == nil && d != nil {
		d.refunds = append(d.refunds, r)
	}
	return err
}

// view is the order as its owner sees it, from what the transaction has in memory; it is
// that of orderView, which reads it.
func (b *docketBatch) view(d *dossier) OrderView {
	o, p := &d.order, d.places.(*heldPlaces)
	k := orderKey{d.ev.ID, o.ID}
	v := OrderView{ID: k.ref(), Number: OrderNumber(k.id), ServerTime: Stamp(d.now), Tickets: []TicketView{}, Occasion: b.of[k.event],
		Hold: o.HoldID, State: o.State, Reason: o.Reason, Disputed: o.Disputed, Amount: o.Amount, Currency: o.Currency,
		ExpiresAt: Stamp(p.h.HeldUntil), AttemptsLeft: max(0, MaxAttempts-int(o.Attempts))}
	if a := d.attempt(o.Current); a != nil {
		v.Payment = viewPayment(Ref{k.event, a.ID}, a)
		v.PaymentUnknown = v.State == order.Verifying && v.Payment.Phase == payment.StateUnknown
	}
	if p := b.e.provider(); p != nil && v.State == order.Pending && v.AttemptsLeft > 0 {
		v.CardForm = p.CardForm(k.ref().String(), v.Amount, v.Currency)
	}
	for _, l := range p.h.Lines {
		line := viewLine(l, p.w.Label(k.event, l))
		line.Fare = p.w.Fare(k.event, l)
		v.Lines = append(v.Lines, line)
	}
	return v
}
