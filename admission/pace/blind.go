package pace

import "math"

const (
	blindGrowth  = 0.02  // per second
	blindReach   = 1.6   // times the healthy load that has arrived
	blindCut     = 0.93  // of the highest healthy delivery
	blindProbe   = 0.002 // per second, after the first overload
	blindNear    = 0.0003
	nearFailure  = 0.93
	blindMemory  = 10.0 // seconds
	blindQuiet   = 30.0 // good seconds that end an episode
	blindForgets = 1200.0
)

// blind finds the capacity of an origin that tells nothing, from the work that arrived while it was healthy.
type blind struct {
	Level   float64 // work per second allowed
	Arrived float64 // work per second seen, smoothed
	Best    float64 // highest healthy Arrived
	Failed  float64 // Arrived when it failed; 0: never
	Episode bool
	Good    float64
	Bad     float64
}

func (b *blind) tick(work, start float64, q quality, held bool, dt float64) {
	b.Arrived += (1 - math.Exp(-dt/blindMemory)) * (work - b.Arrived)
	if b.Level == 0 {
		b.Level = start
	}
	worst := q.worst()
	if worst > 1 {
		b.Bad, b.Good = b.Bad+dt, 0
	} else {
		b.Bad = 0
		b.Best = max(b.Best, b.Arrived)
		if worst < trimGood {
			b.Good += dt
		}
	}
	if held {
		return
	}
	switch {
	case b.Bad >= 2 && !b.Episode:
		b.Episode = true
		b.Failed = b.Arrived
		b.Level = min(b.Level, blindCut*b.Best)
		b.Best = b.Level
	case b.Episode && b.Good >= blindQuiet:
		b.Episode = false
	case b.Episode || worst >= trimGood:
	case b.Failed == 0:
		b.Level = max(b.Level, min(b.Level*(1+blindGrowth*dt), max(start, blindReach*b.Arrived)))
	default:
		b.Failed *= 1 + dt/blindForgets/10
		grow := blindProbe
		if b.Level > nearFailure*b.Failed {
			grow = blindNear
		}
		b.Level = max(b.Level, min(b.Level*(1+grow*dt), max(start, blindReach*b.Arrived)))
	}
}
