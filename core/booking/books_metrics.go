package booking

import "github.com/prometheus/client_golang/prometheus"

// booksMetrics are the collectors of the ledger.
type booksMetrics struct {
	unfolded prometheus.Gauge
	foldLag  prometheus.Gauge
}

func newBooksMetrics(r prometheus.Registerer) (*booksMetrics, error) {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "ropeline_ledger", Name: name, Help: help})
	}
	m := &booksMetrics{
		unfolded: gauge("unfolded_journals", "Committed journals that the last fold could not take in, since an older transaction is open."),
		foldLag:  gauge("fold_lag_seconds", "Age of the oldest of them."),
	}
	for _, c := range []prometheus.Collector{m.unfolded, m.foldLag} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}
