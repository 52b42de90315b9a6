package caddymodule

import (
	"context"
	"time"
)

// scheduleEvery is how often a room looks at its clock. Every edge does, by the store's time; each step is one that
// another edge may have done already.
const scheduleEvery = time.Second

func (r *room) schedule(ctx context.Context) {
	t := time.NewTicker(scheduleEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			now := r.now()
			r.streams.cut(now, r.line.Snapshot(), r.ended.has)
			r.scheduleStep(ctx, now)
			r.tellState(r.line.Snapshot(), r.emitter())
			r.watchClock(r.line.Snapshot())
		}
	}
}

// scheduleStep does what is due at now: changes that have an end are taken back, and a room past its closes_at is
// closed, once, so that an operator can open it again.
func (r *room) scheduleStep(ctx context.Context, now time.Time) {
	if s := r.line.Snapshot(); s.Stale || !known(s) {
		return // nothing can be changed now; it is still due later
	}
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	for what, e := range r.kept.due(now) {
		r.takeBack(ctx, what, e)
	}
	closes := r.closesAt()
	if closes.IsZero() || now.Before(closes) || r.kept.closedFor() == closes.UnixMilli() {
		return
	}
	if r.line.Snapshot().State != "closed" {
		if err := r.change(ctx, change{What: whatState, To: "closed", Who: "schedule", Why: "closes_at"}); err != nil {
			r.log.Warn("the room could not be closed at closes_at; it is tried again", "error", err)
			return
		}
	}
	if err := r.kept.update(func(s *keptState) { s.ClosedFor = closes.UnixMilli() }); err != nil {
		r.log.Error("the closing is not remembered", "error", err)
	}
}

func (r *room) takeBack(ctx context.Context, what string, e expiry) {
	if what == whatPace {
		if r.ordered(e) { // the controller has let go of it by itself
			r.status.forget()
			r.note("expiry of "+e.Who, what, e.Set, r.conf.Load().Pace.said(), "its time is over", time.Time{})
		}
	} else if r.value(what) == e.Set { // else somebody has decided something else since
		to := e.Was
		if what == whatState {
			to = "resumed" // only a pause has an end
		}
		before := r.value(what)
		if err := r.put(ctx, what, to); err != nil {
			r.log.Warn("a change whose time is over could not be taken back; it is tried again", "what", what, "error", err)
			return
		}
		r.status.forget()
		r.note("expiry of "+e.Who, what, before, r.value(what), "its time is over", time.Time{})
	}
	if err := r.kept.drop(what); err != nil {
		r.log.Error("an ended change is not forgotten", "what", what, "error", err)
	}
}

func (k *kept) closedFor() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.is.ClosedFor
}

func (r *room) closesAt() time.Time { return parsedTime(r.conf.Load().ClosesAt) }

func (r *room) prequeueAt() time.Time { return parsedTime(r.conf.Load().PrequeueAt) }

// parsedTime reads a time that validate has read before.
func parsedTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.Truncate(time.Millisecond)
}

// scheduled says whether the room's pre-queue has not begun yet. A room that nobody has heard of is not scheduled.
func (r *room) scheduled(state string) (at time.Time, yes bool) {
	at = r.prequeueAt()
	return at, state == "prequeue" && !at.IsZero() && r.now().Before(at)
}
