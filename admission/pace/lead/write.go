package lead

import (
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/signal"
)

// write puts the decision into the log. A log that cannot be written is an alarm, said once, and no reason to stop.
func (p *Pacer) write(c *Config, sec *line.Second, in *pace.Inputs, d *pace.Decision, now time.Time) {
	if c.Log == nil {
		return
	}
	g := &in.Gate
	r := record.Record{At: sec.Now, Edge: sec.Edge, Document: *p.doc, X: in.Gate.X, Model: number(d.Model)}
	if d.Holds != d.Reason {
		r.Holds = c.Pace.Name(d.Holds)
	}
	r.Resources = append(r.Resources[:0:0], r.Resources...)
	for i := range r.Resources {
		r.Resources[i].Load, r.Resources[i].LoadAnyway, r.Resources[i].LoadEach = nil, nil, nil
	}
	r.Pipeline.Ages = nil
	signals := append(r.Signals[:0:0], r.Signals...)
	for i := range signals {
		signals[i].IfDead = ""
	}
	r.Signals = signals
	if r.Stock != nil {
		s := *r.Stock
		s.Expiring = nil
		r.Stock = &s
	}
	r.Inputs = record.Inputs{Seconds: g.Seconds, P99: g.P99, RecentP99: g.RecentP99, Failed: g.Failed, RecentFailed: g.RecentFailed,
		Asked: g.Asked, Flight: number(g.Flight), Requests: map[string]float64{}}
	r.Inputs.After, r.Setup = record.NewCounts(g.Claims[:]), p.due.Setup(c.Pace, sec.Now)
	for _, n := range g.Claims {
		r.Inputs.Claims += float64(n)
	}
	for k := range g.Work {
		sum := 0.0
		for _, n := range g.Work[k] {
			sum += float64(n)
		}
		if sum > 0 {
			r.Inputs.Requests[signal.Kinds[k]] = sum
			if r.Inputs.Ages == nil {
				r.Inputs.Ages = map[string]record.Counts{}
			}
			r.Inputs.Ages[signal.Kinds[k]] = record.NewCounts(g.Work[k][:])
		}
	}
	for i, res := range c.Pace.Resources {
		if rd := &in.Resources[i]; !rd.At.IsZero() {
			if r.Inputs.Readings == nil {
				r.Inputs.Readings = map[string]record.Reading{}
			}
			r.Inputs.Readings[res.Name] = reading(rd, now)
		}
	}
	if err := c.Log.Write(&r); err != nil && !p.faulty["log"] {
		p.faulty["log"] = true
		p.log.Error("decisions are not in the log", "room", c.Room, "error", err)
	}
}

func reading(r *pace.Reading, now time.Time) record.Reading {
	out := record.Reading{Age: round(now.Sub(r.At).Seconds()), Seconds: r.Seconds, Busy: r.Busy, Capacity: r.Capacity, Waiting: r.Waiting, Done: map[string]float64{}}
	for k, n := range r.Done {
		if n > 0 && signal.Kinds[k] != "" {
			out.Done[signal.Kinds[k]] = n
		}
	}
	return out
}
