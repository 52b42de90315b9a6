package pace

import (
	"fmt"
	"math"
)

const (
	// MaxResources is how many resources one pool can name; more is a map, not an explanation.
	MaxResources = 6
	// MaxKinds is how many kinds of request are told apart.
	MaxKinds = 6
)

// The kinds of request that a shop has. An origin that is not understood has [Page] alone.
const (
	Page = iota
	Hold
	Pay
	Confirm
	Other
)

// Resource is something that runs out: database connections, payment slots, a lock.
type Resource struct {
	Name string
	// Cost is the work that one request of each kind brings. Only the ratios matter: what a unit costs is learned.
	Cost [MaxKinds]float64
	// Work is a guess at the work of one person, in the same unit; 1.4 times this is assumed until people were seen.
	Work float64
	// WorkAge is the guessed mean session age of that work, in seconds; default 90.
	WorkAge float64
	// Headroom is the share of the capacity to be used, phi apart; default min(0.88, 1 - 0.75/sqrt(capacity)).
	Headroom float64
	// Advisory: when this resource falls silent it is ignored. A required one is trusted less and less.
	Advisory bool
}

// Config is what one origin pool is run with. Ratios and seconds only, so that one configuration serves origins that
// differ tenfold. The first resource is the one that an origin without telemetry is measured as.
type Config struct {
	Resources []Resource

	Latency    float64 // objective for the p99, seconds; default 1
	Errors     float64 // objective for the share of errors; default 0.01
	LockWait   float64 // objective for the wait for locks, seconds; default 0.2
	SlewUp     float64 // growth of the rate, share per second; default 0.05
	LastRate   float64 // people a second that an earlier event reached; 0: not known
	SafeRate   float64 // people a second while nothing is known; default a tenth of LastRate, else 1
	Floor      float64 // people a second that are let in whatever is measured; default 1 % of LastRate, else of ten times SafeRate
	Ceiling    float64 // people a second never exceeded; default 3 times LastRate, else none
	HoldFor    float64 // seconds an unpaid hold lasts; default 480
	Stock      bool    // the origin tells how many seats are left
	SeatsAHold float64 // seats that one hold takes; default 1
}

// NewConfig fills in the defaults and refuses what makes no sense.
func NewConfig(c Config) (*Config, error) {
	if n := len(c.Resources); n == 0 || n > MaxResources {
		return nil, fmt.Errorf("pace: %d resources: name 1 to %d", n, MaxResources)
	}
	c.Resources = append([]Resource(nil), c.Resources...)
	seen := map[string]bool{}
	for i := range c.Resources {
		r := &c.Resources[i]
		if r.Name == "" || seen[r.Name] {
			return nil, fmt.Errorf("pace: resource %d: name %q is empty or taken: give each resource a name of its own", i+1, r.Name)
		}
		seen[r.Name] = true
		most := 0.0
		for _, cost := range r.Cost {
			if !sane(cost) {
				return nil, fmt.Errorf("pace: resource %s: cost %v: write a number of 0 or more", r.Name, cost)
			}
			most = max(most, cost)
		}
		if most == 0 {
			return nil, fmt.Errorf("pace: resource %s: no kind of request costs anything: give at least one a cost", r.Name)
		}
		if r.Work <= 0 || !sane(r.Work) {
			return nil, fmt.Errorf("pace: resource %s: work %v a person: write a positive guess", r.Name, r.Work)
		}
		if r.Headroom < 0 || r.Headroom > 1 || !sane(r.WorkAge) {
			return nil, fmt.Errorf("pace: resource %s: headroom %v or work age %v is out of range", r.Name, r.Headroom, r.WorkAge)
		}
		r.WorkAge = or(r.WorkAge, 90)
	}
	for _, v := range []float64{c.Latency, c.Errors, c.LockWait, c.SlewUp, c.LastRate, c.SafeRate, c.Floor, c.Ceiling, c.HoldFor, c.SeatsAHold} {
		if !sane(v) {
			return nil, fmt.Errorf("pace: setting %v: write a number of 0 or more", v)
		}
	}
	c.Latency, c.Errors, c.LockWait = or(c.Latency, 1), or(c.Errors, 0.01), or(c.LockWait, 0.2)
	c.SlewUp, c.HoldFor, c.SeatsAHold = or(c.SlewUp, 0.05), or(c.HoldFor, 480), or(c.SeatsAHold, 1)
	c.SafeRate = or(c.SafeRate, or(c.LastRate/10, 1))
	c.Floor = or(c.Floor, or(c.LastRate/100, c.SafeRate/10))
	c.Ceiling = or(c.Ceiling, or(3*c.LastRate, math.Inf(1)))
	if c.Floor > c.Ceiling {
		return nil, fmt.Errorf("pace: floor %v is above ceiling %v", c.Floor, c.Ceiling)
	}
	return &c, nil
}

func sane(v float64) bool { return v >= 0 && !math.IsNaN(v) && !math.IsInf(v, 0) }

func or(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}
