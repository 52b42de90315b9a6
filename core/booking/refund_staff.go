package booking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/core/refund"
)

// approvalsNeeded is how many people, none of them the one who asked, have to agree to
// a refund over the event's limit.
const approvalsNeeded = 2

const maxWhy = 500

// What staff can be refused.
var (
	ErrWhy            = problem.New(http.StatusUnprocessableEntity, "why_required", "Say why, in 1 to 500 characters.")
	ErrRequestWaiting = problem.New(http.StatusConflict, "request_waiting", "A refund of this order is waiting for approval. Approve or reject it first.")
	ErrDecided        = problem.New(http.StatusConflict, "already_decided", "This request has been decided.")
	ErrSelfApproval   = problem.New(http.StatusForbidden, "self_approval", "Somebody else has to approve what you asked for.")
	ErrApprovedBefore = problem.New(http.StatusConflict, "already_approved", "You have approved this request. It needs somebody else.")
	ErrAmountDiffers  = problem.New(http.StatusConflict, "amount_differs", "The request is about another amount. Nothing was approved.")
)

// StaffRefund gives lines of an order back on the word of staff.
type StaffRefund struct {
	Order  Ref
	Lines  []int16 // nil: all that are left
	Amount *int64  // nil: all of their price; else so much of it
	Why    string
	By     string
}

// RefundDecision is where a refund of staff is.
type RefundDecision struct {
	State     string   `json:"state"`   // done, waiting, rejected
	Request   *Ref     `json:"request"` // null: it was done at once
	Order     Ref      `json:"order"`
	Lines     []int16  `json:"lines"`
	Amount    int64    `json:"amount"`
	Kept      int64    `json:"kept"`
	Currency  string   `json:"currency"`
	Why       string   `json:"why"`
	By        string   `json:"requested_by"`
	Approvers []string `json:"approved_by"`
	Needed    int      `json:"approvals_needed"` // still
}

// RefundByStaff does it at once as long as the order's refunds by staff stay within the
// event's limit, and asks for two approvals beyond.
func (e *Engine) RefundByStaff(ctx context.Context, req StaffRefund) (out RefundDecision, err error) {
	if req.Why == "" || len(req.Why) > maxWhy || !storable(req.Why) {
		return out, ErrWhy
	}
	k := orderKey{req.Order.Event, req.Order.ID}
	err = e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) error {
		ev, err := hold.LockEvent(ctx, tx, k.event)
		if err != nil {
			return err
		}
		d, err := openDossier(ctx, tx, ev, k)
		if err != nil {
			return err
		}
		if _, err := d.mayRefund(); err != nil {
			return err
		}
		q, err := d.staffQuote(req)
		if err != nil {
			return err
		}
		out = RefundDecision{State: "done", Order: req.Order, Lines: q.Lines, Amount: q.Back, Kept: q.Kept, Currency: d.order.Currency,
			Why: req.Why, By: req.By, Approvers: []string{}}
		within, limit, err := d.withinLimit(ctx, tx, q)
		if err != nil {
			return err
		}
		if !within {
			return askApproval(ctx, tx, d, &out)
		}
		if _, err := d.refundLines(q, grant{reason: reasonStaff, by: req.By, freeLimit: &limit}); err != nil {
			return err
		}
		return e.write(ctx, tx, d)
	})
	if err == nil {
		e.kick(&e.kicks.refunds)
		e.log.Info("refund by staff", "order", req.Order, "by", req.By, "why", req.Why, "amount", out.Amount, "state", out.State)
	}
	return out, err
}

func (d *dossier) staffQuote(req StaffRefund) (refund.Quote, error) {
	parts, err := d.parts(req.Lines)
	if err != nil {
		return refund.Quote{}, err
	}
	if req.Amount != nil {
		return refund.Exactly(*req.Amount, parts)
	}
	return refund.Tier{}.Quote(d.amount(0).Currency, parts)
}

// withinLimit counts what staff have given back of the order before: ten small refunds
// are one large one.
func (d *dossier) withinLimit(ctx context.Context, tx pgx.Tx, q refund.Quote) (ok bool, limit int64, err error) {
	p, err := refund.Read(ctx, tx, d.ev.ID)
	if err != nil {
		return false, 0, err
	}
	var before int64
	if err := tx.QueryRow(ctx, sqlGivenByStaff, d.ev.ID, d.order.ID).Scan(&before); err != nil {
		return false, 0, fmt.Errorf("read refunds of staff: %w", err)
	}
	return q.Back <= p.ApprovalOver-before, p.ApprovalOver, nil
}

func askApproval(ctx context.Context, tx pgx.Tx, d *dossier, out *RefundDecision) error {
	id := uuid.New()
	_, err := tx.Exec(ctx, sqlAskApproval, d.ev.ID, id, d.order.ID, out.Lines, out.Amount, out.Kept, out.Currency, out.Why, out.By, d.now)
	if pg.Constraint(err) == "one_waiting_request" {
		return ErrRequestWaiting
	}
	if err != nil {
		return fmt.Errorf("ask for approval: %w", err)
	}
	out.State, out.Request, out.Needed = "waiting", &Ref{d.ev.ID, id}, approvalsNeeded
	return nil
}

// ApproveRefund adds one approval of exactly this amount; the last one that is needed
// carries the request out in its own transaction, as it was asked or not at all.
func (e *Engine) ApproveRefund(ctx context.Context, r Ref, by string, amount int64) (out RefundDecision, err error) {
	err = e.decide(ctx, r, func(ctx context.Context, tx pgx.Tx, d *dossier) error {
		if out, err = lockRequest(ctx, tx, r); err != nil {
			return err
		}
		switch {
		case out.State != "waiting":
			return ErrDecided.With("state", out.State)
		case out.By == by:
			return ErrSelfApproval
		case out.Amount != amount:
			return ErrAmountDiffers.With("amount", out.Amount)
		}
		tag, err := tx.Exec(ctx, sqlApprove, r.Event, r.ID, by, out.By, amount, d.now)
		if err != nil {
			return fmt.Errorf("approve: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return ErrApprovedBefore
		}
		out.Approvers = append(out.Approvers, by)
		out.Needed = max(0, approvalsNeeded-len(out.Approvers))
		if out.Needed > 0 {
			return nil
		}
		return e.carryOutRequest(ctx, tx, d, r, by, &out)
	})
	if err == nil {
		e.kick(&e.kicks.refunds)
		e.log.Info("refund approved", "request", r, "order", out.Order, "by", by, "amount", out.Amount, "state", out.State)
	}
	return out, err
}

func (e *Engine) carryOutRequest(ctx context.Context, tx pgx.Tx, d *dossier, r Ref, by string, out *RefundDecision) error {
	parts, err := d.parts(out.Lines)
	if err != nil {
		return err
	}
	q, err := refund.Exactly(out.Amount, parts)
	if err != nil {
		return err
	}
	if q.Kept != out.Kept { // a line cannot change its price; if it ever could, not by this request
		return ErrAmountDiffers.With("kept", q.Kept)
	}
	_, limit, err := d.withinLimit(ctx, tx, q)
	if err != nil {
		return err
	}
	if _, err := d.refundLines(q, grant{reason: reasonStaff, by: out.By, request: r.ID, freeLimit: &limit}); err != nil {
		return err
	}
	if err := e.write(ctx, tx, d); err != nil {
		return err
	}
	out.State = "done"
	return decideRequest(ctx, tx, r, "done", by, d.now)
}

// RejectRefund ends a request without a refund.
func (e *Engine) RejectRefund(ctx context.Context, r Ref, by string) (out RefundDecision, err error) {
	err = e.decide(ctx, r, func(ctx context.Context, tx pgx.Tx, d *dossier) error {
		if out, err = lockRequest(ctx, tx, r); err != nil {
			return err
		}
		if out.State != "waiting" {
			return ErrDecided.With("state", out.State)
		}
		out.State, out.Needed = "rejected", 0
		return decideRequest(ctx, tx, r, "rejected", by, d.now)
	})
	return out, err
}

// decide opens the order of a request under its locks; the request's row comes last.
func (e *Engine) decide(ctx context.Context, r Ref, fn func(context.Context, pgx.Tx, *dossier) error) error {
	return e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) error {
		k := orderKey{event: r.Event}
		err := tx.QueryRow(ctx, sqlOrderOfRequest, r.Event, r.ID).Scan(&k.id)
		if errors.Is(err, pgx.ErrNoRows) {
			return problem.NotFound.Say("There is no such request.")
		}
		if err != nil {
			return fmt.Errorf("find request: %w", err)
		}
		ev, err := hold.LockEvent(ctx, tx, k.event)
		if err != nil {
			return err
		}
		d, err := openDossier(ctx, tx, ev, k)
		if err != nil {
			return err
		}
		return fn(ctx, tx, d)
	})
}

func decideRequest(ctx context.Context, tx pgx.Tx, r Ref, state, by string, now time.Time) error {
	if _, err := tx.Exec(ctx, sqlDecideRequest, r.Event, r.ID, state, now, by); err != nil {
		return fmt.Errorf("decide request: %w", err)
	}
	return nil
}

func lockRequest(ctx context.Context, tx pgx.Tx, r Ref) (RefundDecision, error) {
	if _, err := tx.Exec(ctx, sqlLockRequest, r.Event, r.ID); err != nil {
		return RefundDecision{}, fmt.Errorf("lock request: %w", err)
	}
	list, err := readRequests(ctx, tx, sqlRequests+` WHERE q.event_id = $1 AND q.id = $2`, r.Event, r.ID)
	if err == nil && len(list) != 1 {
		err = problem.NotFound
	}
	if err != nil {
		return RefundDecision{}, err
	}
	return list[0], nil
}

// RefundRequests lists what waits for approval, oldest first.
func (e *Engine) RefundRequests(ctx context.Context) ([]RefundDecision, error) {
	return readRequests(ctx, e.db.Pool, sqlRequests+` WHERE q.state = 'waiting' ORDER BY q.requested_at LIMIT $1`, maxListed)
}

func readRequests(ctx context.Context, q pg.Querier, sql string, args ...any) ([]RefundDecision, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (v RefundDecision, err error) {
		v.Request = new(Ref)
		err = row.Scan(&v.Request.Event, &v.Request.ID, &v.Order.ID, &v.Lines, &v.Amount, &v.Kept, &v.Currency, &v.Why, &v.By, &v.State, &v.Approvers)
		v.Order.Event = v.Request.Event
		if v.State == "waiting" {
			v.Needed = max(0, approvalsNeeded-len(v.Approvers))
		}
		return v, err
	})
	if err != nil {
		return nil, fmt.Errorf("read requests: %w", err)
	}
	if list == nil {
		list = []RefundDecision{}
	}
	return list, nil
}

const (
	sqlGivenByStaff = `
SELECT coalesce(sum(amount), 0)::bigint FROM refund WHERE event_id = $1 AND order_id = $2 AND free_limit IS NOT NULL`

	sqlAskApproval = `
INSERT INTO refund_request (event_id, id, order_id, lines, amount, kept, currency, why, requested_by, requested_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

	sqlOrderOfRequest = `SELECT order_id FROM refund_request WHERE event_id = $1 AND id = $2`
	sqlLockRequest    = `SELECT FROM refund_request WHERE event_id = $1 AND id = $2 FOR NO KEY UPDATE`

	sqlRequests = `
SELECT q.event_id, q.id, q.order_id, q.lines, q.amount, q.kept, q.currency, q.why, q.requested_by, q.state,
       ARRAY(SELECT a.approver FROM refund_approval a WHERE a.event_id = q.event_id AND a.request_id = q.id ORDER BY a.at)
  FROM refund_request q`

	sqlApprove = `
INSERT INTO refund_approval (event_id, request_id, approver, requested_by, amount, at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`

	sqlDecideRequest = `UPDATE refund_request SET state = $3, decided_at = $4, decided_by = $5 WHERE event_id = $1 AND id = $2 AND state = 'waiting'`
)

var refundStatements = map[string]string{"given by staff": sqlGivenByStaff, "ask approval": sqlAskApproval, "order of request": sqlOrderOfRequest,
	"lock request": sqlLockRequest, "requests": sqlRequests, "approve": sqlApprove, "decide request": sqlDecideRequest}
