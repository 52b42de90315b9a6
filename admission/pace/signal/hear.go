package signal

import (
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/telemetry"
)

// delays is how many answers of an instance its least delay is taken from.
const delays = 8

// Ear makes readings of answers. Its times are those of the controller's clock.
type Ear struct {
	Series    map[string]*pace.Series // by resource
	Lock      pace.Level
	Payment   pace.Level
	Stock     pace.Stock
	instances map[string]*clock
	locks     map[string]pace.Level
}

// clock of an instance: what has to be added to its time to have the controller's.
type clock struct {
	last    time.Time // as the instance said it
	offsets [delays]time.Duration
	n       int
}

// see notes an answer that arrived at that moment; one that is told again has no moment of its own.
func (c *clock) see(said, arrived time.Time) time.Time {
	if !said.Equal(c.last) {
		c.last = said
		c.offsets[c.n%delays] = arrived.Sub(said)
		c.n++
	}
	least := c.offsets[0]
	for _, o := range c.offsets[1:min(c.n, delays)] {
		least = min(least, o)
	}
	return said.Add(least)
}

// Kinds are the names of kinds of request in configurations and in telemetry.
var Kinds = [pace.MaxKinds]string{pace.Page: "page", pace.Hold: "hold", pace.Pay: "pay", pace.Confirm: "confirm", pace.Other: "other"}

// Hear takes in what has come since the last call. now is the controller's time at the moment local of this machine's.
func (e *Ear) Hear(p *Poller, now, local time.Time) {
	p.mu.Lock()
	news := p.heard
	p.heard = nil
	p.mu.Unlock()
	for _, h := range news {
		e.hear(h.answer, now.Add(h.at.Sub(local)))
	}
}

func (e *Ear) hear(a *telemetry.Answer, arrived time.Time) {
	if e.Series == nil {
		e.Series, e.instances, e.locks = map[string]*pace.Series{}, map[string]*clock{}, map[string]pace.Level{}
	}
	c := e.instances[a.Instance]
	if c == nil {
		if len(e.instances) >= pace.MaxInstances {
			return
		}
		c = &clock{}
		e.instances[a.Instance] = c
	}
	at := c.see(a.At, arrived)
	for name, r := range a.Resources {
		s := e.Series[name]
		if s == nil {
			if len(e.Series) >= maxNames {
				continue
			}
			s = &pace.Series{}
			e.Series[name] = s
		}
		n := pace.Counters{Instance: a.Instance, Started: a.StartedAt, At: at, Busy: r.BusySeconds, Capacity: r.Capacity, Waiting: r.Waiting}
		for k, kind := range Kinds {
			if kind != "" {
				n.Done[k] = r.Completed[kind]
			}
		}
		s.Add(n)
	}
	if a.LockWait != nil {
		e.locks[a.Instance] = pace.Level{At: at, Value: *a.LockWait}
		e.Lock = pace.Level{}
		for _, l := range e.locks { // the worst of those that still speak
			if at.Sub(l.At) < lockLives {
				e.Lock.Value = max(e.Lock.Value, l.Value)
			}
			if l.At.After(e.Lock.At) {
				e.Lock.At = l.At
			}
		}
	}
	if a.PaymentLatency != nil {
		e.Payment = pace.Level{At: at, Value: *a.PaymentLatency}
	}
	// All instances sell from one stock: the newest word counts.
	if s := a.Stock; s != nil && at.After(e.Stock.At) {
		e.Stock = pace.Stock{At: at, Available: float64(s.Available), Held: float64(s.Held), Sold: float64(s.Sold), Total: float64(s.Total)}
		for i, n := range s.Expiring {
			e.Stock.Expiring[min(i, pace.Expiries-1)] += float64(n)
		}
	}
}

const (
	maxNames  = 32 // resources that an origin may name; those that are not configured are only counted
	lockLives = 15 * time.Second
)

// Reading is what a resource did since the last call; At is zero when nothing new came.
func (e *Ear) Reading(name string, now time.Time) pace.Reading {
	if s := e.Series[name]; s != nil {
		return s.Reading(now)
	}
	return pace.Reading{}
}

// Instances is how many processes have been heard.
func (e *Ear) Instances() int { return len(e.instances) }
