package fakepay

import (
	"math"
	"math/rand/v2"
	"time"
)

const (
	// Real providers answer most requests soon and a few very late: a log-normal with
	// this width has its median at a tenth of its 99th percentile.
	latencyWidth = 1.0
	z99          = 2.326 // of the normal distribution
	latencyMost  = 4     // times the 99th percentile
)

// latency draws how long a call takes.
func (s *Server) latency() time.Duration {
	if s.opts.P99 <= 0 {
		return s.opts.Latency
	}
	d := float64(s.opts.P99) * math.Exp(latencyWidth*(rand.NormFloat64()-z99))
	return s.opts.Latency + time.Duration(min(d, latencyMost*float64(s.opts.P99)))
}
