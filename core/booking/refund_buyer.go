package booking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/core/refund"
)

// ErrOfferChanged: the buyer was shown another amount.
var ErrOfferChanged = problem.New(http.StatusConflict, "offer_changed", "What you would get back is no longer what you were shown. Nothing was changed.")

// ReturnRequest gives some lines of a paid order back, by the event's policy.
type ReturnRequest struct {
	Order          Ref
	Lines          []int16
	ExpectedAmount *int64 // what the buyer was shown; nil: not said
}

// RefundOffer is what giving places back would bring now.
type RefundOffer struct {
	Amount int64       `json:"amount"` // of all lines that are left, minor units
	Kept   int64       `json:"kept"`
	Until  Stamp       `json:"until"` // when it gets worse, or ends
	Lines  []LineOffer `json:"lines"`
}

// LineOffer is the same for one line.
type LineOffer struct {
	Line   int16 `json:"line"`
	Amount int64 `json:"amount"`
	Kept   int64 `json:"kept"`
}

// ReturnLines gives lines back: their places and tickets now, the money afterwards.
func (e *Engine) ReturnLines(ctx context.Context, cmd Command, req ReturnRequest) (Answer, error) {
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
		if _, err := d.mayRefund(); err != nil {
			return 0, nil, err
		}
		p, err := refund.Read(ctx, tx, ev.ID)
		if err != nil {
			return 0, nil, err
		}
		q, err := d.quote(p, req.Lines)
		if err != nil {
			return 0, nil, err
		}
		if req.ExpectedAmount != nil && *req.ExpectedAmount != q.Back {
			return 0, nil, ErrOfferChanged.With("amount", q.Back).With("kept", q.Kept)
		}
		if _, err := d.refundLines(q, grant{reason: reasonReturned, by: d.buyer()}); err != nil {
			return 0, nil, err
		}
		if err := e.write(ctx, tx, d); err != nil {
			return 0, nil, err
		}
		view, err := e.orderView(ctx, tx, k, cmd.AccountID, d.now)
		return http.StatusOK, view, err
	})
	if err == nil {
		e.kick(&e.kicks.refunds)
	}
	return answer, err
}

// cancelByBuyer is cancel at the buyer's wish: of money that was taken, what the
// event's policy gives back. Once the event is cancelled there is no policy any more.
func (d *dossier) cancelByBuyer(ctx context.Context, tx pgx.Tx) error {
	if s := d.order.State; s.Sold() && d.ev.State != "cancelled" {
		p, err := refund.Read(ctx, tx, d.ev.ID)
		if err != nil {
			return err
		}
		t, _, err := p.At(d.now)
		if err != nil {
			return err
		}
		if s != order.Confirmed {
			q, err := d.quote(p, nil)
			if err == nil {
				_, err = d.refundLines(q, grant{reason: reasonBuyer, by: d.buyer()})
			}
			if errors.Is(err, ErrLinesReturned) {
				err = ErrNothingToCancel.With("state", s)
			}
			return err
		}
		if t.FeeBP > 0 || t.FeePerPlace > 0 {
			return ErrCapturePending // a fee can be kept of captured money only
		}
	}
	done, err := d.cancel(reasonBuyer)
	if err == nil && !done {
		err = ErrNothingToCancel.With("state", d.order.State)
	}
	return err
}

func (d *dossier) buyer() string { return "account " + strconv.FormatInt(d.order.AccountID, 10) }

// refundOffer computes the offer of an order view from its lines.
func refundOffer(ctx context.Context, q pg.Querier, event int64, v *OrderView, now time.Time) (*RefundOffer, error) {
	if v.State != order.Captured && v.State != order.PartlyRefunded || v.Disputed {
		return nil, nil
	}
	p, err := refund.Read(ctx, q, event)
	if err != nil {
		return nil, fmt.Errorf("refund offer: %w", err)
	}
	t, until, err := p.At(now)
	if err != nil {
		return nil, nil
	}
	o := &RefundOffer{Until: Stamp(until), Lines: []LineOffer{}}
	var left []refund.Part
	for _, l := range v.Lines {
		if l.Returned {
			continue
		}
		part := refund.Part{Line: l.Line, Places: l.Quantity, Price: l.Price}
		left = append(left, part)
		// A line of which nothing would come back cannot be returned alone.
		if one, err := t.Quote(money.Currency(v.Currency), []refund.Part{part}); err == nil {
			o.Lines = append(o.Lines, LineOffer{l.Line, one.Back, one.Kept})
		}
	}
	whole, err := t.Quote(money.Currency(v.Currency), left)
	if err != nil {
		return nil, nil
	}
	o.Amount, o.Kept = whole.Back, whole.Kept
	return o, nil
}
