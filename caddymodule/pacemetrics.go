package caddymodule

import (
	"github.com/prometheus/client_golang/prometheus"

	pacereport "github.com/ropeline/ropeline/admission/pace/report"
)

var (
	paceRateDesc   = gauge("pace_rate_per_second", "People a second that the controller has decided, applied or not; at the edge that leads.")
	paceLimitDesc  = gauge("pace_limit_per_second", "People a second that each limit leaves; those that do not bind are missing.", "limit")
	paceReasonDesc = gauge("pace_reason", "1 for the limit that decides.", "limit")
	paceModeDesc   = gauge("pace_mode", "1 for the mode in force: auto, pin, pause, drain, shadow.", "mode")
	paceSignalDesc = gauge("pace_signal_age_seconds", "Age of the newest value of each signal.", "signal")
	paceUsedDesc   = gauge("pace_resource_used", "Busy share of a resource of the origin, as it tells.", "resource")
)

var paceDescs = []*prometheus.Desc{paceRateDesc, paceLimitDesc, paceReasonDesc, paceModeDesc, paceSignalDesc, paceUsedDesc}

// collectPace tells what the leader decided; other edges tell nothing of it, so that sums over edges are right. Labels come
// from the configuration: names of resources and addresses.
func collectPace(room string, doc *pacereport.Document, ch chan<- prometheus.Metric) {
	if doc == nil {
		return
	}
	tell := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, append([]string{room}, labels...)...)
	}
	tell(paceRateDesc, doc.Rate)
	tell(paceReasonDesc, 1, doc.Reason)
	tell(paceModeDesc, 1, doc.Mode)
	for name, v := range doc.Limits {
		tell(paceLimitDesc, v, name)
	}
	for _, r := range doc.Resources {
		if r.Capacity > 0 {
			tell(paceUsedDesc, r.Used, r.Name)
		}
	}
	oldest := map[string]float64{} // an address may stand for many instances
	for _, s := range doc.Signals {
		if s.Age != nil {
			oldest[s.Name] = max(oldest[s.Name], *s.Age)
		}
	}
	for name, age := range oldest {
		tell(paceSignalDesc, age, name)
	}
}
