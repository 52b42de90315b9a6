package booking

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/ticket"
)

const (
	// paymentPoll is how often the loops look without being kicked: what another
	// process left, and what time brings.
	paymentPoll = 200 * time.Millisecond
	orderPoll   = 2 * time.Second

	refundWorkers = 8
)

// till is the engine's part that takes money.
type till struct {
	providers    map[string]payment.Provider // by name
	mainProvider payment.Provider            // takes new payments
	tickets      *ticket.Signer
	kicks        kicks
	workers      *crew // attempts
	refunders    *crew
	money        *moneyMetrics
}

// openTill checks what the engine was given for payment and registers its loops.
func (e *Engine) openTill(d Deps) error {
	e.till = till{
		providers: make(map[string]payment.Provider, len(d.Providers)), tickets: d.Tickets, kicks: newKicks(),
		workers: newCrew(paymentWorkers), refunders: newCrew(refundWorkers),
	}
	for i, p := range d.Providers {
		if i == 0 {
			e.mainProvider = p
		}
		if e.providers[p.Name()] != nil {
			return fmt.Errorf("booking: two payment providers are called %q", p.Name())
		}
		e.providers[p.Name()] = p
	}
	if len(e.providers) > 0 && e.tickets == nil {
		return errors.New("booking: payments without a ticket signer would sell tickets nobody can show")
	}
	var err error
	if e.money, err = newMoneyMetrics(d.Metrics); err != nil {
		return fmt.Errorf("payment metrics: %w", err)
	}
	e.onHoldsEnded = e.ordersOfEndedHolds
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
	e.addKickedLoop("refunds", paymentPoll, e.kicks.refunds, e.attendRefunds)
	e.addKickedLoop("inbox", paymentPoll, e.kicks.inbox, e.readInbox)
	if !e.cfg.SweepOff {
		e.addLoop("orders", orderPoll, e.sweepOrders)
	}
}

// provider is the one new payments go to; the others still answer for old ones.
func (e *Engine) provider() payment.Provider { return e.mainProvider }

// moneyMetrics are the collectors of payment.
type moneyMetrics struct {
	calls    *prometheus.HistogramVec
	webhooks *prometheus.CounterVec
}

func newMoneyMetrics(r prometheus.Registerer) (*moneyMetrics, error) {
	const ns = "ropeline_payment"
	m := &moneyMetrics{
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: ns, Name: "call_seconds",
			Help:    "Calls to payment providers, by what was asked and how it ended (answered, refused, not_found, unknown).",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 11)}, []string{"call", "end"}),
		webhooks: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Name: "webhooks_total",
			Help: "Webhooks received, by what became of them at the door."}, []string{"end"}),
	}
	for _, c := range []prometheus.Collector{m.calls, m.webhooks} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *moneyMetrics) observe(call string, err error, took time.Duration) {
	end := "answered"
	var no *payment.Refused
	switch {
	case errors.As(err, &no):
		end = "refused"
	case errors.Is(err, payment.ErrNotFound):
		end = "not_found"
	case err != nil:
		end = "unknown"
	}
	m.calls.WithLabelValues(call, end).Observe(took.Seconds())
}
