package booking

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/problem"
)

// refundAlarm is after how many tries a refund that does not go through is
// reported as a break with an owner. It is tried on all the same.
const refundAlarm = 8

// refundTurn is when a refund looks again whether the one before it is done. A payment
// has one refund under way: what a provider has returned is one sum, and while two are
// out nobody could say which of them it covers, and what is left to send.
const refundTurn = time.Second

// attendRefunds claims reserved refunds that are due.
func (e *Engine) attendRefunds(ctx context.Context) (again bool, err error) {
	return e.refunders.claim(ctx, e, sqlClaimRefunds, &e.kicks.refunds, e.refund)
}

// refundKey is the key of a refund's request. It carries what had been covered
// already, since a partial return made elsewhere changes the amount that is left
// to send, and with it the request.
//
// A definite refusal had no effect and is what its key brings for ever: the next try
// has another key.
func refundKey(x call) string {
	key := x.refund.ID.String() + ":" + strconv.FormatInt(x.refund.Amount, 10)
	if x.refund.Refusals > 0 {
		key += ":" + strconv.Itoa(int(x.refund.Refusals))
	}
	return key
}

// refund returns one reserved amount. The order's lock is not held during the
// call; that the refunds never exceed the captures is the provider's rule too, and
// what it has returned comes back as a fact, whoever asked.
func (e *Engine) refund(ctx context.Context, c claimed) error {
	x, p, err := e.prepareRefund(ctx, c, nil)
	if err == nil && x.do == payment.DoAsk {
		r, askErr := p.Lookup(ctx, Ref{c.order.event, x.a.ID}.String())
		if askErr != nil {
			return e.refundLater(ctx, c, askErr)
		}
		if x, _, err = e.prepareRefund(ctx, c, &r); err == nil && x.do == payment.DoAsk {
			return e.refundLater(ctx, c, errors.New("it may still be under way"))
		}
	}
	if err == nil && x.behind {
		_, err = e.db.Pool.Exec(ctx, sqlRefundLater, c.order.event, c.attempt, refundTurn.Seconds())
	}
	if err != nil || x.do != payment.DoRefund {
		return err
	}
	started := time.Now()
	r, callErr := e.request(ctx, p, claimed{c.order, x.a.ID}, x)
	e.money.observe("refund", callErr, time.Since(started))
	var no *payment.Refused
	if errors.As(callErr, &no) && no.Report != nil {
		r, callErr = *no.Report, nil // how it stands, e.g. refunded elsewhere already
	}
	if no != nil {
		if err := e.refundRefused(ctx, c); err != nil {
			return err
		}
	}
	if callErr != nil {
		return e.refundLater(ctx, c, callErr)
	}
	done := false
	err = e.inDossier(ctx, c.order, func(d *dossier) error {
		a := d.attempt(x.a.ID)
		if a == nil {
			return problem.NotFound
		}
		if err := d.learn(a, r); err != nil {
			return err
		}
		row := d.refundByID(c)
		done = row == nil || row.Done
		return nil
	})
	if err == nil && !done {
		return e.refundLater(ctx, c, callErr)
	}
	return err
}

// prepareRefund decides what is to be done about a refund; known is what a question
// brought. DoAsk: the provider has no keys and must be asked first, or asked again later.
func (e *Engine) prepareRefund(ctx context.Context, c claimed, known *payment.Report) (x call, p payment.Provider, err error) {
	err = e.inDossier(ctx, c.order, func(d *dossier) error {
		x = call{do: payment.DoNothing}
		r := d.refundByID(c)
		if r == nil || r.Done {
			return nil
		}
		a := d.attempt(r.Attempt)
		if a == nil {
			return problem.NotFound
		}
		if p = e.providers[a.Provider]; p == nil {
			return fmt.Errorf("provider %q of payment %s is not configured", a.Provider, a.ID)
		}
		if known != nil {
			if err := d.learn(a, *known); err != nil {
				return err
			}
		}
		if d.refundBefore(a, r) {
			x.behind = true
			return nil
		}
		x.caps, x.do = p.Capabilities(), payment.NextAction(a.Phase, a.Facts, a.Want, d.stillToReturn(a, r))
		if x.do == payment.DoRefund && !x.caps.Keys {
			x.do = d.carefully(a, r, known != nil, x.caps.LongestProcessing)
		}
		x.a, x.refund = *a, *r
		x.refund.Amount = d.stillToReturn(a, r)
		return nil
	})
	return x, p, err
}

// carefully is what a refund needs without keys, where a second request is a second
// refund: asked about before, and repeated only when the
// provider has not shown it for longer than it can take.
func (d *dossier) carefully(a *attemptRow, r *refundRow, asked bool, longest time.Duration) payment.Action {
	switch {
	case !asked:
		return payment.DoAsk
	case r.SentAt != nil && d.now.Sub(*r.SentAt) < longest:
		return payment.DoAsk
	}
	now := d.now
	r.SentAt, r.changed = &now, true
	return payment.DoRefund
}

// refundBefore: an older refund of the same payment is not done yet.
func (d *dossier) refundBefore(a *attemptRow, r *refundRow) bool {
	for _, o := range d.refunds {
		if o == r {
			return false
		}
		if o.Attempt == a.ID && !o.Done {
			return true
		}
	}
	return false
}

func (d *dossier) refundByID(c claimed) *refundRow {
	i := slices.IndexFunc(d.refunds, func(r *refundRow) bool { return r.ID == c.attempt })
	if i < 0 {
		return nil
	}
	return d.refunds[i]
}

// stillToReturn is the part of a refund that the returned amount does not cover
// yet, with older refunds covered first.
func (d *dossier) stillToReturn(a *attemptRow, r *refundRow) int64 {
	left := a.Facts.Refunded
	for _, o := range d.refunds {
		if o.Attempt != a.ID {
			continue
		}
		if o == r {
			return o.Amount - max(0, min(left, o.Amount))
		}
		left -= o.Amount
	}
	return 0
}

// refundRefused counts a definite refusal.
func (e *Engine) refundRefused(ctx context.Context, c claimed) error {
	return e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlRefundRefused, c.order.event, c.attempt)
		return err
	})
}

// refundLater sets the next try. One that keeps failing becomes a break with an owner,
// and is tried on all the same.
func (e *Engine) refundLater(ctx context.Context, c claimed, why error) error {
	var tries int
	err := e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var amount int64
		var currency, provider string
		if err := tx.QueryRow(ctx, sqlRefundTried, c.order.event, c.attempt).Scan(&tries, &amount, &currency, &provider); err != nil {
			return fmt.Errorf("count a refund's try: %w", err)
		}
		if tries >= refundAlarm {
			reason := "the provider refuses it"
			if why != nil {
				reason = why.Error()
			}
			if err := recordBreaks(ctx, tx, Break{Class: BreakRefundFailing, Provider: provider, Subject: Ref{c.order.event, c.attempt}.String(), EventID: c.order.event,
				Here: &amount, Currency: currency, Detail: fmt.Sprintf("refund of order %s tried %d times: %s", c.order.ref(), tries, reason)}); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, sqlRefundLater, c.order.event, c.attempt, payment.RetryDelay(tries-1, rand.Float64()).Seconds())
		return err
	})
	if err == nil && tries%refundAlarm == 0 {
		e.log.Error("a refund does not go through: break refund_failing", "order", c.order.ref(), "refund", c.attempt, "tries", tries, "err", why)
	}
	return err
}
