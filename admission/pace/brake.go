package pace

import "math"

const (
	brakeErrors  = 5.0 // times the objective
	brakeLatency = 3.0
	brakeAfter   = 3.0 // seconds
	calmAfter    = 1.0 // seconds that the last three were good
	brakeTo      = 0.02
	healthyFor   = 20.0 // seconds, memory of the healthy rate
)

// brake stops people at the door when the origin is plainly down. It leaves a trickle, so it always learns when that is
// over.
type brake struct {
	On      bool
	Bad     float64 // seconds
	Good    float64
	Since   float64 // seconds since it was last on
	Healthy float64 // rate
	Let     bool    // it was let go in this tick
}

// tick looks at the last ten seconds (q) to stop, and at the last three (calm) to let go: a window of ten is still full of
// the outage when the origin has been well for nine.
func (b *brake) tick(q quality, calm bool, rate, dt float64) {
	bad := !calm && (q.Errors > brakeErrors || q.Latency > brakeLatency)
	b.Since, b.Let = b.Since+dt, false
	if bad {
		b.Bad, b.Good = b.Bad+dt, 0
	} else {
		b.Bad = 0
		if calm {
			b.Good += dt
		} else {
			b.Good = 0
		}
	}
	switch {
	case b.Bad >= brakeAfter:
		b.On = true
	case b.On && b.Good >= calmAfter:
		b.On, b.Let = false, true
	}
	if b.On {
		b.Since = 0
	} else if q.worst() < 1 {
		b.Healthy += (1 - math.Exp(-dt/healthyFor)) * (rate - b.Healthy)
	}
}

func (b *brake) limit() float64 {
	if b.On {
		return brakeTo * b.Healthy
	}
	return math.Inf(1)
}
