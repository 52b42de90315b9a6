package gate

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

const (
	shards  = 16 // a power of two; more than one for each processor that most edges have
	window  = 10 // seconds of answers that quality is judged by
	recent  = 3
	overdue = time.Second // requests under way that are older on average count as answers that took so long
)

// Meter counts at one edge for one room. All methods can be called from any goroutine.
type Meter struct {
	began  time.Time
	shards [shards]shard

	mu     sync.Mutex // the rest
	claims [pace.Lags]uint64
	work   [pace.MaxKinds][pace.Ages]uint64
	past   [window]second // the last seconds, a ring
	at     int
	ticked time.Time
}

// shard is one of several sets of counters: a request takes one by chance.
type shard struct {
	mu     sync.Mutex
	work   [pace.MaxKinds][pace.Ages]uint32
	took   histogram
	failed uint32
	flying int64         // requests under way
	starts time.Duration // sum of when they began
	flown  time.Duration // request time of those that ended
	_      [64]byte
}

// second is what ended in one second.
type second struct {
	took   histogram
	failed uint32
}

// NewMeter is a meter that has seen nothing.
func NewMeter() *Meter {
	now := time.Now()
	return &Meter{began: now, ticked: now}
}

// Flight is one request under way.
type Flight struct {
	shard *shard
	begin time.Duration
}

// Nobody is the kind of a request without a session: it loads the origin and is nobody's work.
const Nobody = -1

// Begin is when a request goes to the origin, of a session of that age. End must follow, once.
func (m *Meter) Begin(kind int, age time.Duration) Flight {
	a := min(pace.Ages-1, max(0, int(age/(pace.AgeBucket*time.Second))))
	s := &m.shards[rand.Uint32()%shards]
	begin := time.Since(m.began)
	s.mu.Lock()
	if kind != Nobody {
		s.work[kind][a]++
	}
	s.flying++
	s.starts += begin
	s.mu.Unlock()
	return Flight{s, begin}
}

// Answer is how a request ended.
type Answer int

// Gone is a visitor's own doing and says nothing of the origin.
const (
	Good Answer = iota
	Failed
	Gone
)

// End is when the origin's answer began, or it is known that there will be none.
func (m *Meter) End(f Flight, how Answer) {
	end := time.Since(m.began)
	b := bucket(int64(end - f.begin))
	s := f.shard
	s.mu.Lock()
	s.flying--
	s.starts -= f.begin
	s.flown += end - f.begin
	if how != Gone {
		s.took[b]++
	}
	if how == Failed {
		s.failed++
	}
	s.mu.Unlock()
}

// Claim is the pick-up of a grant with that entry time, both in microseconds of room time.
func (m *Meter) Claim(entry, rt int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.claims[min(pace.Lags-1, max(0, (rt-entry)/1e6))]++
}
