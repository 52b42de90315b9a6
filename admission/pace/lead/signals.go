package lead

import (
	"fmt"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/report"
)

var healthNames = map[pace.Health]string{pace.NeverHeard: report.SignalNever, pace.Fresh: report.SignalFresh, pace.Late: report.SignalWarn, pace.Stale: report.SignalStale}

func stateOf(h pace.Health) string { return healthNames[h] }

// What happens when a signal dies.
const (
	deadGate     = "nobody new is let in: without the edges' own counts nothing is known"
	deadRequired = "its last capacity holds for 15 s, then it is trusted less and less, down to half; after 10 minutes the floor"
	deadFirst    = deadRequired + "; what the edges see may lower it meanwhile"
	deadAdvisory = "it is ignored: the others limit the rate"
	deadLock     = "waits for locks no longer slow the rate; answer times and errors still do"
	deadStock    = "those who wait are told nothing about seats after 15 s; after 10 minutes people are let in as if there were seats for all"
	deadSource   = "the other instances are read on"
	noSignal     = "it tells nothing: its limit is found by trying"
)

// signals lists what the decision was made from, and the edges that were counted.
func (p *Pacer) signals(c *Config, doc *report.Document, in *pace.Inputs, sec *line.Second, now time.Time) {
	add := func(name string, age float64, required bool, dead, detail string) {
		s := report.Signal{Name: name, State: report.SignalNever, Required: required, IfDead: dead, Detail: detail}
		if age >= 0 {
			age = round(age)
			s.Age, s.State = &age, stateOf(pace.SignalOf(age))
		}
		doc.Signals = append(doc.Signals, s)
	}
	since := func(at time.Time) float64 {
		if at.IsZero() {
			return -1
		}
		return max(0, now.Sub(at).Seconds())
	}
	for _, s := range sec.Saw {
		doc.Edges = append(doc.Edges, report.Edge{Name: s.Edge, Age: round(float64(sec.RT-s.RT) / 1e6)})
	}
	add("gate", 0, true, deadGate, fmt.Sprintf("edges: %d", len(sec.Saw)))
	heard := fmt.Sprintf("instances: %d", p.ear.Instances())
	for i, r := range c.Pace.Resources {
		age, dead := since(p.state.Caps[i].At), deadRequired
		switch {
		case age < 0:
			dead = noSignal
		case r.Advisory:
			dead = deadAdvisory
		case i == 0:
			dead = deadFirst
		}
		add(r.Name, age, !r.Advisory && age >= 0, dead, heard)
	}
	if p.poller == nil {
		return
	}
	add("lock_wait", since(in.LockWait.At), false, deadLock, heard)
	if c.Pace.Stock {
		add("stock", since(p.ear.Stock.At), false, deadStock, heard)
	}
	for _, s := range p.poller.Sources(p.now()) {
		detail := s.Address
		if s.Err != "" {
			detail += ": " + s.Err
		}
		add("telemetry "+s.URL, s.Age, false, deadSource, detail)
	}
}
