package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ropeline/ropeline/core/payment"
)

// moneyMetrics are the collectors of payment. Counts of what is under way are the
// database's, so every process shows the same.
type moneyMetrics struct {
	calls    *prometheus.HistogramVec
	webhooks *prometheus.CounterVec
	underWay *prometheus.GaugeVec
	oldest   *prometheus.GaugeVec
}

func newMoneyMetrics(r prometheus.Registerer) (*moneyMetrics, error) {
	const ns = "ropeline_payment"
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: ns, Name: name, Help: help}, []string{"what"})
	}
	m := &moneyMetrics{
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: ns, Name: "call_seconds",
			Help:    "Calls to payment providers, by what was asked and how it ended (answered, refused, not_found, unknown).",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 11)}, []string{"call", "end"}),
		webhooks: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Name: "webhooks_total",
			Help: "Webhooks received, by what became of them at the door."}, []string{"end"}),
		underWay: gauge("under_way", "What is not settled: payments unknown (sent, without an answer), captures, voids, refunds, webhooks unread and unmatched."),
		oldest:   gauge("oldest_seconds", "Age of the oldest unknown payment, reserved refund, and unread webhook."),
	}
	for _, c := range []prometheus.Collector{m.calls, m.webhooks, m.underWay, m.oldest} {
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

// measureMoney reads the gauges: how much is under way, and how old it is.
func (e *Engine) measureMoney(ctx context.Context) (again bool, err error) {
	var unknown, captures, voids, refunds, unread, unmatched int64
	var unknownAge, refundAge, unreadAge float64
	q := e.db.Pool
	err = errors.Join(
		q.QueryRow(ctx, sqlUnderWay).Scan(&unknown, &unknownAge, &captures, &voids),
		q.QueryRow(ctx, sqlRefundsUnderWay).Scan(&refunds, &refundAge),
		q.QueryRow(ctx, sqlInboxUnread).Scan(&unread, &unmatched, &unreadAge),
	)
	if err != nil {
		return false, fmt.Errorf("measure payments: %w", err)
	}
	for what, n := range map[string]int64{
		"unknown": unknown, "capture": captures, "void": voids, "refund": refunds, "webhook": unread, "unmatched": unmatched,
	} {
		e.money.underWay.WithLabelValues(what).Set(float64(n))
	}
	for what, age := range map[string]float64{"unknown": unknownAge, "refund": refundAge, "webhook": unreadAge} {
		e.money.oldest.WithLabelValues(what).Set(age)
	}
	return false, nil
}
