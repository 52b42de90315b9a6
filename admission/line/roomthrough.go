package line

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// PassThrough asks, for a newcomer without a ticket, whether the safety net lets people through now. Granted: the request may
// be passed on at the entry time, and the visitor has Index and a grant of ten seconds, which becomes a session when the
// visitor comes back and enters; the same id asked again within that time has the same grant. Waiting: there is a line, join.
// The store decides each time: what this edge last heard of the room's state decides nothing.
func (r *Room) PassThrough(ctx context.Context, vid string) (Answer, error) {
	if !named(vid) {
		return Answer{}, ErrBadVisitor
	}
	return r.throughs.do(ctx, vid)
}

func (r *Room) runThroughs(ctx context.Context, batch []call[string, Answer]) {
	for try := 0; len(batch) > 0; try++ {
		args := make([]any, 0, len(batch))
		for _, c := range batch {
			args = append(args, c.ask)
		}
		rep, err := r.call(ctx, scriptThrough, args...)
		if err == nil && rep.status == statusClosed {
			err = ErrClosed
		}
		if err == nil && len(rep.results) != len(batch) {
			err = fmt.Errorf("%w: through answered %d of %d", ErrStore, len(rep.results), len(batch))
		}
		if err != nil {
			fail(batch, err)
			return
		}
		h := rep.header
		var refused []call[string, Answer]
		for i, c := range batch {
			f := rep.results[i]
			a := Answer{Standing: Waiting, Index: num(f[2]), Place: num(f[2]), X: h.x, Epoch: h.epoch, Term: h.term, Now: h.clock(h.rt)}
			switch f[0] {
			case "retry":
				refused = append(refused, c)
				continue
			case "granted":
				a.Standing, a.Grant = Granted, num(f[1])
				a.Entry = h.clock(a.Grant)
			}
			c.reply(a, nil)
		}
		if batch = refused; len(batch) == 0 {
			return
		}
		if err := r.raiseCeiling(ctx, h); err != nil || try > 0 {
			fail(batch, ErrRetry)
			return
		}
	}
}

// FailsOpen says whether a request may be passed on although the store could not be asked, which failed with err; nil asks
// whether that is known without trying. The room must be a safety net that lets people in at all, has nobody at its door and has
// never had a line in this epoch, and the store must be away: whatever else a call fails with (a room that is being put together
// again, one that is closed, a queue of ours that is full, a visitor who went) is the store's own word or nobody's. The time is
// bounded by when the room was last heard of and by the last tick too: a store that answers reads and refuses to write would be
// heard of for ever. An edge that has heard of the room only before its restart does not know how long that is, and
// stays closed.
func (r *Room) FailsOpen(err error) bool {
	v, now := r.view.Load(), r.now()
	if err == nil && !r.Snapshot().Stale || err != nil && !away(err) {
		return false
	}
	limit := time.Duration(v.failOpen) * time.Microsecond
	if tick := r.contact.Load(); tick != nil && now.Sub(*tick) >= limit+staleAfter {
		return false
	}
	return v.exists && v.net && !v.queued && v.door == 0 && v.gap > 0 && v.cap > 0 && v.phase == phaseOpen && !v.paused && !v.closed &&
		v.reason == "" && now.Sub(v.heard) < limit
}

// away says whether an error means that the store was not reached or made no sense. A deadline that passed does: it is the
// bounded wait for the store's word.
func away(err error) bool {
	return errors.Is(err, ErrStore) || errors.Is(err, context.DeadlineExceeded)
}
