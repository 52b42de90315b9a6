package booking

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/payment"
)

// difference is one way in which a payment is not here what it is there.
type difference struct {
	ref   Ref
	order uuid.UUID // zero: no payment of ours
	kept  int64     // money of the payment that is here
	brk   Break
}

// askable: the provider's answer to a question may settle it.
func (d difference) askable() bool {
	if d.order == uuid.Nil {
		return false
	}
	switch d.brk.Class {
	case BreakMissingHere, BreakMissingThere, BreakAmount, BreakDispute, BreakRefundUnknown:
		return true
	}
	return false
}

// pair is one payment at the provider and here.
type pair struct {
	event       int64
	attempt     uuid.UUID
	paymentRef  string
	order       *uuid.UUID // nil: none of ours
	amount      int64
	currency    string
	dispute     payment.Dispute
	here, there sums
	captures    int64 // rows
	currencies  string
	fee         int64
	lastHere    *time.Time // when the latest of our facts was booked
}

type sums struct{ captured, refunded, disputed int64 }

func (p pair) subject() string {
	if p.event == 0 {
		return p.paymentRef
	}
	return Ref{p.event, p.attempt}.String()
}

// compare finds every payment of the touched that differs. The database says which
// differ at all; what that means is decided here.
func (m *matching) compare(ctx context.Context, tx pgx.Tx) (list []difference, err error) {
	c := m.p.Contract()
	if err := tx.QueryRow(ctx, sqlCompare, m.r.Provider, c.FeeBP).Scan(&m.r.Payments, &m.r.There, &m.r.Here); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	rows, err := tx.Query(ctx, sqlPairs, maxBreaks)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	waiting := map[string]*Break{}
	var p pair
	var ref *string
	var dispute *string
	_, err = pgx.ForEachRow(rows, []any{&p.event, &p.attempt, &ref, &p.order, &p.amount, &p.currency, &dispute,
		&p.here.captured, &p.here.refunded, &p.there.captured, &p.there.refunded, &p.there.disputed, &p.captures, &p.currencies, &p.fee, &p.lastHere}, func() error {
		p.paymentRef, p.dispute = "", ""
		if ref != nil {
			p.paymentRef = *ref
		}
		if dispute != nil {
			p.dispute = payment.Dispute(*dispute)
		}
		list = append(list, m.judge(p, c, waiting)...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	for _, b := range waiting {
		list = append(list, difference{brk: *b})
	}
	return list, nil
}

// judge names what differs of one payment.
func (m *matching) judge(p pair, c payment.Contract, waiting map[string]*Break) (list []difference) {
	add := func(class BreakClass, here, there int64, format string, args ...any) {
		d := difference{ref: Ref{p.event, p.attempt}, kept: p.here.captured - p.here.refunded, brk: Break{Class: class, Provider: m.r.Provider, Subject: p.subject(), EventID: p.event,
			Here: &here, There: &there, Currency: strings.TrimSpace(p.currency), Detail: fmt.Sprintf(format, args...)}}
		if p.order != nil {
			d.order = *p.order
		}
		list = append(list, d)
	}
	fresh := p.lastHere != nil && m.r.Until.Sub(*p.lastHere) < c.Delay
	switch {
	case p.order == nil:
		p.currency = p.currencies
		add(BreakMissingHere, 0, p.there.captured, "the provider has %d of a payment that is not ours", p.there.captured)
		return list
	case p.currencies != "" && p.currencies != p.currency:
		add(BreakCurrency, p.here.captured, p.there.captured, "%s here, %s at the provider", p.currency, p.currencies)
		return list
	case p.there.captured == p.here.captured:
	case p.captures > 1 && p.there.captured == p.captures*p.here.captured:
		add(BreakDuplicate, p.here.captured, p.there.captured, "captured %d times at the provider", p.captures)
		list[len(list)-1].brk.Stops = true // money there that is unknown here, not a slip of the report
	case p.here.captured == 0:
		add(BreakMissingHere, 0, p.there.captured, "captured at the provider, not here")
	case p.there.captured == 0 && fresh:
		m.wait(p, waiting)
	case p.there.captured == 0:
		add(BreakMissingThere, p.here.captured, 0, "captured here, not in the report")
	default:
		add(BreakAmount, p.here.captured, p.there.captured, "captured %d here, %d at the provider", p.here.captured, p.there.captured)
	}
	switch {
	case p.there.refunded > p.here.refunded:
		add(BreakRefundUnknown, p.here.refunded, p.there.refunded, "refunded %d here, %d at the provider", p.here.refunded, p.there.refunded)
	case p.there.refunded < p.here.refunded && fresh:
		m.wait(p, waiting)
	case p.there.refunded < p.here.refunded && p.there.captured > 0:
		add(BreakMissingThere, p.here.refunded, p.there.refunded, "refunded %d here, %d at the provider", p.here.refunded, p.there.refunded)
	}
	if p.dispute == payment.DisputeOpen || p.there.disputed > 0 && p.dispute == payment.NoDispute {
		add(BreakDispute, 0, p.there.disputed, "a dispute is open")
	}
	if want := feeOf(c, p); p.there.captured > 0 && p.there.captured == p.here.captured && p.fee != want {
		add(BreakFee, want, p.fee, "the provider kept %d, the contract says %d", p.fee, want)
	}
	return list
}

func feeOf(c payment.Contract, p pair) int64 {
	return (p.here.captured*int64(c.FeeBP) + 5000) / 10000 // half away from zero, as money.BasisPoints
}

// wait adds a payment that is not due yet to the one break of its currency: a thousand
// fresh payments are one thing that nobody has to look at.
func (m *matching) wait(p pair, waiting map[string]*Break) {
	b := waiting[p.currency]
	if b == nil {
		b = &Break{Class: BreakTiming, Provider: m.r.Provider, Subject: p.currency, Here: new(int64), There: new(int64), Currency: p.currency}
		waiting[p.currency] = b
	}
	*b.Here += p.here.captured - p.here.refunded
	*b.There += p.there.captured - p.there.refunded
	b.Detail = fmt.Sprintf("not in the report yet: %d here, %d there", *b.Here, *b.There)
}
