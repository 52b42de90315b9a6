package booking

import (
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ropeline/ropeline/core/problem"
)

type metrics struct {
	loopErrors *prometheus.CounterVec
	holds      *prometheus.CounterVec
	batchSize  prometheus.Histogram
	batchTime  prometheus.Histogram
	laneWait   prometheus.Histogram
	docketSize prometheus.Histogram
	reruns     *prometheus.CounterVec
	expired    prometheus.Counter
	sweepLag   prometheus.Gauge
	findings   *prometheus.GaugeVec
	audits     prometheus.Counter
	auditedAt  prometheus.Gauge
}

// newMetrics makes and registers the collectors. Labels are the engine's own
// words, never a visitor's.
func newMetrics(r prometheus.Registerer) (*metrics, error) {
	const ns = "ropeline_booking"
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Name: name, Help: help}, labels)
	}
	m := &metrics{
		loopErrors: counter("loop_errors_total", "Steps of background loops that failed.", "loop"),
		holds:      counter("hold_requests_total", "Requests to hold, extend or release, by what became of them.", "route", "outcome"),
		reruns:     counter("batch_reruns_total", "Batches run again, by reason.", "reason"),
		batchSize: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: ns, Name: "batch_requests",
			Help: "Requests in one batch.", Buckets: prometheus.ExponentialBuckets(1, 2, 9)}),
		docketSize: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: ns, Name: "docket_matters",
			Help: "Decisions about orders and payments in one transaction.", Buckets: prometheus.ExponentialBuckets(1, 2, 9)}),
		batchTime: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: ns, Name: "batch_seconds",
			Help: "Time of one batch, COMMIT included.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 12)}),
		laneWait: prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: ns, Name: "lane_wait_seconds",
			Help: "Time a request waited for its batch to begin.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 12)}),
		expired: prometheus.NewCounter(prometheus.CounterOpts{Namespace: ns, Name: "swept_lines_total",
			Help: "Lines of expired holds that the sweeper gave back."}),
		sweepLag: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: ns, Name: "sweeper_lag_seconds",
			Help: "For how long the oldest expired line had been due when the sweeper last looked."}),
		findings: prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: ns, Name: "audit_findings",
			Help: "Findings of the last audit, by invariant. Anything but 0 is a page."}, []string{"invariant"}),
		audits: prometheus.NewCounter(prometheus.CounterOpts{Namespace: ns, Name: "audits_total",
			Help: "Audits that ran to their end."}),
		auditedAt: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: ns, Name: "audit_timestamp_seconds",
			Help: "When the last audit ended."}),
	}
	for _, c := range []prometheus.Collector{m.loopErrors, m.holds, m.reruns, m.docketSize, m.batchSize, m.batchTime, m.laneWait,
		m.expired, m.sweepLag, m.findings, m.audits, m.auditedAt} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// countHold counts a request by its refusal's code. The codes are ours and few.
func (m *metrics) countHold(r *request, err error) {
	route, outcome := "release", "done"
	switch {
	case r.take != nil:
		route = "hold"
	case r.extend != uuid.Nil:
		route = "extend"
	}
	if err != nil {
		outcome = "fault"
		if p := problem.As(err); p != nil {
			outcome = p.Code
		}
	}
	m.holds.WithLabelValues(route, outcome).Inc()
}
