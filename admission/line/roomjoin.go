package line

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

type joinAsk struct{ vid, identity string }

// maxIdentity bounds an identity's hash.
const maxIdentity = 128

// Join gives the visitor an arrival index: the next one, or the one that this id or this identity (a hash, may
// be empty) got before. Joins are collected for up to 2 ms or 256. In the second in which this edge is getting known to the
// others a join waits: a room that has just been made would else send its first visitors away.
func (r *Room) Join(ctx context.Context, vid, identity string) (Joined, error) {
	if !named(vid) || len(identity) > maxIdentity {
		return Joined{}, ErrBadVisitor
	}
	for deadline := time.Now().Add(pendingLimit); ; {
		j, err := r.joins.do(ctx, joinAsk{vid, identity})
		if !errors.Is(err, ErrPending) || time.Now().After(deadline) {
			return j, err
		}
		select {
		case <-r.joins.done:
			return j, err
		case <-ctx.Done():
			return j, err
		case <-time.After(pendingAgain + rand.N(pendingAgain)):
		}
	}
}

// An edge gets known by one tick of each of the others. The waiting is done here and not in the batch, so that nobody stands
// behind it who needs no new place; and no longer, since an edge that has died is awaited for 15 s.
const (
	pendingLimit = 5 * tickEvery / 2 // within what the host waits for a place
	pendingAgain = 100 * time.Millisecond
)

// runJoins serves one batch, in the order of arrival. Whoever met the ceiling is served again once it is raised.
func (r *Room) runJoins(ctx context.Context, batch []call[joinAsk, Joined]) {
	for try := 0; len(batch) > 0; try++ {
		args := make([]any, 0, 2*len(batch))
		for _, c := range batch {
			args = append(args, c.ask.vid, accountOf(c.ask.identity))
		}
		rep, err := r.call(ctx, scriptJoin, args...)
		if err == nil && rep.status == statusClosed {
			err = ErrClosed
		}
		if err == nil && len(rep.results) != len(batch) {
			err = fmt.Errorf("%w: join answered %d of %d", ErrStore, len(rep.results), len(batch))
		}
		if err != nil {
			fail(batch, err)
			return
		}
		if err := r.noteDraw(rep.header); err != nil {
			fail(batch, err)
			return
		}
		var refused []call[joinAsk, Joined]
		var accounts []owned
		for i, c := range batch {
			index := num(rep.results[i][1])
			if index < 0 {
				refused = append(refused, c)
				continue
			}
			r.told.set(index)
			j := Joined{ID: rep.results[i][0], Index: index, Epoch: rep.header.epoch, IssuedAt: rep.header.clock(rep.header.rt)}
			if c.ask.identity != "" {
				accounts = append(accounts, owned{c, j})
				continue
			}
			c.reply(j, nil)
		}
		r.replyOwned(rep.header, accounts)
		if batch = refused; len(batch) == 0 {
			return
		}
		if err := r.raiseCeiling(ctx, rep.header); errors.Is(err, ErrPending) {
			fail(batch, ErrPending)
			return
		} else if err != nil || try > 0 {
			fail(batch, ErrRetry)
			return
		}
	}
}

// raiseCeiling puts the new ceiling on disk first and then in force: after any loss no index is given twice,
// because none at or above a logged ceiling was ever given.
func (r *Room) raiseCeiling(ctx context.Context, h header) error {
	r.raise.Lock()
	defer r.raise.Unlock()
	if v := r.view.Load(); v.ceil > h.ceil {
		return nil
	}
	// An edge that does not count yet must not log one either: its log would speak of a ceiling that never was in force, and
	// after a loss everybody would have to believe that indexes below it were given.
	if _, err := r.call(ctx, scriptRaise, 0); err != nil {
		return err
	}
	ceil := h.ceil + r.ceilingStep()
	if err := <-r.log.sync(record{Kind: kindCeil, Epoch: h.epoch, N: ceil}); err != nil {
		return err
	}
	_, err := r.call(ctx, scriptRaise, ceil)
	return err
}

// ceilingStep is how far a ceiling goes: a minute of joins.
func (r *Room) ceilingStep() int64 {
	if r.tiny > 0 {
		return r.tiny
	}
	return max(firstCeiling, 60*r.mover.joinsPerSecond())
}

// noteDraw puts the size of a draw on disk before any ticket of behind it leaves: a merge never freezes by itself.
func (r *Room) noteDraw(h header) error {
	known := true
	r.log.view(func(c *checkpoint) { known = h.n < 0 || c.Epoch == h.epoch && c.Room["n"] == itoa(h.n) })
	if known {
		return nil
	}
	return <-r.note(h)
}

// told remembers which tickets the present store knows, so that each is told at most once. It matters only after
// a loss.
type told struct {
	mu   sync.Mutex
	bits bitmap
}

func (t *told) set(index int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bits.set(index)
}

func (t *told) has(index int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bits.get(index)
}

func (t *told) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bits = nil
}

// remember tells a store that was rebuilt of a ticket given before its loss. It never blocks; a ticket that finds
// no room in the queue is told at its next sign of life.
func (r *Room) remember(v Visitor) {
	if r.view.Load().losses == 0 || r.told.has(v.Index) {
		return
	}
	select {
	case r.returns.in <- call[Visitor, struct{}]{ask: v, answer: make(chan result[struct{}], 1)}:
	default:
	}
}

func (r *Room) runReturns(ctx context.Context, batch []call[Visitor, struct{}]) {
	epoch := r.view.Load().epoch
	if batch = present(batch, epoch, func(v Visitor) int64 { return v.Epoch }); len(batch) == 0 {
		return
	}
	args := make([]any, 0, 3*len(batch))
	for _, c := range batch {
		args = append(args, c.ask.ID, c.ask.Index, accountOf(c.ask.Identity))
	}
	if _, err := r.callIn(ctx, epoch, scriptReturn, args...); err != nil {
		return // told again at their next sign of life
	}
	for _, c := range batch {
		r.told.set(c.ask.Index)
	}
}
