package pace

import "time"

// MaxInstances is how many processes of one origin are told apart; answers of further ones are not used.
const MaxInstances = 64

// Counters is what one instance of an origin answers about one resource: counters that only grow since it started.
type Counters struct {
	Instance string
	Started  time.Time
	At       time.Time
	Busy     float64 // seconds
	Done     [MaxKinds]float64
	Capacity float64 // now
	Waiting  float64
}

// Series turns the answers of all instances about one resource into readings. Each instance is a series of its own: added
// up before the difference is taken, a restart would look like work undone.
type Series struct {
	instances []instance
}

type instance struct {
	last Counters
	base Counters // where the next reading begins
}

// Add takes an answer; one that is older than what is known changes nothing.
func (s *Series) Add(c Counters) {
	for i := range s.instances {
		in := &s.instances[i]
		if in.last.Instance != c.Instance {
			continue
		}
		switch {
		case !c.At.After(in.last.At):
		case !c.Started.Equal(in.last.Started) || c.fell(&in.last):
			in.last, in.base = c, c // a restart: what was counted before is over
		default:
			in.last = c
		}
		return
	}
	if len(s.instances) < MaxInstances {
		s.instances = append(s.instances, instance{c, c})
	}
}

func (c *Counters) fell(before *Counters) bool {
	if c.Busy < before.Busy {
		return true
	}
	for k := range c.Done {
		if c.Done[k] < before.Done[k] {
			return true
		}
	}
	return false
}

// Reading is what happened since the last one, over all instances; its At is zero when nothing new came. An instance that
// has been silent for too long is forgotten: its capacity may be gone with it.
func (s *Series) Reading(now time.Time) (r Reading) {
	live := s.instances[:0]
	for _, in := range s.instances {
		if health(in.last.At, now) != Stale {
			live = append(live, in)
		}
	}
	s.instances = live
	for i := range s.instances {
		in := &s.instances[i]
		r.Capacity += in.last.Capacity
		r.Waiting += in.last.Waiting
		if in.last.At.After(in.base.At) {
			r.Seconds = max(r.Seconds, in.last.At.Sub(in.base.At).Seconds())
			if in.last.At.After(r.At) {
				r.At = in.last.At
			}
		}
	}
	if r.At.IsZero() {
		return Reading{}
	}
	for i := range s.instances {
		in := &s.instances[i]
		span := in.last.At.Sub(in.base.At).Seconds()
		if span <= 0 {
			continue
		}
		// Intervals of instances differ; what is added up are rates.
		scale := r.Seconds / span
		r.Busy += (in.last.Busy - in.base.Busy) * scale
		for k := range r.Done {
			r.Done[k] += (in.last.Done[k] - in.base.Done[k]) * scale
		}
		in.base = in.last
	}
	return r
}
