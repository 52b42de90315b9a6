package pace

import (
	"math"
	"time"
)

const (
	driftPerSecond = 0.003 // relative, of the cost of a unit
	leastDone      = 4.0   // completions before a cost is computed
	openAfter      = 3     // innovations of one sign
	openBeyond     = 3.0   // sigma
	spreadOne      = 0.5   // relative deviation of the cost of one request
	noiseMemory    = 0.05
	maxHeadroom    = 0.88
	stuckFactor    = 4.0 // busy for this many times what leastDone units need, and nothing done
	drainWaiting   = 30.0
	afterCrush     = 0.1   // variance
	leastGuessed   = 100.0 // requests before the gate's view counts as a measurement
	maxInterval    = 30.0  // seconds; the mean over a longer gap tells what was, not what is
)

// capacity follows what one unit of work costs, by the utilisation law: busy seconds over completed work. This is known
// at a tenth of the load, so nobody has to be pushed in to find out.
type capacity struct {
	Known   bool
	At      time.Time // newest reading used
	Cost    float64   // busy seconds a unit of work
	Var     float64   // of Cost, relative
	Noise   float64   // variance of one measurement, relative
	Last    float64   // last measurement
	Sign    int       // of the last innovations beyond openBeyond, counted
	Busy    float64   // collected since the last measurement
	Done    float64
	Count   float64
	Servers float64
	Used    float64 // busy share in the newest reading
	Waiting float64
	Jobs    float64 // work per second completed, newest reading
	Frozen  float64 // W when the signal was last fresh
}

// read takes a reading that is new; others it has had before.
func (c *capacity) read(r *Reading, cost *[MaxKinds]float64) {
	if r.At.IsZero() || !r.At.After(c.At) || r.Seconds <= 0 || r.Capacity <= 0 || !sane(r.Busy) {
		return
	}
	c.At, c.Servers, c.Waiting = r.At, r.Capacity, max(0, r.Waiting)
	c.Used = r.Busy / r.Seconds / r.Capacity
	if r.Seconds > maxInterval {
		c.Busy, c.Done, c.Count = 0, 0, 0
		return
	}
	done, count := 0.0, 0.0
	for k, n := range r.Done {
		if n > 0 && cost[k] > 0 {
			done += cost[k] * n
			count += n
		}
	}
	c.Jobs = done / r.Seconds
	c.Busy, c.Done, c.Count = c.Busy+r.Busy, c.Done+done, c.Count+count
	unit := 1.0
	if c.Count > 0 {
		unit = c.Done / c.Count
	} else {
		unit = meanCost(cost)
	}
	c.Var += driftPerSecond * driftPerSecond * r.Seconds
	switch {
	case c.Count >= leastDone:
		c.measure(c.Busy/c.Done, spreadOne*spreadOne/c.Count)
	case c.Known && c.Busy > stuckFactor*leastDone*unit*c.Cost:
		// Work is being done and next to nothing gets finished. To wait for a completion would be to trust yesterday's cost.
		c.measure(c.Busy/max(c.Done, unit), spreadOne*spreadOne/leastDone)
	default:
		return
	}
	c.Busy, c.Done, c.Count = 0, 0, 0
}

// measure is one step of a scalar Kalman filter. Three innovations of the same sign beyond three sigma are no noise: the
// filter opens and follows at once.
func (c *capacity) measure(m, sampling float64) {
	if m <= 0 {
		return // work was done in no time: a clock that is too coarse, not a cost
	}
	if !c.Known {
		c.Known, c.Cost, c.Last, c.Noise, c.Var = true, m, m, sampling, sampling
		return
	}
	r := max(sampling, c.Noise)
	innovation := math.Log(m / c.Cost) // of the logarithm: ten times cheaper is as far as ten times dearer
	sigma := math.Sqrt(c.Var + r)
	switch {
	case innovation > openBeyond*sigma && c.Sign >= 0:
		c.Sign++
	case innovation < -openBeyond*sigma && c.Sign <= 0:
		c.Sign--
	default:
		c.Sign = 0
	}
	// From neighbours, so that a step counts once; clipped, so that it does not count as noise.
	jump := math.Log(m / c.Last)
	c.Noise += noiseMemory * (min(jump*jump/2, 9*r) - c.Noise)
	c.Last = m
	if c.Sign >= openAfter || c.Sign <= -openAfter {
		c.Var, c.Sign = innovation*innovation, 0
	}
	gain := c.Var / (c.Var + r)
	c.Cost *= math.Exp(gain * innovation)
	c.Var *= 1 - gain
}

// wonder is for when an overload is over: what work cost in the crush says little about what it costs now.
func (c *capacity) wonder() { c.Var, c.Sign = max(c.Var, afterCrush), 0 }

// guess takes the gate's own view in place of a reading that does not come.
func (c *capacity) guess(busy, done, count float64) {
	if c.Known && done > 0 {
		c.Var += driftPerSecond * driftPerSecond
		c.Busy, c.Done, c.Count = c.Busy+busy, c.Done+done, c.Count+count
		if c.Count >= leastGuessed {
			c.measure(c.Busy/c.Done, spreadOne*spreadOne/c.Count)
			c.Busy, c.Done, c.Count = 0, 0, 0
		}
	}
}

// work is what the resource may do, in units per second: small pools need more room for chance. What already waits must
// be done first.
func (c *capacity) work(headroom, phi float64) float64 {
	if headroom == 0 {
		headroom = Headroom(c.Servers)
	}
	full := c.Servers / c.Cost
	return max(0, phi*headroom*full-max(0, c.Waiting/drainWaiting-0.02*full))
}

// Headroom is the share of a pool of c servers that may be busy.
func Headroom(c float64) float64 {
	return max(0.1, min(maxHeadroom, 1-0.75/math.Sqrt(c)))
}

func meanCost(cost *[MaxKinds]float64) float64 {
	sum, n := 0.0, 0.0
	for _, c := range cost {
		if c > 0 {
			sum, n = sum+c, n+1
		}
	}
	return sum / n
}
