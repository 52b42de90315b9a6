package booking

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
)

// booksMetrics are the collectors of the ledger.
type booksMetrics struct {
	unfolded prometheus.Gauge
	foldLag  prometheus.Gauge
	breaks   *prometheus.GaugeVec
	open     *prometheus.GaugeVec
	last     *prometheus.GaugeVec
}

func newBooksMetrics(r prometheus.Registerer) (*booksMetrics, error) {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "ropeline_ledger", Name: name, Help: help})
	}
	m := &booksMetrics{
		unfolded: gauge("unfolded_journals", "Committed journals that the last fold could not take in, since an older transaction is open."),
		foldLag:  gauge("fold_lag_seconds", "Age of the oldest of them."),
	}
	labelled := func(name, help, label string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "ropeline_money", Name: name, Help: help}, []string{label})
	}
	m.breaks = labelled("breaks_open", "Differences between the provider, the books and the places that are open, by class.", "class")
	m.open = labelled("payments_on", "1: new payments are taken; 0: they were switched off.", "provider")
	m.last = labelled("reconciled_timestamp_seconds", "When the last reconciliation that came to its end began.", "provider")
	for _, c := range []prometheus.Collector{m.unfolded, m.foldLag, m.breaks, m.open, m.last} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// measureBooks reads the gauges that are the database's.
func (e *Engine) measureBooks(ctx context.Context) (again bool, err error) {
	rows, err := e.db.Pool.Query(ctx, sqlBreakCounts)
	if err != nil {
		return false, fmt.Errorf("count breaks: %w", err)
	}
	open := map[string]int{}
	var class string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&class, &n}, func() error { open[class] = n; return nil }); err != nil {
		return false, fmt.Errorf("count breaks: %w", err)
	}
	for c := range breakRules {
		e.books.breaks.WithLabelValues(string(c)).Set(float64(open[string(c)]))
	}
	for name := range e.providers {
		s, err := paymentSwitch(ctx, e.db.Pool, name)
		if err != nil {
			return false, err
		}
		on := 0.0
		if s.On {
			on = 1
		}
		e.books.open.WithLabelValues(name).Set(on)
		var last float64
		if err := e.db.Pool.QueryRow(ctx, sqlLastRun, name).Scan(&last); err != nil {
			return false, fmt.Errorf("read the last reconciliation: %w", err)
		}
		e.books.last.WithLabelValues(name).Set(last)
	}
	return false, nil
}

const (
	sqlBreakCounts = `SELECT class, count(*) FROM money_break WHERE state = 'open' GROUP BY 1`
	sqlLastRun     = `SELECT coalesce(extract(epoch FROM max(started_at)), 0)::float8 FROM recon_run WHERE provider = $1 AND ended_at IS NOT NULL`
)
