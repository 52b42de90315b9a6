package replay

import (
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/sim"
)

// step is how many seconds one entry of what is remembered covers.
const (
	step  = 10
	steps = sim.MostSeconds / step
	// mostSaid is how many changes of the operator's mind are remembered: one every ten seconds, all day.
	mostSaid = steps
)

// Past is an event that is over, as far as its decisions tell. What it holds grows with the length of the event, up to a day.
type Past struct {
	cfg    *pace.Config
	out    sim.Outcome
	missed int // seconds over the objectives before the last point
	sold   float64
	began  time.Time
	last   int // second
	crowd  crowd
	origin origin
	said   []said // bounded: see mostSaid
	cut    bool   // more than a day: the rest is not in it
}

// said is what the operator wanted from a second on.
type said struct {
	second   int
	operator pace.Operator
	until    int // second
}

// New begins to remember an event that was run with this configuration.
func New(cfg *pace.Config) *Past {
	p := &Past{cfg: cfg}
	p.out.Emptied, p.out.Sold = -1, -1
	p.origin.find(cfg)
	return p
}

// Add takes in one second of the event; they come in order.
func (p *Past) Add(in *pace.Inputs, d *pace.Decision) {
	if p.began.IsZero() {
		p.began = d.At
	}
	second := int(d.At.Sub(p.began).Round(time.Second) / time.Second)
	if second >= sim.MostSeconds || second < p.last {
		p.cut = p.cut || second >= sim.MostSeconds
		return
	}
	p.last = second
	// In an overload people repeat what failed, and without seats they ask again and again: neither is what a person brings.
	good := d.Latency <= 1 && d.Errors <= 1 && d.Stock <= pace.LastSeats
	p.crowd.add(second, &in.Gate, good)
	p.origin.add(second, in, p.cfg)
	p.note(second, in, d)
	o := in.Operator
	if n := len(p.said); n < mostSaid && (n == 0 || p.said[n-1].operator != o) {
		p.said = append(p.said, said{second: second, operator: o, until: int(o.Override.Until.Sub(p.began) / time.Second)})
	}
}

// Began is the time of the first decision.
func (p *Past) Began() time.Time { return p.began }

// Seconds is how long the event was.
func (p *Past) Seconds() int { return p.last }

func stepOf(second int) int { return min(steps-1, max(0, second/step)) }

// hold makes a list reach an index, repeating its last entry; extend does it with zeros.
func hold[T any](list []T, to int) []T {
	for len(list) <= to {
		var last T
		if n := len(list); n > 0 {
			last = list[n-1]
		}
		list = append(list, last)
	}
	return list
}

func extend[T any](list []T, to int) []T {
	for len(list) <= to {
		var none T
		list = append(list, none)
	}
	return list
}

// Config is what the event was run with.
func (p *Past) Config() *pace.Config { return p.cfg }
