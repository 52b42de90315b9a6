package caddymodule

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

// endedFor is how long a pass that was just signed could still be good.
const endedFor = admission.PassLife + admission.Leeway

// endedSessions remembers whose pass must not work any more although it has not expired: the slot has been given back
// already, and two people in one slot would be one too many. Each is kept for endedFor at least and twice that at most.
// It has no bound of its own, because dropping one would let two people in: only who was inside is kept, so it is what
// the rate lets in during those minutes.
type endedSessions struct {
	mu      sync.RWMutex
	young   map[string]int64 // by visitor: the term whose passes are refused, with all before it
	old     map[string]int64
	turned  time.Time
	learned atomic.Bool // what was known before a restart is in
}

func (e *endedSessions) add(term int64, vids ...string) { e.addAt(time.Now(), term, vids...) }

func (e *endedSessions) addAt(now time.Time, term int64, vids ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now.Sub(e.turned) >= endedFor {
		e.young, e.old = make(map[string]int64, len(vids)), e.young
		if now.Sub(e.turned) >= 2*endedFor {
			e.old = nil
		}
		e.turned = now
	}
	for _, vid := range vids {
		e.young[vid] = max(e.young[vid], term)
	}
}

// has says whether a pass of this term is refused. A recall frees people's places: their next passes are of a new term.
func (e *endedSessions) has(vid string, term int64) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	until, ok := e.young[vid]
	if !ok {
		until, ok = e.old[vid]
	}
	return ok && term <= until
}

// over is how the line tells of sessions that have ended, here or at another edge, now or before a restart.
func (r *room) over(term int64, vids []string) {
	r.ended.add(term, vids...)
	r.ended.learned.Store(true)
}

// end gives a session back at its origin's wish. The origin's answer does not wait for it.
func (r *room) end(p admission.Pass) {
	r.ended.add(p.Term, string(p.VID))
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		// A pass does not name the index that is spent with the session; the store knows it.
		lease, ok, err := r.line.Renew(ctx, string(p.VID))
		if err == nil && ok {
			err = r.line.Leave(ctx, line.Visitor{ID: string(p.VID), Index: lease.Index})
		}
		if err != nil {
			r.log.Warn("a session could not be ended; it lasts until its lease does", "error", err)
		}
	}()
}
