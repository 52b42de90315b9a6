package booking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

const (
	cancellationPoll  = time.Second
	cancellationBatch = 100 // orders of one step
)

// What a cancellation can be refused for.
var (
	ErrCancellationChanged = problem.New(http.StatusConflict, "cancellation_changed",
		"The amount that would go back is not the one you confirmed. Nothing was changed; look at it again.")
	ErrNoCancellation = problem.New(http.StatusNotFound, "no_cancellation", "This event was not cancelled.")
)

// Cancellation is what cancelling an event means, or where it is.
type Cancellation struct {
	Event      string `json:"event"`
	State      string `json:"state"` // dry_run, running, done
	By         string `json:"requested_by"`
	Why        string `json:"why"`
	StartedAt  *Stamp `json:"started_at"`
	FinishedAt *Stamp `json:"finished_at"`
	Currency   string `json:"currency"`

	Orders        int   `json:"orders"`            // to be ended when it began
	Amount        int64 `json:"amount"`            // to go back when it began
	OrdersLeft    int   `json:"orders_left"`       // not ended yet
	AmountLeft    int64 `json:"amount_left"`       // of these
	Cancelled     int   `json:"cancelled"`         // ended without money, or with money that was only reserved on a card
	Reserved      int   `json:"refunds_under_way"` // sent, or waiting to be
	ReservedSum   int64 `json:"amount_under_way"`
	Refunded      int   `json:"refunded"`
	RefundedSum   int64 `json:"amount_refunded"`
	Failing       int   `json:"refunds_failing"` // of those under way: each is a break with an owner
	Disputed      int   `json:"disputed"`        // wait for the bank
	PaymentsAsked int   `json:"payments_open"`   // unknown, or on their way back to a card
}

// CancelEvent takes an event off the sale for good and starts the job that gives every
// buyer's money back in full. confirmed is the amount a dry run showed: it must still be
// the one. Asked again, it is the same job.
func (e *Engine) CancelEvent(ctx context.Context, slug, by, why string, confirmed int64) (c Cancellation, err error) {
	if why == "" || len(why) > maxWhy || !storable(why) {
		return c, ErrWhy
	}
	id, err := e.EventID(ctx, slug)
	if err != nil {
		return c, err
	}
	err = e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) error {
		// The event's row comes first and is waited for: sales hold it only briefly.
		if _, err := tx.Exec(ctx, sqlCancellationLimits, by); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sqlCancelEvent, id); err != nil {
			return fmt.Errorf("cancel event: %w", err)
		}
		if c, err = cancellationOf(ctx, tx, id); err != nil || c.State != "dry_run" {
			return err // runs or ran already
		}
		if c.AmountLeft != confirmed {
			return ErrCancellationChanged.With("amount", c.AmountLeft).With("orders", c.OrdersLeft)
		}
		if _, err := tx.Exec(ctx, sqlStartCancellation, id, by, why, c.OrdersLeft, c.AmountLeft); err != nil {
			return fmt.Errorf("start the cancellation: %w", err)
		}
		c, err = cancellationOf(ctx, tx, id)
		return err
	})
	if err == nil {
		e.log.Warn("event cancelled", "event", slug, "by", by, "why", why, "orders", c.Orders, "amount", c.Amount)
	}
	return c, err
}

// CancellationOf reports on a cancellation, or says what one would do.
func (e *Engine) CancellationOf(ctx context.Context, slug string) (Cancellation, error) {
	id, err := e.EventID(ctx, slug)
	if err != nil {
		return Cancellation{}, err
	}
	var c Cancellation
	err = e.snapshot(ctx, func(tx pgx.Tx) (err error) { c, err = cancellationOf(ctx, tx, id); return err })
	return c, err
}

func cancellationOf(ctx context.Context, q pg.Querier, event int64) (c Cancellation, err error) {
	var began, ended *time.Time
	err = q.QueryRow(ctx, sqlCancellation, event, refundAlarm).Scan(&c.Event, &c.Currency, &c.State, &c.By, &c.Why, &began, &ended, &c.Orders, &c.Amount,
		&c.OrdersLeft, &c.AmountLeft, &c.Cancelled, &c.Reserved, &c.ReservedSum, &c.Refunded, &c.RefundedSum, &c.Failing, &c.Disputed, &c.PaymentsAsked)
	if err != nil {
		return c, fmt.Errorf("read cancellation: %w", err)
	}
	c.StartedAt, c.FinishedAt = stampOf(began), stampOf(ended)
	return c, nil
}

func stampOf(t *time.Time) *Stamp {
	if t == nil {
		return nil
	}
	s := Stamp(*t)
	return &s
}

// cancelEvents is the step of the job: it ends some orders of each running cancellation.
// It carries no memory: which orders are left is read from the orders.
func (e *Engine) cancelEvents(ctx context.Context) (again bool, err error) {
	rows, err := e.db.Pool.Query(ctx, sqlCancellationsRunning)
	if err != nil {
		return false, fmt.Errorf("find cancellations: %w", err)
	}
	events, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return false, fmt.Errorf("find cancellations: %w", err)
	}
	var failed []error
	for _, id := range events {
		more, err := e.cancelSome(ctx, id)
		again, failed = again || more, append(failed, err)
	}
	return again, errors.Join(failed...)
}

func (e *Engine) cancelSome(ctx context.Context, event int64) (again bool, err error) {
	rows, err := e.db.Pool.Query(ctx, sqlOrdersToEnd, event, cancellationBatch)
	if err != nil {
		return false, fmt.Errorf("find orders of a cancelled event: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return false, fmt.Errorf("find orders of a cancelled event: %w", err)
	}
	ended := 0
	var failed []error
	for _, id := range ids {
		k := orderKey{event, id}
		err := e.inDossier(ctx, k, func(d *dossier) error {
			_, err := d.cancel(reasonEvent)
			return err
		})
		switch {
		case err == nil:
			ended++
		case ctx.Err() != nil:
			return false, nil
		default:
			failed = append(failed, fmt.Errorf("end order %s: %w", k.ref(), err))
		}
	}
	if ended > 0 {
		e.kick(&e.kicks.payments)
		e.kick(&e.kicks.refunds)
	}
	if len(ids) == 0 {
		if _, err := e.db.Pool.Exec(ctx, sqlFinishCancellation, event); err != nil {
			failed = append(failed, fmt.Errorf("finish the cancellation: %w", err))
		}
	}
	return ended == cancellationBatch, errors.Join(failed...)
}

// Of an order to be ended: it waits or is confirmed, or it is paid and some of its
// places are still sold.
const toEnd = `(o.state IN ('pending_payment', 'verifying', 'confirmed') OR o.state IN ('captured', 'partly_refunded')
        AND EXISTS (SELECT FROM hold_line l WHERE l.event_id = o.event_id AND l.hold_id = o.hold_id AND l.state = 2))`

const (
	sqlCancellationLimits = `SELECT set_config('lock_timeout', '5s', true), set_config('ropeline.actor', $1, true)`

	sqlCancelEvent = `UPDATE event SET state = 'cancelled' WHERE id = $1 AND state <> 'cancelled'`

	sqlStartCancellation = `
INSERT INTO event_cancellation (event_id, asked_by, why, asked_at, orders, amount) VALUES ($1, $2, $3, clock_timestamp(), $4, $5)`

	sqlCancellationsRunning = `
SELECT c.event_id FROM event_cancellation c JOIN event e ON e.id = c.event_id AND e.state = 'cancelled' WHERE c.state = 'running' ORDER BY 1`

	sqlOrdersToEnd = `SELECT o.id FROM orders o WHERE o.event_id = $1 AND ` + toEnd + ` ORDER BY o.updated_at LIMIT $2`

	// Done when nothing of the event's money is on its way any more, in either direction.
	sqlFinishCancellation = `
UPDATE event_cancellation SET state = 'done', finished_at = clock_timestamp()
 WHERE event_id = $1 AND state = 'running'
   AND NOT EXISTS (SELECT FROM orders o WHERE o.event_id = $1 AND ` + toEnd + `)
   AND NOT EXISTS (SELECT FROM refund r WHERE r.event_id = $1 AND r.state = 'reserved')
   AND NOT EXISTS (SELECT FROM attempt a WHERE a.event_id = $1 AND (a.phase IN ('created', 'sent', 'unknown')
                      OR a.authorized > 0 AND NOT a.voided AND a.captured = 0))`

	sqlCancellation = `
SELECT e.slug, e.currency, coalesce(c.state, 'dry_run'), coalesce(c.asked_by, ''), coalesce(c.why, ''), c.asked_at, c.finished_at,
       coalesce(c.orders, 0), coalesce(c.amount, 0), o.n, o.due, o.cancelled, r.n, r.sum, r.done, r.done_sum, r.failing, o.disputed, a.n
  FROM event e LEFT JOIN event_cancellation c ON c.event_id = e.id
 CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE ` + toEnd + `) AS n,
              coalesce(sum(o.amount - coalesce(g.undone, 0)) FILTER (WHERE o.state IN ('captured', 'partly_refunded') AND ` + toEnd + `), 0)::bigint AS due,
              count(*) FILTER (WHERE o.state = 'cancelled' AND o.reason IN ('event_cancelled', 'event_off')) AS cancelled,
              count(*) FILTER (WHERE o.disputed) AS disputed
         FROM orders o
         LEFT JOIN LATERAL (SELECT sum(r.amount + r.kept) AS undone FROM refund r JOIN attempt a ON a.event_id = r.event_id AND a.id = r.attempt_id AND a.want = 'keep'
                             WHERE r.event_id = o.event_id AND r.order_id = o.id) g ON true
        WHERE o.event_id = e.id) o
 CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE r.state = 'reserved') AS n, coalesce(sum(r.amount) FILTER (WHERE r.state = 'reserved'), 0)::bigint AS sum,
              count(*) FILTER (WHERE r.state = 'done') AS done, coalesce(sum(r.amount) FILTER (WHERE r.state = 'done'), 0)::bigint AS done_sum,
              count(*) FILTER (WHERE r.state = 'reserved' AND r.tries >= $2) AS failing
         FROM refund r WHERE r.event_id = e.id AND r.reason = 'event_cancelled') r
 CROSS JOIN LATERAL (
       SELECT count(*) AS n FROM attempt a WHERE a.event_id = e.id AND (a.phase IN ('created', 'sent', 'unknown')
          OR a.authorized > 0 AND NOT a.voided AND a.captured = 0)) a
 WHERE e.id = $1`
)

var cancellationStatements = map[string]string{"cancellation limits": sqlCancellationLimits, "cancel event": sqlCancelEvent,
	"start cancellation": sqlStartCancellation, "cancellations running": sqlCancellationsRunning, "orders to end": sqlOrdersToEnd,
	"finish cancellation": sqlFinishCancellation, "cancellation": sqlCancellation}
