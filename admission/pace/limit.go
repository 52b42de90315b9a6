package pace

import "math"

const (
	reachedShare = 0.25 // of a person's work: below that, a division says nothing
	overshoot    = 1.03 // of W that a transient may use; what stays must fit
	roundedUp    = 1.01 // the share that shows is rounded up before it divides: given back here, seen in Base if it was too much
)

// Bound is one resource's card: what it can do, what is coming, and how many a second that leaves.
type Bound struct {
	Rate    float64 // people per second
	Work    float64 // units per second that may be done
	Coming  float64 // most units per second that come anyway, until where it is tightest
	Person  float64 // units that one person brings in the end
	Within  int     // seconds from now where it is tightest
	Used    float64 // busy share, newest reading
	Cost    float64 // busy seconds a unit
	Servers float64
	Phi     float64
	Signal  Health
	Blind   bool
	Tried   float64 // units per second that were seen, well or failing, of a blind one
	Doubted bool    // it reports much less than the gate sees, and is not believed
}

// bound is the largest rate with which the load stays below w at every time within the horizon. In a steady state all
// times bind alike, and the noise of each would lower the minimum: so only the steady state is held to w itself, and
// passing peaks to a little more, which the headroom covers.
func bound(f *forecast, total, w float64) (b Bound) {
	b.Work, b.Person = w, total
	if total <= 0 {
		b.Rate = math.Inf(1)
		return b
	}
	b.Rate, b.Within = roundedUp*w/total, Horizon*AgeBucket
	most := 0.0 // of what comes until then: the people inside may need less where new ones make it tightest
	for t := range f.Base {
		most = max(most, f.Base[t])
		if f.Unit[t] < reachedShare*total {
			continue
		}
		if r := (overshoot*w - f.Base[t]) / f.Unit[t]; r < b.Rate {
			b.Rate, b.Within, b.Coming = r, t*AgeBucket, most
		}
	}
	if b.Within == Horizon*AgeBucket {
		b.Coming = most
	}
	b.Rate = max(0, b.Rate)
	return b
}
