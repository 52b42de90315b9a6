package line

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// call runs a script for this edge, takes the room's header from the reply, and passes its events on. A caller
// that was behind (FENCED) is brought up to date and tries once more; if the store has lost something, this edge reports
// what it knows. If that turns out to be another epoch the call is not repeated: its tickets were of the old one.
func (r *Room) call(ctx context.Context, s script, args ...any) (reply, error) {
	return r.callIn(ctx, r.view.Load().epoch, s, args...)
}

// callIn is a call that is meant for one epoch, that of the tickets it speaks of: never for the one after a reset.
func (r *Room) callIn(ctx context.Context, began int64, s script, args ...any) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	for try := 0; ; try++ {
		rep, err := r.onceIn(ctx, began, s, args...)
		if err != nil {
			return rep, err
		}
		switch rep.status {
		case statusMerge:
			return rep, ErrMerging
		case statusPend:
			return rep, ErrPending
		case statusOther:
			return rep, ErrOther
		case statusFenced, statusAbsent, statusLost:
			if try == 2 {
				return rep, ErrMerging
			}
			if err := r.report(ctx); err != nil {
				return rep, err
			}
		default:
			return rep, nil
		}
	}
}

// once is one call without a second try.
func (r *Room) once(ctx context.Context, s script, args ...any) (reply, error) {
	return r.onceIn(ctx, 0, s, args...)
}

func (r *Room) onceIn(ctx context.Context, began int64, s script, args ...any) (reply, error) {
	v := r.view.Load()
	if began != 0 && v.epoch != began {
		return reply{}, fmt.Errorf("%w: the room has a new epoch", ErrRetry)
	}
	ack := int64(-1)
	if r.cfg.Events != nil {
		r.events.Lock()
		ack = r.events.acked
		r.events.Unlock()
	}
	gen := r.life.now()
	if s.name == scriptReport.name {
		r.log.view(func(c *checkpoint) { gen = c.Gen })
	}
	clock := ""
	if r.clock != nil {
		clock = itoa(r.clock())
	}
	all := append([]any{r.edge, ack, itoa(v.epoch), gen, clock}, args...)
	asked := r.now()
	rep, err := s.run(ctx, r.store, r.keys, all...)
	if err != nil {
		return rep, err
	}
	if rep.status == statusAbsent || rep.status == statusLost || rep.status == statusStale {
		return rep, nil
	}
	heard := asked.Add(r.now().Sub(asked) / 2)
	r.see(rep.header, heard, rep.status == statusFenced || s.name == scriptReport.name)
	r.deliver(rep.events)
	return rep, nil
}

// see keeps the newest header. force: the store says that this edge speaks of another life of the room. A room that is
// being put together knows less than this edge has heard before: what people were shown stays until it is whole.
func (r *Room) see(h header, heard time.Time, force bool) {
	r.viewM.Lock()
	defer r.viewM.Unlock()
	old := r.view.Load()
	if old.exists && !force && !h.newer(old.header) {
		return
	}
	if h.merging > 0 && old.exists && old.epoch == h.epoch {
		part := h
		h = old.header
		h.merging, h.reason, h.missing, h.gen, h.run, h.losses = part.merging, part.reason, part.missing, part.gen, part.run, part.losses
		h.now, h.rt, h.reg, h.members, h.settled, h.leader = part.now, part.rt, part.reg, part.members, part.settled, part.leader
		h.x, h.ceil = max(h.x, part.x), max(h.ceil, part.ceil)
	}
	if old.exists && old.epoch != h.epoch {
		r.told.reset()
		r.mover.reset()
	}
	r.view.Store(&view{h, heard})
}

// deliver passes events on in order. A reply carries all that this edge has not acknowledged, so two replies that
// cross bring some twice, and a reply that got lost brings its events with the next.
func (r *Room) deliver(events []Event) {
	if r.cfg.Events == nil || len(events) == 0 {
		return
	}
	r.events.Lock()
	defer r.events.Unlock()
	fresh := events[:0]
	for _, e := range events {
		if e.Seq > r.events.acked {
			e.Room = r.cfg.Name
			fresh = append(fresh, e)
			r.events.acked = e.Seq
		}
	}
	if len(fresh) > 0 {
		r.cfg.Events(fresh)
	}
}

func (r *Room) ackedSeq() int64 {
	r.events.Lock()
	defer r.events.Unlock()
	return r.events.acked
}

// arrive reports to the store, which finds or makes the room, and brings the file's settings.
func (r *Room) arrive(ctx context.Context) error {
	if r.life.now() == "" {
		if err := r.report(ctx); err != nil {
			return err
		}
	}
	if err := r.configure(ctx); err != nil && !errors.Is(err, ErrCommitted) {
		return err
	}
	r.arrived.Store(true)
	return nil
}

// firstCeiling is how many indexes a new room may give before the ceiling must be raised.
const firstCeiling = 10_000
