package pace

import "math"

const (
	showMemory = 120.0  // seconds, of a slow line
	showLeast  = 60.0   // of a busy one
	showPeople = 3000.0 // releases that are enough
	showPrior  = 0.85
	showWeight = 60.0 // releases that the prior is worth
	priorDelay = 6.0  // mean seconds to a claim, before any was seen
)

// show estimates who comes. A place that was released a moment ago and is not claimed is no no-show yet: it is
// right-censored. So the share is built from the hazard at each lag (claims at that lag over places still open at that
// lag), which is unbiased while the rate ramps, where claims over releases is not.
type show struct {
	Open   [Lags]float64 // released this many seconds ago and not claimed
	Risk   [Lags]float64 // forgetting sum of Open
	Came   [Lags]float64 // forgetting sum of claims
	F      [Lags]float64 // share that has come by the end of this lag
	P      float64       // share that comes at all
	Sigma  float64
	Coming float64 // released, not yet here, expected
}

// tick moves every cohort by one second, adds the newest and counts the claims.
func (s *show) tick(released float64, claims *[Lags]uint32) {
	recent := 0.0
	for _, n := range s.Open[:10] {
		recent += n / 10
	}
	keep := math.Exp(-1 / min(showMemory, max(showLeast, showPeople/max(1e-9, recent))))
	copy(s.Open[1:], s.Open[:Lags-1])
	s.Open[0] = released
	for l, n := range claims {
		s.Risk[l] = s.Risk[l]*keep + s.Open[l]
		s.Came[l] = s.Came[l]*keep + float64(n)
		s.Open[l] = max(0, s.Open[l]-float64(n))
	}
}

// gap is a second that nobody counted: what was open is expected to have come as it does on average.
func (s *show) gap(released float64) {
	for l := Lags - 1; l > 0; l-- {
		s.Open[l] = s.Open[l-1] * (1 - s.F[l]) / max(1e-9, 1-s.F[l-1])
	}
	s.Open[0] = released
}

// estimate joins the counts with the prior, whose weight does not fade: a room at rest forgets the crowd, not the doubt.
func (s *show) estimate() {
	open, priorOpen, delay, weight := 1.0, 1.0, 1.0, 0.0
	fade := math.Exp(-1 / priorDelay)
	for l := range s.Risk {
		came := showWeight * showPrior * (1 - fade) * delay
		risk := showWeight * priorOpen
		priorOpen -= came / showWeight
		delay *= fade
		h := min(1, (s.Came[l]+came)/(s.Risk[l]+risk))
		open *= 1 - h
		s.F[l] = 1 - open
		weight = max(weight, s.Risk[l]+risk)
	}
	s.P = min(1, max(0.02, s.F[Lags-1]))
	s.Sigma = math.Sqrt(s.P * (1 - s.P) / weight)
	s.Coming = 0
	for l, n := range s.Open {
		s.Coming += n * s.toCome(l)
	}
}

// toCome is the chance that a place still open after lag l is claimed: p(1-G)/(1-pG) with F = pG.
func (s *show) toCome(l int) float64 {
	if left := 1 - s.F[l]; left > 1e-9 {
		return max(0, s.F[Lags-1]-s.F[l]) / left
	}
	return 0
}

// share is by how much a release is counted as an entry: never more than 3 releases an entry, and rather too few.
func (s *show) share() float64 { return max(1.0/3, min(1, s.P+s.Sigma)) }
