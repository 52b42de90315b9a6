package replay

import (
	"fmt"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/sim"
)

const (
	leastPeople   = 50  // that must have been seen before their habits are taken over
	leastReleased = 100 // places before a share of shows is computed
	ages          = pace.Ages * pace.AgeBucket
)

// crowd is who joined, who came, and what they did.
type crowd struct {
	begun    bool
	x0, x    int64
	before   int       // last second
	joined   []int64   // places given, by the end of each second
	released []float64 // places let go in each step
	came     []float64 // of those released in each step
	lags     [pace.Lags]float64
	inside   [ages]float64      // who came so many seconds ago
	passed   [pace.Ages]float64 // persons who were through each age bucket
	did      [pace.MaxKinds][pace.Ages]float64
	persons  float64
}

func (c *crowd) add(second int, g *pace.Gate, good bool) {
	if !c.begun {
		c.begun, c.x0, c.x, c.before = true, g.X, g.X, second-1
	}
	c.joined = hold(c.joined, second)
	c.joined[second] = max(c.joined[second], g.X-c.x0+g.Waiting)
	at := stepOf(second)
	c.released, c.came = extend(c.released, at), extend(c.came, at)
	c.release(second, g.X)
	claims := 0.0
	for lag, n := range g.Claims {
		claims += float64(n)
		c.lags[lag] += float64(n)
		if from := second - lag; from >= 0 {
			c.came[stepOf(from)] += float64(n)
		}
	}
	c.age(second-c.before, claims)
	c.before = second
	c.persons += claims
	if !good {
		return // what people do in an overload is the overload's
	}
	for a := range c.passed {
		for _, n := range c.inside[a*pace.AgeBucket : (a+1)*pace.AgeBucket] {
			c.passed[a] += n / pace.AgeBucket
		}
	}
	for k := range g.Work {
		for a, n := range g.Work[k] {
			c.did[k][a] += float64(n)
		}
	}
}

// release books the places that were let go since the last record, at the second before: the record tells of the tick in
// which they were seen.
func (c *crowd) release(second int, x int64) {
	if n := x - c.x; n > 0 {
		at := stepOf(max(0, second-1))
		c.released[at] += float64(n)
		c.x = x
	}
}

func (c *crowd) age(by int, claims float64) {
	by = min(max(by, 1), ages)
	copy(c.inside[by:], c.inside[:ages-by])
	for i := range c.inside[:by] {
		c.inside[i] = claims / float64(by)
	}
}

// perPerson is how often one person asks for a kind of thing, and at which mean age in seconds.
func (c *crowd) perPerson(kind int) (times, age float64) {
	for a, n := range c.did[kind] {
		if c.passed[a] < 1 {
			continue
		}
		each := n / c.passed[a]
		times += each
		age += each * (float64(a) + 0.5) * pace.AgeBucket
	}
	if times > 0 {
		age /= times
	}
	return times, age
}

// habits turns what was seen into what the simulator's people do.
func (c *crowd) habits(cfg *pace.Config) (sim.Habits, error) {
	if c.persons < leastPeople {
		return sim.Habits{}, fmt.Errorf("only %.0f people came in this log: %d are needed to know what people do", c.persons, leastPeople)
	}
	h := sim.Usual()
	h.HoldFor = cfg.HoldFor
	pages, pageAge := c.perPerson(pace.Page)
	if pages < 1 {
		pages = 1
	}
	h.LeastPages = min(h.LeastPages, int(pages))
	h.MorePages = pages - float64(h.LeastPages)
	// Page j comes at j times the thinking time: the mean over all pages is E[n(n-1)]/2E[n] of it, n having the variance of
	// its geometric part.
	if spread := h.MorePages*(1+h.MorePages) + pages*pages - pages; spread > 0.05 && pageAge > 0 {
		h.Think = pageAge * 2 * pages / spread
	}
	holds, holdAge := c.perPerson(pace.Hold)
	pays, payAge := c.perPerson(pace.Pay)
	if confirms, age := c.perPerson(pace.Confirm); pays == 0 {
		pays, payAge = confirms, age
	}
	h.Wants, h.WalksAway = min(1, holds), 0
	if holds > 0 {
		h.WalksAway = max(0, 1-pays/holds)
		h.Form = max(1, payAge-holdAge)
	}
	h.Came = c.delays()
	return h, nil
}

// delays is the share that has come by each second after the release, of those who come.
func (c *crowd) delays() []float64 {
	sum := 0.0
	for _, n := range c.lags {
		sum += n
	}
	list := make([]float64, pace.Lags)
	so := 0.0
	for lag, n := range c.lags {
		so += n
		list[lag] = so / sum
	}
	return list
}

// shows is the share that comes of those released around a step. What was released in the last two minutes is censored: its
// claims are not all in the log.
func (c *crowd) shows() []float64 {
	list := make([]float64, len(c.released))
	whole := len(c.released) - pace.Lags/step
	last := 0.85
	for i := range list {
		released, came := 0.0, 0.0
		for back := 0; back <= min(i, 30) && released < leastReleased; back++ {
			if i-back < whole {
				released += c.released[i-back]
				came += c.came[i-back]
			}
		}
		if released >= leastReleased {
			last = min(1, max(0.02, came/released))
		}
		list[i] = last
	}
	return list
}

// joinedBy is the line's length in places, whoever left it. After the log nobody joins.
func (c *crowd) joinedBy(second int) int64 {
	if len(c.joined) == 0 {
		return 0
	}
	return c.joined[min(second, len(c.joined)-1)]
}
