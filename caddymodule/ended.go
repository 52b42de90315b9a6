package caddymodule

import (
	"context"
	"sync"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

// maxEnded bounds the memory of ended sessions. Beyond it the oldest pass would work until it expires, at most 5 min.
const maxEnded = 65_536

// endedFor is how long a pass that was just signed could still be good.
const endedFor = admission.PassLife + admission.Leeway

// endedSessions remembers whose pass must not work any more although it has not expired: the slot has been given back
// already, and two people in one slot would be one too many.
type endedSessions struct {
	mu    sync.RWMutex
	until map[string]time.Time
}

func (e *endedSessions) add(vid string, until time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.until == nil {
		e.until = make(map[string]time.Time)
	}
	if len(e.until) >= maxEnded {
		now := time.Now()
		for v, t := range e.until {
			if t.Before(now) || len(e.until) >= maxEnded {
				delete(e.until, v)
			}
		}
	}
	e.until[vid] = until
}

func (e *endedSessions) has(vid string) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	_, ok := e.until[vid]
	return ok
}

// end gives a session back at its visitor's or its origin's wish. The origin's answer does not wait for it.
func (r *room) end(p admission.Pass) {
	r.ended.add(string(p.VID), time.Now().Add(endedFor))
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		// A pass does not name the index that is spent with the session; the store knows it.
		lease, ok, err := r.line.Renew(ctx, string(p.VID))
		if err == nil && ok {
			err = r.leave(ctx, line.Visitor{ID: string(p.VID), Index: lease.Index})
		}
		if err != nil {
			r.log.Warn("a session could not be ended; it lasts until its lease does", "error", err)
		}
	}()
}

func (r *room) leave(ctx context.Context, v line.Visitor) error {
	r.ended.add(v.ID, time.Now().Add(endedFor))
	return r.line.Leave(ctx, v)
}
