package pace

import "math"

const (
	blindGrowth = 0.02 // per second
	blindReach  = 1.6  // times the healthy load that has arrived
	blindCut    = 0.93 // of the highest healthy delivery
	blindProbe  = 0.001
	blindNear   = 0.00005
	nearFailure = 0.90
	blindMemory = 10.0  // seconds
	blindQuiet  = 60.0  // good seconds that end an episode
	strainStop  = 1.15  // times the answer time of a calm origin: no more growth
	strainCut   = 1.5   // an overload is beginning
	calmWork    = 500.0 // units of work before that is known
	calmDown    = 0.02  // per second
	calmMemory  = 600.0 // seconds over which a calm origin's answer time may rise
)

// blind finds the capacity of an origin that tells nothing, from the work that arrived while it was healthy. Besides the
// objectives it watches the time that one unit of work takes (requests under way over work per second): that rises some
// seconds before the p99 does, and seconds count, because people are on their way for minutes.
type blind struct {
	Level   float64 // work per second allowed
	Arrived float64 // work per second seen, smoothed
	Best    float64 // highest healthy Arrived
	Failed  float64 // Arrived when it failed; 0: never
	Flight  float64 // requests under way, smoothed
	Calm    float64 // seconds a unit takes when calm
	Work    float64 // counted until Calm is known
	Time    float64
	Episode bool
	Good    float64
	Bad     float64
}

// strain is how much longer a unit takes than in calm.
func (b *blind) strain() float64 {
	if b.Calm <= 0 || b.Arrived <= 0 {
		return 1
	}
	return b.Flight / b.Arrived / b.Calm
}

func (b *blind) see(work, flight, dt float64) {
	k := 1 - math.Exp(-dt/blindMemory)
	b.Arrived += k * (work - b.Arrived)
	b.Flight += k * (flight - b.Flight)
	if b.Work < calmWork {
		// The first seconds have a handful of requests, some of them cut by the second's border: their quotient is chance,
		// and too low a one would be taken for strain for the rest of the event.
		b.Work, b.Time = b.Work+work, b.Time+flight*dt
		if b.Work >= calmWork {
			b.Calm = b.Time / b.Work
		}
		return
	}
	if b.Arrived <= 0 || b.Flight <= 0 {
		return
	}
	if unit := b.Flight / b.Arrived; unit < b.Calm {
		b.Calm += calmDown * dt * (unit - b.Calm)
	} else {
		b.Calm += dt / calmMemory * min(b.Calm, unit-b.Calm)
	}
}

func (b *blind) tick(start float64, q quality, held bool, dt float64) {
	worst, strain := q.worst(), b.strain()
	if worst > 1 || strain > strainCut {
		b.Bad, b.Good = b.Bad+dt, 0
	} else {
		b.Bad = 0
		b.Best = max(b.Best, b.Arrived)
		if worst < trimGood && strain < strainStop {
			b.Good += dt
		}
	}
	if held {
		return
	}
	reach := max(start, blindReach*b.Arrived)
	switch {
	case b.Bad >= 2 && !b.Episode:
		b.Episode = true
		b.Failed = b.Arrived
		b.Level = min(b.Level, blindCut*min(b.Best, b.Arrived))
		b.Best = b.Level
	case b.Episode && b.Good >= blindQuiet:
		b.Episode = false
	case b.Episode || worst >= trimGood || strain >= strainStop:
	case b.Failed == 0:
		b.Level = max(b.Level, min(b.Level*(1+blindGrowth*dt), reach))
	default:
		grow := blindProbe
		if b.Level > nearFailure*b.Failed {
			grow = blindNear
		}
		b.Level = max(b.Level, min(b.Level*(1+grow*dt), reach))
	}
}

// blindly keeps that up even while there is telemetry, so that it can take over.
func (s *State) blindly(in *Inputs, q quality, held bool, steps, dt float64) {
	start := s.Slew.Rate * s.Kernels[0].Total
	work, _ := s.workNow(in)
	s.Blind.see(work/steps, in.Gate.Flight, dt)
	if s.Crowd.Seen < certainAfter || s.Blind.Level == 0 {
		s.Blind.Level = start
	}
	s.Blind.tick(0, q, held, dt)
}
