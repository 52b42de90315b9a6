package account

import (
	"math"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

// leastAsked is from how many requests in ten seconds on the objectives say something.
const leastAsked = 20

// Limit is what one limit did to an event.
type Limit struct {
	Seconds int // in which people waited and this limit decided
	kept    kept
}

// Account is one event. The zero value is an event that has not begun.
type Account struct {
	Seconds int // decisions
	Waiting int // of them, with people in line
	Over    int // of them, over the objectives
	Limits  [pace.Limits]Limit
	Fastest float64       // people a second: the mean of the best ten minutes, or of all if there are fewer
	Longest time.Duration // that somebody waited from joining to release

	first, last time.Time
	x0, x       int64
	front       front
	pace        fastest
}

// Add takes in one second: what was known and what was decided.
func (a *Account) Add(in *pace.Inputs, d *pace.Decision) {
	if a.Seconds == 0 {
		a.first, a.x0 = d.At, in.Gate.X
	}
	a.Seconds++
	a.last, a.x = d.At, max(a.x, in.Gate.X)
	if Over(in, d) {
		a.Over++
	}
	if in.Gate.Waiting > 0 {
		a.Waiting++
		l := &a.Limits[d.Cause()] // nobody waits because of a floor
		l.Seconds++
		l.kept.add(instead(d), d.Rate)
	}
	second := int(d.At.Sub(a.first) / time.Second)
	a.front.see(second, in.Gate.X-a.x0, in.Gate.X-a.x0+in.Gate.Waiting)
	a.Longest = time.Duration(a.front.longest) * time.Second
	a.Fastest = a.pace.add(d.Rate)
}

// Released is how many places were let go.
func (a *Account) Released() int64 { return a.x - a.x0 }

// Span is from the first to the last decision.
func (a *Account) Span() time.Duration { return a.last.Sub(a.first) }

// Lost is the time that a limit cost: how long the people it kept waiting by itself would take at the event's best pace.
// Without it the next smallest limit would have decided, but nobody believes in more than the best pace: a resource that
// nobody uses bears any number for a moment.
func (a *Account) Lost(l pace.Limit) time.Duration {
	if a.Fastest <= 0 {
		return 0
	}
	return time.Duration(a.Limits[l].kept.people(a.Fastest) / a.Fastest * float64(time.Second))
}

// Over is whether a second missed the objectives.
func Over(in *pace.Inputs, d *pace.Decision) bool {
	return in.Gate.Asked >= leastAsked && (d.Latency > 1 || d.Errors > 1)
}

// instead is the rate that would have been without the limit that decided; +Inf if nothing else limited.
func instead(d *pace.Decision) float64 {
	next, cause := math.Inf(1), d.Cause()
	for l, v := range d.Limits {
		switch pace.Limit(l) {
		case cause, pace.ByFloor, pace.BySlew: // the slew follows whatever decided, close above it
		default:
			next = min(next, v)
		}
	}
	return next
}
