package pace

import "time"

const (
	leastAsked = 20 // requests in 10 s before their p99 says something
	luck       = 2  // failed requests that are nobody's fault
)

// quality is measured against the objectives: 1 is just met. Flat while there is room and explosive when there is none,
// so it corrects and stops, but never sets the rate.
type quality struct {
	Latency, Errors, Locks float64
}

func judge(cfg *Config, g *Gate, lock Level, now time.Time) (q quality) {
	if g.Asked >= leastAsked {
		q.Latency = g.P99 / cfg.Latency
	}
	if g.Asked > 0 {
		asked := float64(g.Asked)
		q.Errors = max(0, g.Failed*asked-luck) / asked / cfg.Errors
	}
	if h := health(lock.At, now); h == Fresh || h == Late {
		q.Locks = lock.Value / cfg.LockWait
	}
	return q
}

func (q quality) worst() float64 { return max(q.Latency, q.Errors, q.Locks) }
