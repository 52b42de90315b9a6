package booking

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/core/gauge"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/pg"
)

// noteConfirmed counts an order that got its places, after the commit.
const noteConfirmed = "confirmed"

// Usage is how busy what sells is. Counters grow until the process ends.
type Usage struct {
	Database pg.Load // all connections of this process, those of the lanes and dockets included

	Payments     gauge.Use     // calls to payment providers
	PaymentSlots float64       // calls that may be under way at once
	PaymentTook  time.Duration // mean of the calls of the last ten seconds
	PaymentCalls int           // their number
	Answered     uint64        // requests for money that were answered
	Confirmed    uint64        // orders
}

// Usage reads it. It costs no query.
func (e *Engine) Usage() Usage {
	now := time.Now()
	u := Usage{Database: e.db.Load(), Payments: e.calls.busy.Read(now), Answered: e.calls.answered.Load(), Confirmed: e.confirmed.Load()}
	u.PaymentTook, u.PaymentCalls = e.calls.took.Mean(now)
	u.PaymentSlots = e.calls.slots(now)
	return u
}

// calls are those to payment providers.
type calls struct {
	busy      gauge.Busy
	took      gauge.Recent
	answered  atomic.Uint64
	most      int     // workers of this process
	perSecond float64 // of the provider that takes new payments; 0: no limit
}

func (c *calls) begin() time.Time {
	now := time.Now()
	c.busy.Start(now, false)
	return now
}

func (c *calls) end(began time.Time, do payment.Action, err error) {
	now := time.Now()
	c.busy.End(now)
	c.took.Observe(now.Sub(began), now)
	var no *payment.Refused
	if do == payment.DoSend && (err == nil || errors.As(err, &no)) {
		c.answered.Add(1)
	}
}

// slots is how many calls may be under way at once: the workers of this process, of which there are no more than the
// contract allows, or what the contract's rate comes to at the time that calls take now (Little's law), whichever is less.
// Selling faster than money can be taken makes a line nobody sees.
func (c *calls) slots(now time.Time) float64 {
	n := float64(c.most)
	if took, of := c.took.Mean(now); of > 0 && c.perSecond > 0 {
		n = min(n, max(1, c.perSecond*took.Seconds()))
	}
	return n
}

// workersOf are the workers for payments and for refunds. A worker makes one call at a time, so they keep to the contract's
// calls at once, and a payment that has none is not sent yet: nobody has to ask later what became of it.
func workersOf(list []payment.Provider) (payments, refunds int) {
	payments, refunds = paymentWorkers, refundWorkers
	for _, p := range list {
		if n := p.Capabilities().AtOnce; n > 0 {
			refunds = min(refunds, max(1, n/4))
			payments = min(payments, max(1, n-refunds))
		}
	}
	return payments, refunds
}
