package line

import (
	"context"
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

// FailsOpen says whether a request may be passed on although the store is away: the room is a safety net that has never had
// a line in this epoch, and the store has been heard of within its bounded time. An edge that has heard of the room only
// before its restart does not know how long that is, and stays closed.
func (r *Room) FailsOpen() bool {
	v := r.view.Load()
	return v.exists && v.net && !v.queued && v.phase == phaseOpen && !v.paused && !v.closed && v.reason == "" &&
		r.now().Sub(v.heard) < time.Duration(v.failOpen)*time.Microsecond
}
