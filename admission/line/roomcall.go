package line

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"
)

// call runs a script for this edge, takes the room's header from the reply, and passes its events on. A caller
// that was behind (FENCED) is brought up to date and tries once more; a store that lost the room is rebuilt. If that
// turns out to be another epoch the call is not repeated: its tickets were of the old one.
func (r *Room) call(ctx context.Context, s script, args ...any) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	began := r.view.Load().epoch
	for try := 0; ; try++ {
		if now := r.view.Load().epoch; began != 0 && now != began {
			return reply{}, fmt.Errorf("%w: the room has a new epoch", ErrRetry)
		}
		rep, err := r.once(ctx, s, args...)
		if err != nil {
			return rep, err
		}
		switch {
		case rep.status == statusFenced && try < 2:
		case (rep.status == statusAbsent || rep.status == statusLost) && try < 2:
			if err := r.rebuild(ctx, rep.header); err != nil {
				return rep, err
			}
		case rep.status == statusFenced, rep.status == statusAbsent, rep.status == statusLost:
			return rep, fmt.Errorf("%w: the room is being rebuilt", ErrRetry)
		default:
			return rep, nil
		}
	}
}

// once is one call without a second try.
func (r *Room) once(ctx context.Context, s script, args ...any) (reply, error) {
	v := r.view.Load()
	ack := int64(-1)
	if r.cfg.Events != nil {
		r.events.Lock()
		ack = r.events.acked
		r.events.Unlock()
	}
	all := append([]any{r.edge, ack, itoa(v.epoch), v.gen}, args...)
	asked := time.Now()
	rep, err := s.run(ctx, r.store.client, r.keys, all...)
	if err != nil {
		return rep, err
	}
	if rep.status == statusAbsent || rep.status == statusLost {
		return rep, nil
	}
	heard := asked.Add(time.Since(asked) / 2)
	force := rep.status == statusFenced || s.name == scriptCreate.name || s.name == scriptRebuild.name
	r.see(rep.header, heard, force)
	r.deliver(rep.events)
	return rep, nil
}

// see keeps the newest header. force: the store says that this edge speaks of another life of the room.
func (r *Room) see(h header, heard time.Time, force bool) {
	r.viewM.Lock()
	defer r.viewM.Unlock()
	if old := r.view.Load(); old.exists && !force && !h.newer(old.header) {
		return
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

// arrive finds the room in the store, or makes it, and takes care of what this edge left open when it last ended.
func (r *Room) arrive(ctx context.Context) error {
	if _, err := r.call(ctx, scriptStatus); err != nil {
		return err
	}
	if err := r.configure(ctx); err != nil && !errors.Is(err, ErrCommitted) {
		return err
	}
	if err := r.settleOwn(ctx); err != nil {
		return err
	}
	r.arrived.Store(true)
	return nil
}

// firstCeiling is how many indexes a new room may give before the ceiling must be raised.
const firstCeiling = 10_000

// rebuild makes the room in a store that does not know it: anew if this edge has never logged it, else from the
// log. With one edge its log is the whole truth; merging the logs of several is a step of its own.
func (r *Room) rebuild(ctx context.Context, lost header) error {
	r.repair.Lock()
	defer r.repair.Unlock()
	if rep, err := r.once(ctx, scriptStatus); err != nil || rep.status == statusOK {
		return err // another call has done it meanwhile
	}
	var args []any
	known := false
	r.log.view(func(c *checkpoint) {
		known = len(c.Room) > 0
		args = rebuildArgs(c, lost, r.ackedSeq())
	})
	var rep reply
	var err error
	if known || lost.exists {
		r.cfg.Logger.Warn("the store lost the room or was restarted; rebuilding it from this edge's log", "room", r.cfg.Name)
		r.told.reset()
		r.mover.reset()
		raised := max(r.ceilLogged(), lost.ceil) + firstCeiling
		if err := <-r.log.sync(record{Kind: kindCeil, N: raised}); err != nil {
			return err
		}
		args = append([]any{randomHex(8), "raised", raised}, args...)
		rep, err = r.once(ctx, scriptRebuild, args...)
	} else {
		rep, err = r.create(ctx)
	}
	if err != nil {
		return err
	}
	r.note(rep.header)
	return nil
}

func (r *Room) ceilLogged() (ceil int64) {
	r.log.view(func(c *checkpoint) { ceil = c.Ceil })
	return ceil
}

func (r *Room) ackedSeq() int64 {
	r.events.Lock()
	defer r.events.Unlock()
	return r.events.acked
}

// create makes a room that has never been. The epoch is the second of its making, so that a store and a log that
// were both wiped start an epoch whose number no old ticket carries.
func (r *Room) create(ctx context.Context) (reply, error) {
	if err := <-r.log.sync(record{Kind: kindCeil, N: firstCeiling}); err != nil {
		return reply{}, err
	}
	s := r.file.Load()
	r.arrived.Store(false) // rate and cap are nought until the next tick has brought the settings
	phase := phaseOpen
	if s.State == StatePrequeue {
		phase = phasePrequeue
	}
	epoch := time.Now().Unix()
	opens := unixMillis(s.OpensAt)
	return r.once(ctx, scriptCreate, randomHex(8), firstCeiling, r.commit(epoch, s.OpensAt), opens, s.EntropySource, phase, opens, epoch)
}

// After a loss room time goes on a little later than last logged, and the next entry is at least a gap after the
// latest that could have been granted since: 1 s between two ticks, 1 s ahead, and some air.
const (
	rebuildStep = 2_000_000
	rebuildTail = 2_500_000
	seqStep     = 1_000_000 // no tick sees more events than this
)

// rebuildArgs are the arguments of rebuild.lua. A store that kept the room keeps its clock too.
func rebuildArgs(c *checkpoint, lost header, acked int64) []any {
	kept, step := lost.exists, int64(rebuildStep)
	if kept {
		step = 0
	}
	fields := maps.Clone(c.Room)
	fields["ceil"], fields["x"] = itoa(c.Ceil), itoa(c.X)
	fields["rt"] = itoa(c.RT + step)
	fields["tail"] = itoa(max(c.Tail, c.RT+rebuildTail))
	fields["seq"] = itoa(max(c.Seq, acked) + seqStep)
	fields["known"], fields["clean"] = itoa(c.Known), "0"
	if c.Clean {
		fields["clean"] = "1"
	}
	if !kept {
		for name, value := range c.File {
			fields["file:"+name] = value
		}
	}
	var args []any
	for name, value := range fields {
		args = append(args, name, value)
	}
	args = append(args, "", string(c.Spent))
	for vid, l := range c.Leases {
		if l.End > c.RT {
			args = append(args, vid, l.Index, l.Place, l.Entry, l.End+step, l.Hard+step)
		}
	}
	return args
}

// roomFields are the slow fields that the log keeps, by their names in the store.
func (h header) roomFields() map[string]string {
	flag := map[bool]string{false: "0", true: "1"}
	return map[string]string{
		"epoch": itoa(h.epoch), "term": itoa(h.term), "losses": itoa(h.losses),
		"phase": h.phase, "n": itoa(h.n), "opens_at": itoa(h.opensAt),
		"cap": itoa(h.cap), "gap": itoa(h.gap), "rate": h.rate, "idle": itoa(h.idle), "hard": itoa(h.hard),
		"paused": flag[h.paused], "closed": flag[h.closed],
		"commit": h.commit, "promised": h.promised, "entropy_source": h.entropySource, "entropy": h.entropy,
		"root": h.root, "seed": h.seed, "secret": h.secret, "gaps": h.gaps,
	}
}

// note writes what a header tells into the log; the channel tells when it is on disk.
func (r *Room) note(h header) <-chan error {
	records := []record{{Kind: kindTick, X: h.x, RT: h.rt, Tail: h.tail, Seq: h.seq, N: h.next}}
	fields := h.roomFields()
	r.log.view(func(c *checkpoint) {
		if !maps.Equal(c.Room, fields) {
			records = append(records, record{Kind: kindRoom, Fields: fields})
		}
		if h.ceil > c.Ceil {
			records = append(records, record{Kind: kindCeil, N: h.ceil})
		}
	})
	return r.log.sync(records...)
}
