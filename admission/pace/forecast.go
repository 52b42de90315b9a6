package pace

// Forecast is what is coming to one resource in the next Horizon buckets of AgeBucket seconds, work per second: what comes
// whatever is decided, and what one entry a second from now on adds to it.
type Forecast struct {
	Anyway, Unit [Horizon]float64
}

// Forecast is that of the last step, for whoever wants to draw it; a decision makes its own.
func (s *State) Forecast(resource int) Forecast {
	var f forecast
	ages := s.Crowd.ages()
	pending, fresh := s.Show.arrivals()
	f.predict(&s.Kernels[resource].H, &ages, &pending, &fresh)
	return Forecast{f.Base, f.Unit}
}

// Inside is how many people came so long ago, in buckets of AgeBucket seconds.
func (s *State) Inside() [Ages]float64 { return s.Crowd.ages() }

// Work is what one person brings to a resource in the end.
func (s *State) Work(resource int) float64 { return s.Kernels[resource].Total }

// Restart begins another line: what is known of the origin and of the people inside stays, who was called in the old line
// will not come any more.
func (s *State) Restart(x int64) {
	s.X, s.Said, s.Credit = x, 0, 0
	s.Show.Open = [Lags]float64{}
}

// SignalOf is what a signal of that age is worth.
func SignalOf(age float64) Health {
	switch {
	case age >= staleAfter.Seconds():
		return Stale
	case age >= warnAfter.Seconds():
		return Late
	}
	return Fresh
}
