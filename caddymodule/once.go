package caddymodule

import (
	"sync"
	"time"
)

// maxOnce bounds the memory of what may happen once only.
const maxOnce = 65_536

// once remembers keys until their time is over.
type once struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// first is true for the first caller with a key until its time is over; false also while the memory is full, since
// what was forgotten could happen twice.
func (o *once) first(key string, until time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.until == nil {
		o.until = make(map[string]time.Time)
	}
	if _, ok := o.until[key]; ok {
		return false
	}
	if len(o.until) >= maxOnce {
		now := time.Now()
		for k, t := range o.until {
			if t.Before(now) {
				delete(o.until, k)
			}
		}
		if len(o.until) >= maxOnce {
			return false
		}
	}
	o.until[key] = until
	return true
}
