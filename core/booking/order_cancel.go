package booking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/problem"
)

// Why an order was cancelled or refunded.
const (
	reasonBuyer    = "cancelled_by_buyer"
	reasonReleased = "hold_released"
	reasonReturned = "places_returned"
	reasonStaff    = "refunded_by_staff"
	reasonEvent    = "event_cancelled"
)

// CancelRequest cancels an order.
type CancelRequest struct {
	Order Ref
}

// ErrNothingToCancel: the order is over already.
var ErrNothingToCancel = problem.New(http.StatusConflict, "nothing_to_cancel", "This order is over already.")

// CancelOrder gives back whatever the order has: the places of one that waits, the
// sale of a confirmed one, the money of a captured one, less the fee of the event's
// policy. The answer is the order; its money is sent afterwards.
func (e *Engine) CancelOrder(ctx context.Context, cmd Command, req CancelRequest) (Answer, error) {
	cmd, err := e.at(ctx, cmd, req.Order)
	if err != nil {
		return Answer{}, err
	}
	k := orderKey{req.Order.Event, req.Order.ID}
	answer, err := e.once(ctx, cmd, []string{req.Order.String()}, func(ctx context.Context, tx pgx.Tx, ev *hold.Event) (int, any, error) {
		d, err := openOwn(ctx, tx, ev, k, cmd.AccountID)
		if err != nil {
			return 0, nil, err
		}
		if err := d.cancelByBuyer(ctx, tx); err != nil {
			return 0, nil, err
		}
		if err := e.write(ctx, tx, d); err != nil {
			return 0, nil, err
		}
		view, err := e.orderView(ctx, tx, k, cmd.AccountID, d.now)
		return http.StatusOK, view, err
	})
	if err == nil {
		e.kick(&e.kicks.payments)
		e.kick(&e.kicks.refunds)
	}
	return answer, err
}

// ordersOfEndedHolds cancels the waiting orders of holds that were just released
// or replaced. The caller holds the locks of the places and has given them back.
func (e *Engine) ordersOfEndedHolds(ctx context.Context, tx pgx.Tx, ended []endedHold, now time.Time) error {
	for _, h := range ended {
		k := orderKey{event: h.EventID}
		err := tx.QueryRow(ctx, sqlOrderOfHold, h.EventID, h.HoldID).Scan(&k.id)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return fmt.Errorf("find the hold's order: %w", err)
		}
		d := &dossier{ev: &hold.Event{ID: h.EventID}, now: now, places: noPlaces{}}
		if err := d.read(ctx, tx, k); err != nil {
			return err
		}
		if !d.order.State.Waiting() {
			continue
		}
		if _, err := d.happen(order.Cancel, nil, false); err != nil {
			return err
		}
		d.order.Reason = reasonReleased
		if err := e.write(ctx, tx, d); err != nil {
			return err
		}
	}
	return nil
}

// expireOrder writes down that an order waits for a payment its hold has no time
// left for.
func (e *Engine) expireOrder(ctx context.Context, k orderKey) error {
	return e.inDossier(ctx, k, func(d *dossier) error { return d.endIfHoldIsOver() })
}

// inDossierAlone opens an order in a transaction of its own, lets decide change it, and
// writes what changed. A webhook is marked as read with it: read twice would be
// harmless, lost would not.
func (e *Engine) inDossierAlone(ctx context.Context, k orderKey, decide func(d *dossier) error, l *letter) error {
	var notes []note
	err := e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) error {
		ev, err := hold.LockEvent(ctx, tx, k.event)
		if err != nil {
			return err
		}
		d, err := openDossier(ctx, tx, ev, k)
		if err != nil {
			return err
		}
		if err := decide(d); err != nil {
			return err
		}
		notes = d.notes
		if err := e.write(ctx, tx, d); err != nil || l == nil {
			return err
		}
		_, err = tx.Exec(ctx, sqlWebhookDone, l.provider, l.id)
		return err
	})
	if err == nil {
		e.logNotes(k, notes)
	}
	return err
}

// logNotes is the audit log of decisions: one line each, after the commit.
func (e *Engine) logNotes(k orderKey, notes []note) {
	for _, n := range notes {
		if n.what == noteConfirmed {
			e.confirmed.Add(1)
			continue // late_success says so already
		}
		e.log.Info("money decided", "what", n.what, "order", k.ref(), "payment", Ref{k.event, n.attempt})
	}
}

// orderSweepBatch bounds one step of the order sweep.
const orderSweepBatch = 100

// sweepOrders expires waiting orders whose hold is over. Nothing depends on it: it
// keeps the rows in line with what every reader sees anyway.
func (e *Engine) sweepOrders(ctx context.Context) (again bool, err error) {
	rows, err := e.db.Pool.Query(ctx, sqlOverdueOrders, orderSweepBatch)
	if err != nil {
		return false, fmt.Errorf("find overdue orders: %w", err)
	}
	keys, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (k orderKey, err error) { return k, r.Scan(&k.event, &k.id) })
	if err != nil {
		return false, fmt.Errorf("find overdue orders: %w", err)
	}
	for _, k := range keys {
		if err := e.expireOrder(ctx, k); err != nil && !errors.Is(err, problem.Busy) {
			return false, err
		}
	}
	return len(keys) == orderSweepBatch, nil
}
