package pace

import (
	"math"
	"time"
)

const (
	tickSeconds  = 1.0
	maxStep      = 2.0  // seconds that one step may count: an outage or a stopped process earns nothing
	pendingFor   = 10.0 // seconds of rate that may be on the way
	leastPending = 2.0
	capSpend     = 10.0 // seconds over which room below the cap is filled
)

// Next is one second of admission: it learns from the inputs and says how many may enter, up to which place, and why.
// It keeps neither in nor anything it points to.
func Next(s State, in *Inputs, now time.Time) (State, Decision) {
	cfg, first := s.cfg, s.Last.IsZero()
	elapsed := tickSeconds
	if !first {
		elapsed = now.Sub(s.Last).Seconds()
	}
	if first {
		s.X, s.Began = in.Gate.X, now
	}
	dt := min(maxStep, max(0, elapsed))
	steps := max(1, min(seconds, int(elapsed+0.5)))
	d := Decision{At: now, Epoch: in.Epoch, Limits: noLimits(), Inside: in.Gate.Active, Override: in.Operator.Override}
	d.Mode = in.Operator.Override.mode(now)

	q := judge(cfg, &in.Gate, in.LockWait, now)
	d.Latency, d.Errors, d.Locks = q.Latency, q.Errors, q.Locks
	ages := s.learn(in, steps, !s.Crushed, s.Calm, now)
	d.Show, d.ShowSigma, d.Pending = s.Show.P, s.Show.Sigma, s.Show.Coming

	halted := d.Mode == Pause || d.Mode == Drain
	s.Brake.tick(q, in.Gate.RecentP99 <= cfg.Latency && in.Gate.RecentFailed <= cfg.Errors, s.Slew.Rate, dt)
	if s.Brake.Let {
		for i := range s.Caps {
			s.Caps[i].wonder()
		}
	}
	s.blindly(in, q, halted || d.Mode == Pin || s.Brake.On, float64(steps), dt)

	pending, fresh := s.Show.arrivals()
	var views [MaxResources]trimView
	model := math.Inf(1)
	for i := range cfg.Resources {
		var f forecast
		f.predict(&s.Kernels[i].H, &ages, &pending, &fresh)
		b, stale := s.resource(i, &f, now)
		d.Resources[i] = b
		model = min(model, b.Rate)
		if stale {
			d.Limits[ByStale] = min(d.Limits[ByStale], b.Rate)
		} else {
			d.Limits[i] = b.Rate
		}
		views[i] = s.view(i, &f, b, q)
	}
	s.Stock.tick(&in.Stock, &s.Crowd, &ages, s.Show.Coming, s.delay(&fresh), cfg.SeatsAHold, now)
	d.Limits[ByStock] = s.Stock.Limit
	d.Model = min(model, s.Stock.Limit)

	s.others(in, &d, q, dt)
	s.decide(in, &d, halted)
	s.advance(in, &d, dt)

	s.Stock.judge(&in.Stock, d.Reason == ByStock, dt)
	d.Stock, d.Seats, d.Need, d.Back = s.Stock.State, s.Stock.Avail, s.Stock.Need, s.Stock.Back
	for i := range cfg.Resources {
		views[i].frozen = halted || d.Mode == Pin || s.Brake.On || in.Gate.Away
		s.Trims[i].tick(views[i], dt)
	}
	s.Last, s.Mode = now, d.Mode
	// For the next second: what this one brought must not be learned or not learned for how bad it was, or a worse second
	// could raise the rate. Retries of an overload are not what a person brings.
	s.Crushed, s.Calm = q.worst() > 1 || s.Brake.On, q.worst() < trimGood
	return s, d
}

// learn takes in what the gate saw and what the origin told.
func (s *State) learn(in *Inputs, steps int, trust, calm bool, now time.Time) [Ages]float64 {
	g := &in.Gate
	claims := 0.0
	for _, n := range g.Claims {
		claims += float64(n)
	}
	released := max(0, float64(g.X-s.X))
	s.Doubt.see(g.Flight)
	if covered := max(1, g.Seconds); covered < float64(steps) {
		claims *= float64(steps) / covered // some seconds were counted by nobody: as many as in the others
	}
	each := 1 / float64(steps)
	for range steps - 1 {
		s.Show.gap(released * each)
		s.Crowd.tick(claims * each)
	}
	if steps == 1 {
		s.Show.tick(released, &g.Claims)
	} else {
		s.Show.gap(released * each)
	}
	s.Show.estimate()
	s.Crowd.tick(claims * each)
	s.X = max(s.X, g.X)

	ages := s.Crowd.ages()
	if trust {
		s.Crowd.Exposed.tick(&ages, float64(steps))
	}
	for i := range s.cfg.Resources {
		s.Kernels[i].learn(&s.cfg.Resources[i].Cost, &g.Work, &s.Crowd.Exposed, trust)
		r := in.Resources[i]
		if i == 0 && r.At.After(s.Caps[0].At) {
			r.Busy = s.Doubt.hear(&r, s.Caps[0].Noise, trust && calm, now)
		}
		s.Caps[i].read(&r, &s.cfg.Resources[i].Cost)
	}
	if health(s.Caps[0].At, now) == Stale {
		if busy, ok := s.Doubt.busy(); ok {
			work, count := s.workNow(in)
			s.Caps[0].guess(min(busy, s.Caps[0].Servers)*float64(steps), work, count)
		}
	}
	s.Stock.Seats.learn(&holdCost, &g.Work, &s.Crowd.Exposed, trust)
	copy(s.Stock.Holds[1:], s.Stock.Holds[:recentHolds-1])
	s.Stock.Holds[0] = 0
	for _, n := range g.Work[Hold] {
		s.Stock.Holds[0] += float64(n)
	}
	return ages
}

var holdCost = [MaxKinds]float64{Hold: 1}

// workNow is the work of the first resource that came in this tick.
func (s *State) workNow(in *Inputs) (sum, count float64) {
	for k, c := range s.cfg.Resources[0].Cost {
		if c > 0 {
			for _, n := range in.Gate.Work[k] {
				sum, count = sum+c*float64(n), count+float64(n)
			}
		}
	}
	return sum, count
}

func (s *State) delay(fresh *[lagSteps]float64) (mean float64) {
	for j, p := range fresh {
		mean += p * (float64(j) + 0.5) * AgeBucket
	}
	return mean
}
