package line

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	tickEvery  = time.Second
	tickJitter = 50 * time.Millisecond // edges that started together drift apart
	shareEvery = 10 * time.Second
)

// rhythm is when the parts of a tick were last done.
type rhythm struct {
	presence, touches, share time.Time
	ahead                    float64
	waiting, found           int64
	failing                  bool
	over                     overSeen
}

func (r *Room) tickLoop(ctx context.Context) {
	var rh rhythm
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-timer.C:
			err := r.step(context.WithoutCancel(ctx), now, &rh)
			if failing := err != nil; failing != rh.failing {
				rh.failing = failing
				if failing {
					r.cfg.Logger.Error("the room's tick fails; nobody new is let in", "room", r.cfg.Name, "error", err)
				} else {
					r.cfg.Logger.Info("the room ticks again", "room", r.cfg.Name)
				}
			}
			timer.Reset(max(0, tickEvery-time.Since(now)+rand.N(tickJitter)))
		}
	}
}

// step is one tick: move X, keep the door going, write the log, bring a draw forward, send what was collected. It
// does nothing twice if another edge has ticked in this second.
func (r *Room) step(ctx context.Context, now time.Time, rh *rhythm) error {
	if !r.arrived.Load() {
		if err := ignoreMerging(r.arrive(ctx)); err != nil {
			return err
		}
	}
	v := r.view.Load()
	fence, proposed := "", v.x
	if v.leader == r.edge {
		fence = itoa(v.fence)
	}
	pace, gap, err := r.paced(ctx, v, fence != "")
	if err != nil {
		return err
	}
	if v.leader == r.edge {
		if st := v.state(); st == phaseOpen || st == StatePassthrough {
			s, err := r.look(ctx, v.header)
			if err != nil {
				return err
			}
			h := v.header
			h.gap = gap
			proposed = r.mover.propose(h, s)
		}
		if now.Sub(rh.share) >= shareEvery {
			if err := r.countAhead(ctx, v.header, rh); err != nil {
				return err
			}
			rh.share = now
		}
	}
	sent := r.now()
	h, err := r.tick(ctx, fence, proposed, rh, pace...)
	if errors.Is(err, ErrMerging) {
		return r.sendTokens(ctx) // nobody moves; what tickets say helps to put the room together
	}
	if err != nil {
		return err
	}
	r.inContact(sent)
	if !r.arrived.Load() { // this tick has brought the room into being
		err = ignoreMerging(r.arrive(ctx))
	}
	r.mover.heard(h)
	synced := r.note(h)
	if h.phase == phaseDrawing && h.leader == r.edge {
		err = errors.Join(err, r.drawStep(ctx, h))
	}
	if h.ceil-h.next < r.ceilingStep()/2 {
		if raised := r.raiseCeiling(ctx, h); !errors.Is(raised, ErrPending) { // a tick of each of the others away, no fault
			err = errors.Join(err, raised)
		}
	}
	r.sendConfirms(ctx)
	err = errors.Join(err, r.sendTokens(ctx), r.followOver(ctx, h, rh))
	if now.Sub(rh.presence) >= presenceEvery {
		rh.presence = now
		err = errors.Join(err, r.flushPresence(ctx))
	}
	if now.Sub(rh.touches) >= touchEvery {
		rh.touches = now
		err = errors.Join(err, r.flushTouches(ctx))
	}
	return errors.Join(err, <-synced)
}

func ignoreMerging(err error) error {
	if errors.Is(err, ErrMerging) {
		return nil
	}
	return err
}

// flush sends everything collected; at the end of a room.
func (r *Room) flush(ctx context.Context) {
	r.sendConfirms(ctx)
	if err := errors.Join(r.flushTouches(ctx), r.flushPresence(ctx)); err != nil {
		r.cfg.Logger.Warn("some signs of life could not be sent", "room", r.cfg.Name, "error", err)
	}
}

// look reads the bits around X: plain reads, outside a script, because they are only a hint.
func (r *Room) look(ctx context.Context, h header) (sight, error) {
	from, to := r.mover.window(h)
	s := sight{all: h.rt < h.allUntil, base: from, gaps: rangeList(h.gaps)}
	var here0, here1, came *redis.StringCmd
	_, err := r.store.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		here0 = p.GetRange(ctx, r.key("here0"), from/8, to/8)
		here1 = p.GetRange(ctx, r.key("here1"), from/8, to/8)
		came = p.GetRange(ctx, r.key("came"), from/8, to/8)
		return nil
	})
	if err != nil {
		return s, wrapStore(err)
	}
	s.here = bitmap(here0.Val())
	s.here.or([]byte(here1.Val()))
	s.came = bitmap(came.Val())
	return s, nil
}

func (r *Room) key(name string) string {
	for i, k := range keyNames {
		if k == name {
			return r.keys[i]
		}
	}
	panic("line: no key " + name)
}

func wrapStore(err error) error { return fmt.Errorf("%w: %w", ErrStore, err) }
