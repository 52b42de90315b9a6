package api

import "github.com/prometheus/client_golang/prometheus"

// registerInside makes the gauges of the lines, of the pressure, and of what bounds them.
func (a *API) registerInside(r prometheus.Registerer) error {
	const ns = "ropeline_api"
	gauge := func(name, help string, labels prometheus.Labels, f func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: ns, Name: name, Help: help, ConstLabels: labels}, f)
	}
	seconds := func(name, help string, f func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: ns, Name: name, Help: help}, f)
	}
	all := []prometheus.Collector{
		gauge("pressure", "What is left out so that buying goes on: 0 nothing, 1 extras, 2 also searches that are not in memory.", nil,
			func() float64 { return float64(a.measurePressure()) }),
		gauge("db_capacity", "Connections to the database that buyers can have.", nil, func() float64 { return a.booking.Usage().Database.Capacity }),
		gauge("db_waiting", "Who waits for a connection to the database.", nil, func() float64 { return float64(a.booking.Usage().Database.Waiting) }),
		gauge("payment_slots", "Calls to the payment provider that may be under way at once.", nil, func() float64 { return a.booking.Usage().PaymentSlots }),
		seconds("db_busy_seconds_total", "Time that connections to the database were in use for buyers, added up.",
			func() float64 { return a.booking.Usage().Database.Busy.Seconds() }),
		seconds("payment_busy_seconds_total", "Time that calls to payment providers took, added up.",
			func() float64 { return a.booking.Usage().Payments.Busy.Seconds() }),
	}
	for name, p := range map[string]pace{"hold": holding, "pay": paying} {
		in, label := a.inside[p], prometheus.Labels{"route": name}
		all = append(all,
			gauge("inside_waiting", "Who stands in the line inside.", label, func() float64 { n, _ := in.line.Waiting(); return float64(n) }),
			gauge("inside_now", "Calls that are being carried out.", label, func() float64 { _, n := in.line.Waiting(); return float64(n) }),
			gauge("inside_limit", "How many may be carried out at once, by what those inside meet.", label, in.limitNow))
	}
	for _, c := range all {
		if err := r.Register(c); err != nil {
			return err
		}
	}
	return nil
}
