package caddymodule

import (
	"hash/maphash"
	"sync/atomic"
	"time"
)

const (
	knockSlots = 1 << 16                // 512 KB a room, whatever the crowd
	knockEvery = 200 * time.Millisecond // what one visitor may ask in the long run: 5 a second
	knockBurst = 2 * time.Second        // 10 at once: reload, second tab, script and form together

	knockLimitText = "5/s" // as a program is told
)

// knockLimit bounds how often one visitor reaches the line, from memory alone. It is a generic cell rate algorithm on
// a fixed table; two visitors who share a cell by chance share an allowance that is five times what a page asks.
type knockLimit struct{ tat [knockSlots]atomic.Int64 }

var knockSeed = maphash.MakeSeed()

func (l *knockLimit) allow(vid string) bool { return l.allowAt(vid, time.Now()) }

func (l *knockLimit) allowAt(vid string, now time.Time) bool {
	cell := &l.tat[maphash.String(knockSeed, vid)%knockSlots]
	for {
		old := cell.Load()
		next := max(old, now.UnixNano()) + int64(knockEvery)
		if next-now.UnixNano() > int64(knockBurst) {
			return false
		}
		if cell.CompareAndSwap(old, next) {
			return true
		}
	}
}
