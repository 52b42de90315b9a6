package line

import (
	"context"
	"errors"
	"sync"
	"time"
)

// How often the collected signs of life are sent.
const (
	touchEvery    = 10 * time.Second
	presenceEvery = 5 * time.Second
	gatherMax     = 1_000_000
)

// gather keeps what need not be sent at once.
type gather struct {
	mu       sync.Mutex
	touches  map[string]touch
	here     presence
	confirms []confirmation
}

// touch is a sign of life of a session.
type touch struct {
	least time.Duration // how long the lease shall last from now at least
	term  int64         // of the pass that showed it
}

// confirmation tells the store whether a pick-up is on disk.
type confirmation struct {
	vid    string
	index  int64
	term   int64
	logged bool
}

func (g *gather) confirm(vid string, index, term int64, logged bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.confirms = append(g.confirms, confirmation{vid, index, term, logged})
}

// Touch notes a request of an admitted visitor; atLeast (0: the room's idle time) is how long the lease shall
// last from now, within its hard end. Touches are sent every 10 s; it makes no call to the store.
func (r *Room) Touch(vid string, atLeast time.Duration) {
	if !named(vid) {
		return
	}
	r.touch(vid, touch{min(atLeast, MaxLease), r.view.Load().term})
}

func (r *Room) touch(vid string, t touch) {
	g := &r.gather
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.touches == nil {
		g.touches = map[string]touch{}
	}
	if old, ok := g.touches[vid]; ok || len(g.touches) < gatherMax {
		g.touches[vid] = touch{max(old.least, t.least), max(old.term, t.term)}
	}
}

// Renew touches at once and returns the acknowledged lease. ok is false when the visitor is not inside; after a loss the
// error is ErrRetry while the store may know the session no more and not yet again.
func (r *Room) Renew(ctx context.Context, vid string) (l Lease, ok bool, err error) {
	if !named(vid) {
		return Lease{}, false, ErrBadVisitor
	}
	err = r.sendTokens(ctx) // this visitor's pass may be what brings the session back
	var leases map[string]Lease
	if err == nil {
		leases, err = r.sendTouches(ctx, map[string]touch{vid: {term: r.view.Load().term}})
	}
	if errors.Is(err, ErrStore) || errors.Is(err, ErrRetry) {
		return r.renewAlone(vid, err)
	}
	if err != nil {
		return Lease{}, false, err
	}
	if l, ok = leases[vid]; !ok && !r.gone(r.view.Load().header, vid) {
		return Lease{}, false, ErrRetry
	}
	return l, ok, nil
}

// sendTouches renews leases, logs their new ends and returns those that live. The end is in the log's file
// before anybody learns it, if not yet on the disk: what a power loss takes of it is at most one renewal.
func (r *Room) sendTouches(ctx context.Context, touches map[string]touch) (map[string]Lease, error) {
	leases := map[string]Lease{}
	vids := make([]string, 0, batchMax)
	send := func() error {
		args := make([]any, 0, 2*len(vids))
		for _, vid := range vids {
			args = append(args, vid, touches[vid].least.Microseconds())
		}
		rep, err := r.call(ctx, scriptTouch, args...)
		if err != nil {
			return err
		}
		h := rep.header
		var records []record
		over := map[int64][]string{}
		for i, f := range rep.results {
			end, hard, index, place := num(f[0]), num(f[1]), num(f[2]), num(f[3])
			if end < 0 {
				if r.gone(h, vids[i]) {
					term := touches[vids[i]].term
					over[term] = append(over[term], vids[i])
				}
				continue
			}
			leases[vids[i]] = Lease{End: h.clock(end), HardEnd: h.clock(hard), Now: h.clock(h.rt), Epoch: h.epoch, Term: h.term, Index: index, Place: place}
			records = append(records, record{Kind: kindLease, Epoch: h.epoch, Vid: vids[i], N: index, Term: h.term, Place: place, Entry: num(f[4]), End: end, Hard: hard})
		}
		if !r.life.within(h.gen, func() { r.log.append(records...) }) {
			return ErrMerging // the report about the loss did not speak of these ends
		}
		for term, ended := range over { // another edge ended them, or the lease had run out
			r.over(term, ended...)
		}
		vids = vids[:0]
		return nil
	}
	for vid := range touches {
		if vids = append(vids, vid); len(vids) == batchMax {
			if err := send(); err != nil {
				return leases, err
			}
		}
	}
	if len(vids) == 0 {
		return leases, nil
	}
	return leases, send()
}

func (r *Room) flushTouches(ctx context.Context) error {
	r.gather.mu.Lock()
	touches := r.gather.touches
	r.gather.touches = nil
	r.gather.mu.Unlock()
	err := r.sendTokens(ctx) // of everybody in touches
	if err == nil {
		_, err = r.sendTouches(ctx, touches)
	}
	if err != nil { // the visitors' next requests must not be what keeps their sessions alive
		for vid, t := range touches {
			r.touch(vid, t)
		}
	}
	return err
}

// sendConfirms tells the store what became of pick-ups; what cannot be told now is told by the next tick.
func (r *Room) sendConfirms(ctx context.Context) {
	r.gather.mu.Lock()
	confirms := r.gather.confirms
	r.gather.confirms = nil
	r.gather.mu.Unlock()
	for len(confirms) > 0 {
		part := confirms[:min(len(confirms), batchMax)]
		args := make([]any, 0, 4*len(part))
		for _, c := range part {
			logged := "0"
			if c.logged {
				logged = "1"
			}
			args = append(args, c.vid, c.index, logged, c.term)
		}
		if _, err := r.call(ctx, scriptConfirm, args...); err != nil {
			r.gather.mu.Lock()
			r.gather.confirms = append(confirms, r.gather.confirms...)
			r.gather.mu.Unlock()
			return
		}
		confirms = confirms[len(part):]
	}
}
