package pace

import "math"

const (
	enoughSeen   = 40.0 // persons exposed at the youngest age before the model may jump
	jumpShare    = 0.5  // of the model's limit
	certainAfter = 20.0 // claims
)

// slew eases the rate upward; down is immediate. Cold is the rate while nobody has been seen.
type slew struct {
	Rate   float64 // in force
	Cold   float64
	Easing bool // back from an operator's pin: no jump until the model has the rate again
}

func (s *slew) limit(model float64, exposed, up, dt float64) float64 {
	limit := s.Rate * (1 + up*dt)
	if up > 0 && exposed > enoughSeen && !s.Easing && !math.IsInf(model, 1) {
		limit = max(limit, jumpShare*model)
	}
	return limit
}

// confidence is the safe rate until enough people came. It grows while all is well, because a safe rate that was set a
// hundred times too low would never bring the people it waits for.
func (s *slew) confidence(seen float64, healthy bool, up, dt float64) float64 {
	if seen >= certainAfter {
		return math.Inf(1)
	}
	if healthy {
		s.Cold *= 1 + up*dt
	}
	return s.Cold
}
