package sim

import (
	"math"

	"github.com/ropeline/ropeline/admission/pace"
)

// releaser turns a rate of entries into places, evenly, with the share of shows that was true at the start.
type releaser struct{ credit float64 }

func (r *releaser) to(p *plant, rate float64) int64 {
	if !p.world.Store {
		return p.x
	}
	release := max(0, rate) / calm(p.story.Servers).Show
	r.credit = min(r.credit+release, max(1, 2*release))
	n := math.Floor(r.credit)
	r.credit -= n
	return p.x + int64(n)
}

// full is the rate that saturates the database as it was at the start.
func full(p *plant) float64 {
	w := calm(p.story.Servers)
	return w.Servers / w.perPerson()
}

// static is 80 % of the true capacity, set by somebody who measured it before.
type static struct{ releaser }

func (s *static) Tick(p *plant, _ *pace.Inputs) int64 { return s.to(p, 0.8*full(p)) }

// aimd adds while the objective is met and multiplies when it is not.
type aimd struct {
	releaser
	rate   float64
	every  int
	factor float64
}

func (a *aimd) Tick(p *plant, in *pace.Inputs) int64 {
	if a.rate == 0 {
		a.rate = full(p) / 10
	}
	if int(p.now)%a.every == 0 {
		if bad(in) {
			a.rate *= a.factor
		} else {
			a.rate += full(p) * 0.01 * float64(a.every) / 5
		}
	}
	return a.to(p, a.rate)
}

func bad(in *pace.Inputs) bool {
	return in.Gate.Asked >= 20 && (in.Gate.P99 > 1 || in.Gate.Failed > 0.01)
}

// inOut lets one in for each one who leaves, up to the number of sessions that fits on average.
type inOut struct{}

func (inOut) Tick(p *plant, in *pace.Inputs) int64 {
	if !p.world.Store {
		return p.x
	}
	w := calm(p.story.Servers)
	// Those who buy stay about 150 s, the others until the gate finds them idle.
	buys := wantsSeat * (1 - walksAway)
	stay := buys*150 + (1-buys)*(idleLease+100)
	room := 0.8*full(p)*stay - float64(in.Gate.Active)
	for _, n := range p.open[:20] {
		room -= n * w.Show
	}
	return p.x + int64(max(0, room))
}

// batches let in a minute's worth at once, at the rate of static.
type batches struct{ credit float64 }

func (b *batches) Tick(p *plant, _ *pace.Inputs) int64 {
	if !p.world.Store || int(p.now)%60 != 0 {
		return p.x
	}
	b.credit += 60 * 0.8 * full(p) / calm(p.story.Servers).Show
	n := math.Floor(b.credit)
	b.credit -= n
	return p.x + int64(n)
}

// pi follows the headroom's utilisation by proportional and integral action with the true gain of the plant.
type pi struct {
	releaser
	sum  float64
	used float64
	seen bool
}

func (c *pi) Tick(p *plant, in *pace.Inputs) int64 {
	const integral, response, dead = 90.0, 80.0, 12.0
	w := calm(p.story.Servers)
	if r := &in.Resources[0]; !r.At.IsZero() {
		c.used, c.seen = r.Busy/r.Seconds/r.Capacity, true
	}
	if !c.seen {
		return c.to(p, full(p)/10)
	}
	gain := w.perPerson() / w.Servers // utilisation a person per second
	k := integral / (gain * (response + dead))
	e := pace.Headroom(w.Servers) - c.used
	rate := k*e + c.sum
	if (rate < 1.5*full(p) || e < 0) && (rate > 0 || e > 0) { // anti-windup
		c.sum += k / integral * e
	}
	return c.to(p, min(1.5*full(p), max(0.01*full(p), rate)))
}
