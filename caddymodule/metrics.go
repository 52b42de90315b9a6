package caddymodule

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ropeline/ropeline/admission/line"
)

// Collectors are package variables and registered again at each load: every configuration has a fresh registry, and
// counters must not start anew with it. Labels come from the configuration and from closed sets, never from visitors.
var (
	joins         = counter("joins_total", "Places given.", "room")
	joinsLimited  = counter("joins_limited_total", "Newcomers told to come again because of join_limit.", "room")
	knocks        = counter("knocks_total", "Knocks by the answer given; early ones were answered from memory.", "room", "answer")
	grants        = counter("line_events_total", "What the room did, by kind of event: grant, pickup, expire, leave ...", "room", "event")
	passedThrough = counter("passthrough_total", "Requests without a pass that the safety net let through, by how.", "room", "how")
	asked         = counter("work_total", "Newcomers under proof of work: asked for it, solved, waited without JavaScript, refused.", "room", "result")
	captchas      = counter("captcha_total", "Answers of the CAPTCHA service: good, refused, unavailable.", "room", "result")
	tokenInvalid  = counter("token_invalid_total", "Tickets and passes refused, by reason.", "room", "reason")
	passShared    = counter("pass_shared_total", "Good passes that came without their visitor's ticket: copies.", "room")
)

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "ropeline", Name: name, Help: help}, labels)
}

func countEvents(room string, events []line.Event) {
	for _, e := range events {
		grants.WithLabelValues(room, e.Kind).Inc()
	}
}

func registerMetrics(reg *prometheus.Registry) error {
	if reg == nil {
		return nil
	}
	for _, c := range []prometheus.Collector{joins, joinsLimited, knocks, grants, asked, captchas, passedThrough, tokenInvalid, passShared, roomGauges{}} {
		var already prometheus.AlreadyRegisteredError
		if err := reg.Register(c); err != nil && !errors.As(err, &already) {
			return err
		}
	}
	return nil
}

// roomGauges reads the rooms at the moment of the scrape.
type roomGauges struct{}

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("ropeline_"+name, help, append([]string{"room"}, labels...), nil)
}

var (
	depthDesc   = gauge("line_depth", "People known to wait whose places are not yet called.")
	waitingDesc = gauge("line_present", "Visitors seen present at or beyond X.")
	doorDesc    = gauge("line_door", "Visitors at the door.")
	liveDesc    = gauge("sessions_live", "Sessions and unclaimed grants.")
	capDesc     = gauge("sessions_cap", "The most sessions at once.")
	rateDesc    = gauge("rate_per_second", "Entries per second as configured.")
	staleDesc   = gauge("store_stale", "1 while the store has not answered for 3 s.")
	skewDesc    = gauge("clock_skew_seconds", "How far this edge's clock is ahead of the store's.")
	stateDesc   = gauge("room_state", "1 for the state the room is in.", "state")
)

// Describe implements prometheus.Collector.
func (roomGauges) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{depthDesc, waitingDesc, doorDesc, liveDesc, capDesc, rateDesc, staleDesc, skewDesc, stateDesc} {
		ch <- d
	}
	for _, d := range paceDescs {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (roomGauges) Collect(ch chan<- prometheus.Metric) {
	seen := map[string]bool{}
	for _, r := range liveRooms() {
		if seen[r.name] {
			continue // the same name at two stores, for the moment of a reload
		}
		seen[r.name] = true
		s := r.line.Snapshot()
		r.pace.note(s)
		stale := 0.0
		if s.Stale {
			stale = 1
		}
		depth, _ := s.Depth()
		for d, v := range map[*prometheus.Desc]float64{depthDesc: float64(depth), waitingDesc: float64(s.Waiting), doorDesc: float64(s.Door),
			liveDesc: float64(s.Live), capDesc: float64(s.Settings.Cap), rateDesc: s.Settings.Rate.PerSecond(), staleDesc: stale} {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, r.name)
		}
		if known(s) { // of a store that never answered nobody knows the time
			ch <- prometheus.MustNewConstMetric(skewDesc, prometheus.GaugeValue, s.Skew().Seconds(), r.name)
		}
		ch <- prometheus.MustNewConstMetric(stateDesc, prometheus.GaugeValue, 1, r.name, s.State)
		collectPace(r.name, r.paced.Document(), ch)
	}
}
