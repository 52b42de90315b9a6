package booking

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/outbox"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/problem"
)

// orderKey names an order.
type orderKey struct {
	event int64
	id    uuid.UUID
}

// openOwn is openDossier of an order that has to be the account's own: another's is
// answered as if there were none.
func openOwn(ctx context.Context, tx pgx.Tx, ev *hold.Event, k orderKey, account int64) (*dossier, error) {
	d, err := openDossier(ctx, tx, ev, k)
	if err != nil {
		return nil, err
	}
	if d.order.AccountID != account {
		return nil, problem.NotFound.Say("You have no such order.")
	}
	return d, nil
}

// openDossier reads an order under all its locks: event (already locked by the
// caller), then account, counters and seats of its hold, then order and attempts.
// Which hold it is, is read without a lock first: it never changes.
func openDossier(ctx context.Context, tx pgx.Tx, ev *hold.Event, k orderKey) (*dossier, error) {
	var holdID uuid.UUID
	err := tx.QueryRow(ctx, sqlOrderHold, k.event, k.id).Scan(&holdID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, problem.NotFound
	}
	if err != nil {
		return nil, fmt.Errorf("find the order's hold: %w", err)
	}
	w, h, err := hold.LockHold(ctx, tx, ev, holdID)
	if err != nil {
		return nil, err
	}
	d := &dossier{ev: ev, now: w.Now, places: &heldPlaces{w, h}}
	return d, d.read(ctx, tx, k)
}

// read locks and reads the order and its attempts.
func (d *dossier) read(ctx context.Context, tx pgx.Tx, k orderKey) error {
	o := &d.order
	var current *uuid.UUID
	err := tx.QueryRow(ctx, sqlLockOrder, k.event, k.id).Scan(&o.ID, &o.AccountID, &o.HoldID, &o.State, &o.Reason, &o.Disputed,
		&o.Amount, &o.Currency, &o.Fee, &current, &o.Attempts, &o.Version, &o.CreatedAt)
	if err != nil {
		return fmt.Errorf("lock order: %w", err)
	}
	if current != nil {
		o.Current = *current
	}
	if o.Attempts == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, sqlLockAttempts, k.event, k.id)
	if err != nil {
		return fmt.Errorf("lock attempts: %w", err)
	}
	if d.attempts, err = pgx.CollectRows(rows, scanAttempt); err != nil {
		return fmt.Errorf("lock attempts: %w", err)
	}
	if rows, err = tx.Query(ctx, sqlRefunds, k.event, k.id); err != nil {
		return fmt.Errorf("read refunds: %w", err)
	}
	d.refunds, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*refundRow, error) {
		return scanRefund(row)
	})
	if err != nil {
		return fmt.Errorf("read refunds: %w", err)
	}
	return d.readDisputes(ctx, tx)
}

func scanRefund(row pgx.CollectableRow) (*refundRow, error) {
	r := new(refundRow)
	return r, row.Scan(&r.ID, &r.Attempt, &r.Amount, &r.Done, &r.Reason, &r.SentAt, &r.Kept, &r.Refusals)
}

func scanAttempt(row pgx.CollectableRow) (*attemptRow, error) {
	a := new(attemptRow)
	var ref *string
	var asked *time.Time
	var quiet int64
	err := row.Scan(&a.ID, &a.Provider, &a.Phase, &a.Want, &a.CardToken, &ref, &a.Amount, &a.Currency,
		&a.Facts.Authorized, &a.Facts.Captured, &a.Facts.Refunded, &a.Facts.Declined, &a.Facts.Voided, &a.Facts.Dispute,
		&a.Reason, &a.SentAt, &a.Checks, &a.Silence.Times, &asked, &quiet, &a.WatchUntil)
	if ref != nil {
		a.PaymentRef = *ref
	}
	if asked != nil {
		a.Silence.Since = *asked
	}
	a.Silence.For = time.Duration(quiet) * time.Millisecond
	return a, err
}

// readDisputes finds the amount of an open dispute in its journal: it is what was
// in the provider's hands when it opened, not what is there now.
func (d *dossier) readDisputes(ctx context.Context, tx pgx.Tx) error {
	for _, a := range d.attempts {
		if a.Facts.Dispute == payment.NoDispute {
			continue
		}
		err := tx.QueryRow(ctx, sqlDisputed, d.ev.ID, name(a, "dispute", 1), string(ledger.Dispute(a.Provider))).Scan(&a.disputed)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("read dispute: %w", err)
		}
	}
	return nil
}

// write brings the tables up to the dossier: inventory, order, attempts, refunds,
// tickets, journals and outbox, in the transaction that read it. The event's
// version is the last lock.
func (e *Engine) write(ctx context.Context, tx pgx.Tx, d *dossier) error {
	held, _ := d.places.(*heldPlaces)
	var changes []hold.Changes
	if held != nil {
		var err error
		if changes, err = held.w.Write(ctx, tx); err != nil {
			return err
		}
	}
	if err := d.writeOrder(ctx, tx); err != nil {
		return err
	}
	if err := d.writeMoney(ctx, tx); err != nil {
		return err
	}
	if err := d.writeRest(ctx, tx); err != nil {
		return err
	}
	if _, err := ledger.PostAll(ctx, tx, d.journals); err != nil {
		return err
	}
	if d.issue {
		if err := issueTickets(ctx, tx, d, held.h); err != nil {
			return err
		}
	}
	if held == nil {
		return nil
	}
	_, err := publish(ctx, tx, changes)
	return err
}

func (d *dossier) writeOrder(ctx context.Context, tx pgx.Tx) error {
	if !d.orderChanged {
		return nil
	}
	o := &d.order
	o.Version++
	var current *uuid.UUID
	if o.Current != uuid.Nil {
		current = &o.Current
	}
	if _, err := tx.Exec(ctx, sqlWriteOrder, d.ev.ID, o.ID, o.State, o.Reason, o.Disputed, current, o.Attempts, o.Version, d.now); err != nil {
		return fmt.Errorf("write order: %w", err)
	}
	return outbox.Append(ctx, tx, d.outboxRow())
}

// outboxRow tells the others where the order is now. The payload is the whole
// state, so that a consumer needs no earlier row.
func (d *dossier) outboxRow() outbox.Row {
	o := &d.order
	kind := "order_" + string(o.State)
	return outbox.Row{
		Aggregate: fmt.Sprintf("order:%d:%s", d.ev.ID, o.ID), Seq: o.Version, Kind: kind,
		Payload: map[string]any{
			"event": d.ev.ID, "order": o.ID, "account": o.AccountID, "hold": o.HoldID, "state": o.State, "reason": o.Reason,
			"disputed": o.Disputed, "amount": o.Amount, "currency": o.Currency, "at": d.now,
		},
	}
}

// writeMoney writes the attempts.
func (d *dossier) writeMoney(ctx context.Context, tx pgx.Tx) error {
	for _, a := range d.attempts {
		if a.isNew {
			if _, err := tx.Exec(ctx, sqlInsertAttempt, d.ev.ID, a.ID, d.order.ID, a.Provider, a.CardToken, a.Amount, a.Currency, d.now); err != nil {
				return fmt.Errorf("insert attempt: %w", err)
			}
		}
		if !a.changed {
			continue
		}
		var ref *string
		if a.PaymentRef != "" {
			ref = &a.PaymentRef
		}
		f := a.Facts
		if _, err := tx.Exec(ctx, sqlWriteAttempt, d.ev.ID, a.ID, a.Phase, a.Want, ref, f.Authorized, f.Captured, f.Refunded,
			f.Declined, f.Voided, f.Dispute, a.Reason, a.SentAt, a.Checks, a.Silence.Times, a.askedAt(), a.Silence.For.Milliseconds(), a.WatchUntil, d.wakeAt(a)); err != nil {
			return fmt.Errorf("write attempt: %w", err)
		}
	}
	return nil
}

// writeRest writes what few orders have: refunds, tickets that are void, differences.
func (d *dossier) writeRest(ctx context.Context, tx pgx.Tx) error {
	for _, r := range d.refunds {
		var err error
		switch {
		case r.isNew:
			_, err = tx.Exec(ctx, sqlInsertRefund, d.ev.ID, r.ID, d.order.ID, r.Attempt, r.Amount, d.order.Currency, state(r), r.Reason, d.now,
				r.Kept, r.Lines, r.AskedBy, zeroIsNull(r.Request), r.FreeLimit)
		case r.changed:
			_, err = tx.Exec(ctx, sqlWriteRefund, d.ev.ID, r.ID, state(r), d.now, r.SentAt)
		}
		if err != nil {
			return fmt.Errorf("write refund: %w", err)
		}
	}
	if d.revoke {
		if _, err := tx.Exec(ctx, sqlRevokeTickets, d.ev.ID, d.order.ID, d.now, d.returning); err != nil {
			return fmt.Errorf("revoke tickets: %w", err)
		}
	}
	return d.writeBreaks(ctx, tx)
}

func zeroIsNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func (a *attemptRow) askedAt() *time.Time {
	if a.Silence.Since.IsZero() {
		return nil
	}
	return &a.Silence.Since
}

func state(r *refundRow) string {
	if r.Done {
		return "done"
	}
	return "reserved"
}

// wakeAt is when a loop should look at the attempt next. Commands that are now due
// are due at once; a question waits its turn.
func (d *dossier) wakeAt(a *attemptRow) time.Time {
	if a.wake > 0 {
		return d.now.Add(a.wake)
	}
	if a.WatchUntil != nil {
		return d.now.Add(payment.Jitter(payment.WatchEvery, rand.Float64()))
	}
	if payment.NextAction(a.Phase, a.Facts, a.Want, d.owed(a)) == payment.DoAsk {
		return d.now.Add(payment.AskDelay(int(a.Checks), rand.Float64()))
	}
	return d.now
}
