package ladder

import (
	"math"
	"sync"
	"time"
)

const (
	buckets  = 200
	least    = 100 * time.Microsecond
	wide     = 1.08 // a bucket's upper end over its lower
	tellsAny = 50   // answers before a p99 says something
)

// tally collects what came back. Memory does not grow with the number of answers.
type tally struct {
	mu     sync.Mutex
	counts [buckets]int
	asked  int
	failed int
	kinds  map[string]*mean
	why    map[string]int // at most whys
	late   [buckets]int   // how late the driver sent
	sent   int
}

const whys = 20

type mean struct {
	n   int
	sum time.Duration
}

func bucket(d time.Duration) int {
	if d <= least {
		return 0
	}
	return min(buckets-1, int(math.Log(float64(d)/float64(least))/math.Log(wide))+1)
}

func upper(i int) time.Duration { return time.Duration(float64(least) * math.Pow(wide, float64(i))) }

func (t *tally) answered(kind string, took time.Duration, failure string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked++
	t.counts[bucket(took)]++
	if failure != "" {
		t.failed++
		if t.why[failure] > 0 || len(t.why) < whys {
			t.why[failure]++
		}
		return
	}
	m := t.kinds[kind]
	if m == nil {
		m = &mean{}
		t.kinds[kind] = m
	}
	m.n++
	m.sum += took
}

func (t *tally) sending(late time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent++
	t.late[bucket(late)]++
}

func quantile(counts *[buckets]int, n int, q float64) time.Duration {
	if n == 0 {
		return 0
	}
	rest := int(math.Ceil(q * float64(n)))
	for i, c := range counts {
		if rest -= c; rest <= 0 {
			return upper(i)
		}
	}
	return upper(buckets - 1)
}

// Result is one step.
type Result struct {
	Rate     float64 // people a second
	Requests float64 // a second
	P99      time.Duration
	Failed   float64 // share
	Asked    int
	Why      string // the most common failure
	Late     time.Duration
	Means    map[string]time.Duration // by kind, of good answers
	Good     bool
	Verdict  string
}

func (t *tally) result(rate float64, span time.Duration) Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Result{Rate: rate, Asked: t.asked, P99: quantile(&t.counts, t.asked, 0.99), Late: quantile(&t.late, t.sent, 0.99), Means: map[string]time.Duration{}}
	r.Requests = float64(t.asked) / span.Seconds()
	if t.asked > 0 {
		r.Failed = float64(t.failed) / float64(t.asked)
	}
	most := 0
	for why, n := range t.why {
		if n > most || n == most && why < r.Why {
			r.Why, most = why, n
		}
	}
	for kind, m := range t.kinds {
		r.Means[kind] = m.sum / time.Duration(m.n)
	}
	return r
}
