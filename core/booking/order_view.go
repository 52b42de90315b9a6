package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

var noTime time.Time

// OrderView is an order as its owner sees it.
type OrderView struct {
	ID     Ref    `json:"id"`
	Number string `json:"number"` // to read out; see OrderNumber
	Occasion
	Hold           uuid.UUID    `json:"hold"`
	State          order.State  `json:"state"`
	PaymentUnknown bool         `json:"payment_unknown"` // we asked, and do not know yet whether the money is there
	Reason         string       `json:"reason"`          // why it is where it is: hold_expired, declined, capture_failed, ...
	Disputed       bool         `json:"disputed"`
	Amount         int64        `json:"amount"`
	Currency       string       `json:"currency"`
	ExpiresAt      Stamp        `json:"expires_at"` // of the hold
	ServerTime     Stamp        `json:"server_time"`
	Lines          []LineView   `json:"lines"`
	AttemptsLeft   int          `json:"attempts_left"`
	Payment        *PaymentView `json:"payment"`   // the latest attempt, null before the first
	CardForm       string       `json:"card_form"` // where a card is typed; "" when there is nothing to pay
	Tickets        []TicketView `json:"tickets"`
	PaymentsOff    string       `json:"payments_off"` // why no payment can be started now; "" when it can
	RefundOffer    *RefundOffer `json:"refund_offer"` // what giving it back would bring now; null: nothing
}

// PaymentView is an attempt as the buyer sees it.
type PaymentView struct {
	ID       Ref           `json:"id"`
	Phase    payment.State `json:"phase"`
	Provider string        `json:"provider"`
	Reason   string        `json:"reason"`
}

// Orders lists the orders of an account, newest first.
func (e *Engine) Orders(ctx context.Context, account int64) ([]OrderView, error) {
	rows, err := e.db.Pool.Query(ctx, sqlOrdersOfAccount, account, maxListed)
	if err != nil {
		return nil, fmt.Errorf("list orders: %w", err)
	}
	keys, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (k orderKey, err error) { return k, r.Scan(&k.event, &k.id) })
	if err != nil {
		return nil, fmt.Errorf("list orders: %w", err)
	}
	out := make([]OrderView, 0, len(keys))
	for _, k := range keys {
		v, err := e.orderView(ctx, e.db.Pool, k, account, noTime)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// maxListed bounds a list. An account holds at most a few places per event.
const maxListed = 100

// orderView reads an order for its owner; to others it is not there. now is the
// transaction's time, or zero for a read outside one.
func (e *Engine) orderView(ctx context.Context, q pg.Querier, k orderKey, account int64, now time.Time) (OrderView, error) {
	if now.IsZero() {
		var err error
		if now, err = pg.Now(ctx, q); err != nil {
			return OrderView{}, err
		}
	}
	var (
		v       = OrderView{ID: k.ref(), Number: OrderNumber(k.id), ServerTime: Stamp(now), Tickets: []TicketView{}}
		of      occasionRow
		current *uuid.UUID
		tried   int
		until   time.Time
		held    hold.State
	)
	err := q.QueryRow(ctx, sqlOrderView, k.event, k.id, account).Scan(append(of.dest(), &v.Hold, &v.State, &v.Reason, &v.Disputed,
		&v.Amount, &v.Currency, &current, &tried, &until, &held)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return OrderView{}, problem.NotFound.Say("You have no such order.")
	}
	if err != nil {
		return OrderView{}, fmt.Errorf("read order: %w", err)
	}
	v.Occasion = of.occasion()
	v.ExpiresAt, v.AttemptsLeft = Stamp(until), max(0, MaxAttempts-tried)
	if v.State == order.Pending && !(held == hold.Active && until.After(now)) {
		// Over already; whoever takes the order's locks next writes it down.
		v.State, v.Reason = order.Expired, "hold_expired"
	}
	if current != nil {
		if v.Payment, err = paymentView(ctx, q, Ref{k.event, *current}); err != nil {
			return OrderView{}, err
		}
		v.PaymentUnknown = v.State == order.Verifying && v.Payment.Phase == payment.StateUnknown
	}
	if p := e.provider(); p != nil && v.State == order.Pending && v.AttemptsLeft > 0 {
		s, err := paymentSwitch(ctx, q, p.Name())
		if err != nil {
			return OrderView{}, err
		}
		v.PaymentsOff = s.Reason
		v.CardForm = p.CardForm(k.ref().String(), v.Amount, v.Currency)
	}
	sold := v.State.Sold() || v.State == order.Refunded
	if v.Lines, err = lineViews(ctx, q, k.event, v.Hold, sold); err != nil {
		return OrderView{}, err
	}
	if v.RefundOffer, err = refundOffer(ctx, q, k.event, &v, now); err != nil {
		return OrderView{}, err
	}
	v.Tickets, err = e.ticketViews(ctx, q, sqlTicketsOfOrder, k.event, k.id)
	return v, err
}

func paymentView(ctx context.Context, q pg.Querier, r Ref) (*PaymentView, error) {
	rows, err := q.Query(ctx, sqlAttempt, r.Event, r.ID)
	if err != nil {
		return nil, fmt.Errorf("read payment: %w", err)
	}
	a, err := pgx.CollectExactlyOneRow(rows, scanAttempt)
	if err != nil {
		return nil, fmt.Errorf("read payment: %w", err)
	}
	return viewPayment(r, a), nil
}

// lineViews reads the lines of a hold. paid: places that are not sold any more were
// given back.
func lineViews(ctx context.Context, q pg.Querier, event int64, id uuid.UUID, paid bool) ([]LineView, error) {
	rows, err := q.Query(ctx, sqlLineViews, event, id)
	if err != nil {
		return nil, fmt.Errorf("read lines: %w", err)
	}
	lines, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (l LineView, err error) {
		var p place
		err = r.Scan(&l.Line, &l.Seat, &l.Counter, &l.Class, &l.Quantity, &l.Price, &l.Returned, &p.section, &p.row, &p.number, &p.counter, &l.Fare)
		l.Label, l.Returned = p.label(), l.Returned && paid
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("read lines: %w", err)
	}
	return lines, nil
}

// place is how a seat or an area is called.
type place struct {
	section, row, number, counter *string
}

func (p place) label() string {
	switch {
	case p.section != nil && p.row != nil && p.number != nil:
		return hold.Label(*p.section, *p.row, *p.number)
	case p.counter != nil:
		return *p.counter
	}
	return ""
}
