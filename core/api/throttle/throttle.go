// Package throttle bounds how often one caller may try something, in memory that does
// not grow with the number of callers.
//
// Each caller has a GCRA cell: one time, the moment at which everything tried so far
// has been paid for at the allowed rate. The cells stand in a fixed table, four to a
// bucket; a new caller takes the cell of the bucket whose time is furthest back. With
// more busy callers than cells some are forgotten and may try again sooner than they
// should: the limit fails open, never shut, and honest callers notice nothing.
package throttle

import (
	"hash/maphash"
	"sync"
	"time"
)

const (
	ways   = 4
	shards = 64
)

// Limit allows PerMinute tries a minute in the long run and Burst at once. The zero
// value allows everything.
type Limit struct {
	PerMinute, Burst int
}

// Table remembers callers.
type Table struct {
	seed    maphash.Seed // of this process: nobody can aim at another's cell
	buckets []bucket
	locks   [shards]sync.Mutex
}

type bucket [ways]cell

type cell struct {
	print uint64        // of the caller; 0: free
	paid  time.Duration // since epoch
}

// epoch keeps times in a cell to eight bytes on the monotonic clock's scale.
var epoch = time.Now()

// New makes a table for about so many callers at a time, at 16 bytes each.
func New(callers int) *Table {
	n := 1
	for n*ways < callers {
		n *= 2
	}
	return &Table{seed: maphash.MakeSeed(), buckets: make([]bucket, n)}
}

// Try counts a try of a caller and returns 0, or how long to wait before the next
// one; a try that is refused is not counted. key is any comparable value.
func Try[K comparable](t *Table, key K, l Limit, now time.Time) (wait time.Duration) {
	return ask(t, key, l, now, true)
}

// Wait is what Try would answer, without counting: for callers of whom only what fails is counted.
func Wait[K comparable](t *Table, key K, l Limit, now time.Time) time.Duration {
	return ask(t, key, l, now, false)
}

func ask[K comparable](t *Table, key K, l Limit, now time.Time, count bool) (wait time.Duration) {
	if l.PerMinute <= 0 {
		return 0
	}
	print := maphash.Comparable(t.seed, key) | 1 // never 0
	i := (print >> 8) % uint64(len(t.buckets))
	lock := &t.locks[i%shards]
	lock.Lock()
	defer lock.Unlock()
	c := t.buckets[i].known(print)
	switch {
	case c == nil && !count:
		return 0 // who asks only takes nobody's cell
	case c == nil:
		c = t.buckets[i].find(print)
	}
	at := now.Sub(epoch)
	each := time.Minute / time.Duration(l.PerMinute)
	paid := max(c.paid, at)
	if over := paid - at - each*time.Duration(max(l.Burst, 1)-1); over > 0 {
		return over
	}
	if count {
		c.paid = paid + each
	}
	return 0
}

// known gives the caller's cell, or nil.
func (b *bucket) known(print uint64) *cell {
	for i := range b {
		if b[i].print == print {
			return &b[i]
		}
	}
	return nil
}

// find gives a new caller a cell: a free one, or the one that is missed least.
func (b *bucket) find(print uint64) *cell {
	oldest := 0
	for i := range b {
		if b[i].print == 0 || b[oldest].print != 0 && b[i].paid < b[oldest].paid {
			oldest = i
		}
	}
	b[oldest] = cell{print: print}
	return &b[oldest]
}
