package booking

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/core/refund"
)

// What giving back can be refused for.
var (
	ErrCapturePending = &problem.Error{Status: http.StatusConflict, Code: "capture_pending", RetryAfter: 2 * time.Second,
		Detail: "Your money is being collected at this moment. Please try again in a few seconds."}
	ErrNotPaid       = problem.New(http.StatusConflict, "not_paid", "This order has no money to give back.")
	ErrLinesReturned = problem.New(http.StatusConflict, "lines_returned", "Some of these places are not in the order, or were given back before.")
	ErrRefundTooMuch = problem.New(http.StatusUnprocessableEntity, "refund_too_much", "More would go back than was paid.")
	ErrChargeback    = problem.New(http.StatusConflict, "chargeback", "The bank has returned this payment already.")
)

// grant says on whose word something is given back.
type grant struct {
	reason    string
	by        string
	request   uuid.UUID
	freeLimit *int64
}

// mayRefund: there is captured money, and it is ours to return.
func (d *dossier) mayRefund() (*attemptRow, error) {
	a := d.kept()
	switch d.order.State {
	case order.Captured, order.PartlyRefunded:
	case order.Confirmed:
		return nil, ErrCapturePending
	default:
		return nil, ErrNotPaid.With("state", d.order.State)
	}
	if a == nil || a.Facts.Captured == 0 {
		return nil, ErrNotPaid.With("state", d.order.State)
	}
	if a.Facts.Dispute == payment.DisputeLost {
		return nil, ErrChargeback
	}
	return a, nil
}

// refundLines reserves what a quote says: the places are free and their tickets void
// now; the money goes when the provider has sent it, and is the buyer's until then.
func (d *dossier) refundLines(q refund.Quote, g grant) (*refundRow, error) {
	a, err := d.mayRefund()
	if err != nil {
		return nil, err
	}
	left := a.Facts.Captured - max(d.reservedOf(a), a.Facts.Refunded)
	if over := q.Value() - (d.order.Amount - d.undone(a)); over > 0 && len(q.Lines) == len(d.places.Sold()) {
		q.Back -= over // the last places of an order of which something was returned elsewhere
	}
	if q.Back > left || q.Value() > d.order.Amount-d.undone(a) {
		return nil, ErrRefundTooMuch.With("most", left)
	}
	if q.Back <= 0 {
		return nil, refund.ErrNothing
	}
	r := d.reserve(a, q.Back, g.reason)
	r.Kept, r.Lines, r.AskedBy, r.Request, r.FreeLimit = q.Kept, q.Lines, g.by, g.request, g.freeLimit
	d.returning = q.Lines
	if ok, err := d.happen(order.ReserveRefund, a, false); err != nil || !ok {
		return nil, err
	}
	d.order.Reason = g.reason
	return r, nil
}

// quote is what giving back some lines (nil: all that are left) means now by policy.
func (d *dossier) quote(p refund.Policy, lines []int16) (refund.Quote, error) {
	t, _, err := p.At(d.now)
	if err != nil {
		return refund.Quote{}, err
	}
	parts, err := d.parts(lines)
	if err != nil {
		return refund.Quote{}, err
	}
	return t.Quote(d.amount(0).Currency, parts)
}

func (d *dossier) parts(lines []int16) ([]refund.Part, error) {
	parts, missing := refund.Choose(d.places.Sold(), lines)
	if len(missing) > 0 || len(parts) == 0 {
		return nil, ErrLinesReturned.With("lines", missing)
	}
	return parts, nil
}
