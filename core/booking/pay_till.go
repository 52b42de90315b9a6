package booking

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/ticket"
)

const (
	// paymentPoll is how often the loops look without being kicked: what another
	// process left, and what time brings.
	paymentPoll = 200 * time.Millisecond
	orderPoll   = 2 * time.Second
	gaugePoll   = 5 * time.Second
	booksPoll   = 30 * time.Second
	watchPoll   = time.Minute

	refundWorkers = 8
)

// till is the engine's part that takes money.
type till struct {
	providers    map[string]payment.Provider // by name
	mainProvider payment.Provider            // takes new payments
	contracts    map[string]*rate.Limiter    // requests a second, of this process; by provider
	tickets      *ticket.Signer
	kicks        kicks
	workers      *crew // attempts
	refunders    *crew
	money        *moneyMetrics
	calls        calls // see usage.go
	confirmed    atomic.Uint64
}

// openTill checks what the engine was given for payment and registers its loops.
func (e *Engine) openTill(d Deps) error {
	e.till = till{
		providers: make(map[string]payment.Provider, len(d.Providers)), contracts: map[string]*rate.Limiter{}, tickets: d.Tickets, kicks: newKicks(),
	}
	workers, refunders := workersOf(d.Providers)
	e.workers, e.refunders = newCrew(workers), newCrew(refunders)
	for i, p := range d.Providers {
		if i == 0 {
			e.mainProvider = p
		}
		if e.providers[p.Name()] != nil {
			return fmt.Errorf("booking: two payment providers are called %q", p.Name())
		}
		e.providers[p.Name()] = p
		if n := p.Capabilities().PerSecond; n > 0 {
			// A tenth of a second's worth at once: a provider counts by the second, and not by ours.
			e.contracts[p.Name()] = rate.NewLimiter(rate.Limit(n), max(1, int(n/10)))
		}
	}
	if e.calls.most = workers; e.mainProvider != nil {
		e.calls.perSecond = e.mainProvider.Capabilities().PerSecond
	}
	if len(e.providers) > 0 && e.tickets == nil {
		return errors.New("booking: payments without a ticket signer would sell tickets nobody can show")
	}
	var err error
	if e.money, err = newMoneyMetrics(d.Metrics); err != nil {
		return fmt.Errorf("payment metrics: %w", err)
	}
	e.addMoneyLoops()
	return nil
}

// addMoneyLoops registers the loops of payment: sender and resolver, captures and
// voids in one; refunds; the webhook inbox; the expiry of waiting orders.
func (e *Engine) addMoneyLoops() {
	if len(e.providers) == 0 {
		return
	}
	e.addKickedLoop("payments", paymentPoll, e.kicks.payments, e.attendPayments)
	e.addLoop("watch", watchPoll, e.attendWatched)
	e.addKickedLoop("refunds", paymentPoll, e.kicks.refunds, e.attendRefunds)
	e.addKickedLoop("inbox", paymentPoll, e.kicks.inbox, e.readInbox)
	e.addLoop("gauges", gaugePoll, e.measureMoney)
	e.addLoop("reconcile", reconcilePoll, e.reconcileHourly)
	e.addLoop("books", booksPoll, e.measureBooks)
	e.addLoop("cancellations", cancellationPoll, e.cancelEvents)
	if !e.cfg.SweepOff {
		e.addLoop("orders", orderPoll, e.sweepOrders)
	}
}

// provider is the one new payments go to; the others still answer for old ones.
func (e *Engine) provider() payment.Provider { return e.mainProvider }
