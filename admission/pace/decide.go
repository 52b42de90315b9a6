package pace

import (
	"math"
	"time"
)

// resource is what one of them bears, and whether that number is by now only an old one.
func (s *State) resource(i int, f *forecast, now time.Time) (b Bound, stale bool) {
	c, r := &s.Caps[i], &s.cfg.Resources[i]
	signal := health(c.At, now)
	w := math.Inf(1)
	switch {
	case c.Known && signal == Stale && r.Advisory: // dropped
	case c.Known && signal == Stale:
		w, stale = min(c.Frozen, c.work(r.Headroom, s.Trims[i].Phi)), true
		if _, seen := s.Doubt.busy(); i > 0 || !seen {
			w *= distrust(c.At, now)
		}
	case c.Known:
		w = c.work(r.Headroom, s.Trims[i].Phi)
		c.Frozen = w
	case i == 0 && s.Crowd.Seen >= certainAfter && now.Sub(s.Began) >= staleAfter:
		w, b.Blind = s.Blind.Level, true
	}
	blind, doubted := b.Blind, i == 0 && s.Doubt.On
	b = bound(f, s.Kernels[i].Total, w)
	if math.IsInf(w, 1) {
		b.Rate = w
	}
	b.Doubted = doubted
	if blind {
		b.Tried = max(s.Blind.Best, s.Blind.Failed)
	}
	b.Blind, b.Used, b.Cost, b.Servers, b.Phi, b.Signal = blind, c.Used, c.Cost, c.Servers, s.Trims[i].Phi, signal
	return b, stale
}

func (s *State) view(i int, f *forecast, b Bound, q quality) trimView {
	v := trimView{quality: q.worst(), used: -1, brake: s.Brake.Since}
	if c := &s.Caps[i]; c.Known && !math.IsInf(b.Work, 1) {
		room := s.cfg.Resources[i].Headroom
		if room == 0 {
			room = Headroom(c.Servers)
		}
		v.used, v.pinned = c.Used/room, c.Used > pinned && b.Signal != Stale
		v.explained = f.Base[0] > explainedBy*b.Work
	}
	return v
}

// others fills in the limits that are no resource.
func (s *State) others(in *Inputs, d *Decision, q quality, dt float64) {
	up := s.cfg.SlewUp
	if in.Gate.Waiting == 0 || d.Mode == Pause || d.Mode == Drain {
		up = 0 // a rate that nobody uses proves nothing: an hour of rest would end in a rate without bounds
	}
	d.Limits[BySlew] = s.Slew.limit(d.Model, s.Crowd.Exposed.Long[0], up, dt)
	d.Limits[ByConfidence] = s.Slew.confidence(s.Crowd.Seen, q.worst() <= 1, up, dt)
	d.Limits[ByBrake] = s.Brake.limit()
	d.Limits[ByCeiling] = s.cfg.Ceiling
	if c := in.Operator.Ceiling; c > 0 {
		d.Limits[ByCeiling] = min(c, s.cfg.Ceiling)
	}
	if c := in.Operator.Cap; c > 0 {
		d.Limits[ByCap] = max(0, float64(c-in.Gate.Active)-d.Pending) / capSpend
	}
}

// decide takes the smallest limit, then lets the floor, the operator and a lost store speak, in that order.
func (s *State) decide(in *Inputs, d *Decision, halted bool) {
	d.Reason, d.Rate = d.smallest()
	gone := s.Stock.State == AllHeld || s.Stock.State == SoldOut || d.Reason == ByStock || d.Reason == ByCap
	if floor := min(or(in.Operator.Floor, s.cfg.Floor), d.Limits[ByCeiling]); d.Rate < floor && !gone {
		d.Reason, d.Rate = ByFloor, floor
		d.Limits[ByFloor] = floor
	}
	pinned := d.Mode == Pin
	if pinned {
		d.Limits[ByPin] = d.Override.Rate
		d.Reason, d.Rate = ByPin, d.Override.Rate
	}
	// What is tracked is the rate that would be in force without the halt, so that the return is no leap.
	s.Slew.Rate = max(d.Rate, s.cfg.Floor)
	s.Slew.Easing = pinned || (s.Slew.Easing && d.Reason == BySlew)
	switch {
	case in.Gate.Away:
		d.Reason, d.Rate = ByStore, 0
	case d.Mode == Pause:
		d.Reason, d.Rate = ByPause, 0
	case d.Mode == Drain:
		d.Reason, d.Rate = ByDrain, 0
	}
	if d.Rate == 0 && (halted || in.Gate.Away) {
		d.Limits[d.Reason] = 0
	}
	d.Release = d.Rate / s.Show.share()
	d.Applied = d.Mode != Shadow
}

// advance moves X for the releases earned, never back, never past the line, and never so far that more than ten seconds
// of rate are on the way. Those on the way are the expected number: ghosts must not fill it.
func (s *State) advance(in *Inputs, d *Decision, dt float64) {
	d.X, d.Holds = in.Gate.X, d.Reason
	if d.Rate == 0 || !d.Applied {
		s.Credit = 0
		d.X = max(d.X, s.X, s.Said)
		s.Said = d.X
		return
	}
	s.Credit = min(s.Credit+d.Release*dt, max(1, d.Release*maxStep))
	n := math.Floor(s.Credit)
	if most := (max(leastPending, pendingFor*d.Rate) - s.Show.Coming) / s.Show.P; most < n {
		n, d.Holds = max(0, math.Floor(most)), ByPending
	}
	if most := float64(in.Gate.Waiting); most < n {
		n, d.Holds = most, ByLine
	}
	s.Credit -= n
	// A proposal that the store has not taken yet stands; it is not made on top of itself.
	d.X = max(s.Said, max(s.X, in.Gate.X)+int64(n))
	s.Said = d.X
}
