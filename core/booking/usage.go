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
	// Database are the connections for orders, money and reading: those that run out. Lanes are those that settle holds and
	// orders in batches: a full one settles more with each batch, so that how busy it is says little about how much more it
	// can do. Added together the idle ones of the second would hide that the first are all taken.
	Database, Lanes pg.Load

	Payments     gauge.Use     // payments that a worker is at
	PaymentSlots float64       // those that may be at the same time; refunds have their own
	PaymentTook  time.Duration // mean of the calls of the last ten seconds
	PaymentCalls int           // their number
	Answered     uint64        // requests for money that were answered
	Confirmed    uint64        // orders
}

// Usage reads it. It costs no query.
func (e *Engine) Usage() Usage {
	now := time.Now()
	u := Usage{Database: e.db.Load(), Lanes: e.laneDB.Load(), Payments: e.workers.busy.Read(now), Answered: e.calls.answered.Load(), Confirmed: e.confirmed.Load()}
	for _, db := range []*pg.DB{e.slowDB, e.docketDB} {
		l := db.Load()
		u.Lanes.Use, u.Lanes.Wait, u.Lanes.Capacity = u.Lanes.Plus(l.Use), max(u.Lanes.Wait, l.Wait), u.Lanes.Capacity+l.Capacity
	}
	u.PaymentTook, u.PaymentCalls = e.calls.took.Mean(now)
	u.PaymentSlots = e.calls.slots(now)
	return u
}

// calls are those to payment providers.
type calls struct {
	took      gauge.Recent
	answered  atomic.Uint64
	most      int     // workers of this process
	perSecond float64 // of the provider that takes new payments; 0: no limit
}

func (c *calls) end(began time.Time, do payment.Action, err error) {
	now := time.Now()
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
