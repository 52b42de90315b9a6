package lead

import (
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/gate"
)

const (
	shadowFor  = time.Hour        // how far ahead the file's shadow is ended; it is said anew each second
	stockLives = 10 * time.Minute // a stock that was told longer ago counts for nothing
)

func (p *Pacer) inputs(c *Config, sec *line.Second, now, local time.Time) *pace.Inputs {
	seconds := 1.0
	if !p.last.IsZero() {
		seconds = max(0.1, now.Sub(p.last).Seconds())
	}
	in := &pace.Inputs{Epoch: sec.Epoch}
	in.Gate = p.sum.Gate(p.edges(sec), seconds)
	// For the controller, who is released is who has an entry time. Those at the door come no faster than it lets them, so
	// they are no load that comes whatever is decided; with X in its place the crowd at the door would close it.
	in.Gate.X, in.Gate.Active = sec.Granted, sec.Live
	if in.Gate.Waiting = max(sec.Waiting, sec.Door); full(sec) {
		in.Gate.Waiting = 0 // those who wait do not wait for the rate, so it is not tried and may not grow
	}
	in.Gate.Away = sec.State == line.StateMerging
	if p.poller != nil {
		p.ear.Hear(p.poller, now, local)
		for i, r := range c.Pace.Resources {
			in.Resources[i] = p.ear.Reading(r.Name, now)
		}
		in.LockWait = p.ear.Lock
		if s := p.ear.Stock; c.Pace.Stock && !s.At.IsZero() && now.Sub(s.At) < stockLives {
			in.Stock = s
		}
	}
	in.Operator = p.operator(c, sec, now)
	return in
}

// full says that the cap holds people back, and not the rate.
func full(sec *line.Second) bool { return sec.Cap > 0 && sec.Live >= sec.Cap }

func (p *Pacer) edges(sec *line.Second) (out []gate.Edge) {
	known := map[string]bool{}
	for _, s := range sec.Saw {
		saw, err := gate.Decode(s.Said)
		if err != nil {
			if !p.faulty[s.Edge] {
				p.faulty[s.Edge] = true
				p.log.Error("what an edge saw cannot be read, so its visitors are not counted", "edge", s.Edge, "error", err)
			}
			continue
		}
		known[s.Edge] = true
		out = append(out, gate.Edge{Name: s.Edge, Saw: saw})
	}
	if len(p.sum.Bases) > 2*len(known)+8 { // edges that come back after a while are known by their bases
		p.sum.Forget(func(edge string) bool { return known[edge] })
	}
	return out
}

// operator is what people decided: the room's own pause above all, then the word to the controller, then the file.
func (p *Pacer) operator(c *Config, sec *line.Second, now time.Time) pace.Operator {
	// The cap is the door's, which keeps it exactly and gives a slot away in the moment it is free. A controller that eases
	// towards it would leave a part of a small room empty.
	o := pace.Operator{}
	order, mode, ok := ParseOrder(sec.Order, sec.Now)
	until := now.Add(shadowFor)
	if ok { // said by the store's clock
		until = now.Add(time.UnixMilli(order.Until).Sub(sec.Now))
	}
	switch {
	case sec.State != "open" && sec.State != line.StatePassthrough && sec.State != line.StateMerging && !(ok && mode == pace.Drain):
		w := pace.Override{Mode: pace.Pause, Who: "an operator", Why: "the room is " + sec.State, Until: until}
		if sec.State == "prequeue" || sec.State == "drawing" {
			w.Who, w.Why = "the schedule", "the room has not opened"
		}
		if ok && mode == pace.Pause {
			w.Who, w.Why = order.Who, order.Why
		}
		o.Override = w
	case ok && mode != pace.Pause: // a pause is the room's state; when that ended, the word is over
		o.Override = pace.Override{Mode: mode, Rate: order.Rate, Who: order.Who, Why: order.Why, Until: until}
	case c.Shadow:
		o.Override = pace.Override{Mode: pace.Shadow, Until: until}
	}
	return o
}
