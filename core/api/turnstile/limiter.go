package turnstile

const (
	slow     = 1.0 // of an objective: beyond it there are too many inside
	terrible = 3.0 // far too many
	good     = 0.7

	cutSlow     = 0.8
	cutTerrible = 0.5
	grow        = 1.15 // a second: from the floor to some hundreds in half a minute
)

// Limiter follows how many may be inside by what those inside meet: additive limits that only grow and shrink by a step
// find out too late after half the capacity is gone, so a cut starts at what is really inside.
type Limiter struct {
	Floor, Ceiling float64

	limit float64
}

// Seen is what happened within about the last second.
type Seen struct {
	Peak  int     // most that were inside at once
	Worst float64 // the p99 of those inside, or the wait for a connection, in shares of its objective; 0: nothing was measured
	Stuck bool    // some are inside and nobody has come out for longer than the objective
}

// Step gives the limit for the next second.
func (l *Limiter) Step(s Seen) float64 {
	if l.limit == 0 {
		l.limit = l.Ceiling
	}
	used := min(l.limit, float64(s.Peak))
	switch {
	case s.Stuck, s.Worst > terrible:
		l.limit = cutTerrible * used
	case s.Worst > slow:
		l.limit = cutSlow * used
	case s.Worst < good:
		l.limit = grow*l.limit + 1
	}
	l.limit = min(max(l.limit, l.Floor), l.Ceiling)
	return l.limit
}
