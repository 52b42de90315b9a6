package gauge

import (
	"math"
	"sync"
	"time"
)

const (
	// Window is how far back Recent remembers.
	Window = 10 * time.Second

	slots     = int(Window / time.Second)
	buckets   = 64
	shortest  = 100 * time.Microsecond // the end of the first bucket
	perDouble = 3                      // buckets: a quantile is at most a quarter too high
)

// Recent remembers how long things took in the last ten seconds, second by second and in buckets that widen: a mean is
// exact, a quantile the upper end of its bucket. The zero value is ready.
type Recent struct {
	mu    sync.Mutex
	slots [slots]second
}

type second struct {
	at     int64 // Unix
	count  int
	sum    time.Duration
	counts [buckets]uint32
}

// Observe adds one.
func (r *Recent) Observe(d time.Duration, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := now.Unix()
	s := &r.slots[int(at%int64(slots))]
	if s.at != at {
		*s = second{at: at}
	}
	s.count++
	s.sum += max(d, 0)
	s.counts[bucketOf(d)]++
}

func bucketOf(d time.Duration) int {
	if d <= shortest {
		return 0
	}
	return min(int(math.Ceil(perDouble*math.Log2(float64(d)/float64(shortest)))), buckets-1)
}

func endOf(bucket int) time.Duration {
	return time.Duration(float64(shortest) * math.Exp2(float64(bucket)/perDouble))
}

// Mean is over the last ten seconds; 0 with n 0 when nothing happened.
func (r *Recent) Mean(now time.Time) (mean time.Duration, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sum time.Duration
	for i := range r.slots {
		if s := &r.slots[i]; s.within(Window, now) {
			sum, n = sum+s.sum, n+s.count
		}
	}
	if n == 0 {
		return 0, 0
	}
	return sum / time.Duration(n), n
}

// Quantile is what a share of q took at most, over the last ten seconds or, when that is shorter, over within.
func (r *Recent) Quantile(q float64, within time.Duration, now time.Time) (d time.Duration, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all [buckets]int
	for i := range r.slots {
		if s := &r.slots[i]; s.within(within, now) {
			n += s.count
			for k, c := range s.counts {
				all[k] += int(c)
			}
		}
	}
	if n == 0 {
		return 0, 0
	}
	left := int(math.Ceil(q * float64(n)))
	for k, c := range all {
		if left -= c; left <= 0 {
			return endOf(k), n
		}
	}
	return endOf(buckets - 1), n
}

func (s *second) within(d time.Duration, now time.Time) bool {
	age := now.Unix() - s.at
	return s.count > 0 && age >= 0 && age < int64(min(d, Window)/time.Second)
}
