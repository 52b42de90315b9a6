package gauge

import (
	"sync"
	"time"
)

// Busy adds up how long how many of something were in use: three connections for two seconds are six seconds. It
// only grows, so whoever reads it twice knows the mean in between, however seldom it looks. The zero value is ready.
type Busy struct {
	mu      sync.Mutex
	since   time.Time // of the last change
	total   time.Duration
	inUse   int
	waiting int
	done    uint64
}

// Wait says that one more waits for its turn; Start or GiveUp ends that.
func (b *Busy) Wait() {
	b.mu.Lock()
	b.waiting++
	b.mu.Unlock()
}

// GiveUp says that one that waited got nothing.
func (b *Busy) GiveUp() {
	b.mu.Lock()
	b.waiting--
	b.mu.Unlock()
}

// Start says that one is in use from now on. waited: it said Wait before.
func (b *Busy) Start(now time.Time, waited bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	b.inUse++
	if waited {
		b.waiting--
	}
}

// End says that one is free again.
func (b *Busy) End(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	b.inUse--
	b.done++
}

// advance never goes back: whoever reads the clock first may get the lock last.
func (b *Busy) advance(now time.Time) {
	if b.since.IsZero() {
		b.since = now
	}
	if d := now.Sub(b.since); d > 0 {
		b.total += time.Duration(b.inUse) * d
		b.since = now
	}
}

// Use is a Busy at one moment.
type Use struct {
	Busy    time.Duration // grows
	Done    uint64        // grows
	InUse   int
	Waiting int
}

// Plus adds up what is counted apart.
func (u Use) Plus(v Use) Use {
	return Use{u.Busy + v.Busy, u.Done + v.Done, u.InUse + v.InUse, u.Waiting + v.Waiting}
}

// Read gives it as of now, what is in use included.
func (b *Busy) Read(now time.Time) Use {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
	return Use{b.total, b.done, b.inUse, b.waiting}
}
