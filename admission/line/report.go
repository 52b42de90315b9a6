package line

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"
)

// life is which life of the room this edge belongs to: the gen it has reported to, "" while it has yet to. Whatever a
// script of an older life granted is logged only if the report has not been put together yet, so that a report always
// says everything that was or will be acted upon.
type life struct {
	mu  sync.Mutex
	gen string
}

func (l *life) now() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gen
}

// still runs f while no report is put together.
func (l *life) still(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// within runs log if gen is still the present life, and says whether it was.
func (l *life) within(gen string, log func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gen != gen {
		return false
	}
	log()
	return true
}

const (
	reportChunk = 2000 // leases or ended sessions in one part of a report
	reportTries = 3
)

// report tells the store what this edge's log knows: at the start of a process, and after every loss of the store that
// anybody has noticed, before any other call.
func (r *Room) report(ctx context.Context) error {
	r.repair.Lock()
	defer r.repair.Unlock()
	if gen := r.life.now(); gen != "" {
		st, err := r.once(ctx, scriptStatus)
		if err != nil {
			return err
		}
		if st.status == statusOK && st.header.gen == gen {
			return nil // another call has done it meanwhile, or only the epoch was another
		}
		r.cfg.Logger.Warn("the store lost the room or was restarted; this edge reports what its log knows", "room", r.cfg.Name)
		r.told.reset()
		r.mover.reset()
	}
	for range reportTries {
		h, whole, err := r.reportOnce(ctx)
		if err != nil {
			return err
		}
		if !whole {
			continue // the store was lost again between two parts
		}
		if err := <-r.log.sync(record{Kind: kindGen, Text: h.gen}); err != nil {
			return err
		}
		r.life.mu.Lock()
		r.life.gen = h.gen
		r.life.mu.Unlock()
		return <-r.note(h)
	}
	return ErrMerging
}

func (r *Room) reportOnce(ctx context.Context) (h header, whole bool, err error) {
	found, err := r.once(ctx, scriptStatus)
	if err != nil {
		return h, false, err
	}
	var parts [][]any
	r.life.mu.Lock()
	r.life.gen = "" // from here on no reply of the old life is acted upon
	r.log.view(func(c *checkpoint) { parts = r.reportParts(c) })
	r.inContact(r.now()) // what this edge renews by itself from here on is not in the report: as if the store had just been heard
	r.life.mu.Unlock()
	about := found.header.gen
	if found.status == statusAbsent {
		about = "-"
	}
	gen := randomHex(8)
	for i, part := range parts {
		which := "more"
		if i == len(parts)-1 {
			which = "last"
		}
		rep, err := r.once(ctx, scriptReport, append([]any{gen, which, part[0], part[1], about, r.process}, part[2:]...)...)
		if err != nil {
			return h, false, err
		}
		if rep.status == statusStale {
			return h, false, nil
		}
		if rep.status != statusOK {
			return h, false, fmt.Errorf("%w: a report was answered with %s", ErrStore, rep.status)
		}
		if i > 0 && rep.header.gen != h.gen {
			return h, false, nil
		}
		h = rep.header
		about = h.gen
	}
	return h, true, nil
}

// After a loss the next entry is at least a gap after the latest that could have been granted since the last tick: 1 s
// between two ticks, 1 s ahead, and some air. A lost room's clock goes on 2 s later (report.lua).
const rebuildTail = 2_500_000

// reportParts are the arguments of report.lua behind gen and part.
func (r *Room) reportParts(c *checkpoint) [][]any {
	alone, knows := "0", "1"
	if r.store.Embedded() {
		alone = "1"
	}
	if c.Epoch == 0 {
		return [][]any{append([]any{"0", alone}, append(r.firstFields(), "", "", "", "", "", "")...)}
	}
	fields := maps.Clone(c.Room)
	fields["epoch"], fields["term"], fields["ceil"] = itoa(c.Epoch), itoa(c.Term), itoa(c.Ceil)
	x := c.X
	if v := r.view.Load(); v.exists && v.epoch == c.Epoch {
		x = max(x, v.x)
	}
	fields["x"], fields["rt"], fields["tail"] = itoa(x), itoa(c.RT), itoa(max(c.Tail, c.RT+rebuildTail))
	fields["seq"], fields["known"] = itoa(max(c.Seq, r.ackedSeq())), itoa(c.Known)
	fields["reg"], fields["members"] = itoa(c.Reg), c.Members
	if c.Clean {
		fields["clean"] = "1"
	}
	for name, value := range c.File {
		fields["file:"+name] = value
	}
	head := []any{knows, alone}
	part := append([]any{}, head...)
	for name, value := range fields {
		part = append(part, name, value)
	}
	part = append(part, "")
	for term, b := range c.Spent {
		part = append(part, "s", term, string(b))
	}
	for term, b := range c.Freed {
		if len(b) > 0 {
			part = append(part, "u", term, string(b))
		}
	}
	part = append(part, "")

	// Later parts repeat the epoch and term that their sessions are of, and nothing else.
	small := append(append([]any{}, head...), "epoch", itoa(c.Epoch), "term", itoa(c.Term), "n", "-1", "sv", "-1", "cut", c.Room["cut"], "", "")
	var parts [][]any
	var leases, over, waits, accounts []any
	cut := func() {
		parts = append(parts, join(part, leases, over, waits, accounts))
		part, leases, over, waits, accounts = small, nil, nil, nil, nil
	}
	for vid := range c.Ended {
		if over = append(over, vid); len(over) >= reportChunk {
			cut()
		}
	}
	for vid, l := range c.Leases {
		other := "0"
		if l.Other {
			other = "1"
		}
		leases = append(leases, vid, l.Index, l.Place, l.Entry, max(l.End, l.Alone), l.Hard, other)
		if len(leases) >= 7*reportChunk {
			cut()
		}
	}
	for a, o := range c.Owners {
		if accounts = append(accounts, a.String(), o.vid, o.index); len(accounts) >= 3*reportChunk {
			cut()
		}
	}
	for vid, who := range c.Waits {
		waits = append(waits, vid, who)
	}
	cut()
	return parts
}

func join(part []any, lists ...[]any) []any {
	out := append([]any{}, part...)
	for _, list := range lists {
		out = append(append(out, list...), "")
	}
	return out
}

// firstFields are how a room begins that nobody knows. The epoch is the second of its making, so that a store and logs
// that were all wiped start an epoch whose number no old ticket carries.
func (r *Room) firstFields() []any {
	s := r.file.Load()
	phase := phaseOpen
	if s.State == StatePrequeue {
		phase = phasePrequeue
	}
	epoch := time.Now().Unix()
	opens := itoa(unixMillis(s.OpensAt))
	return []any{"epoch", epoch, "phase", phase, "opens_at", opens, "promised", opens,
		"commit", r.commit(epoch, s.OpensAt), "entropy_source", s.EntropySource}
}

// pausedField is the pause as the store has it.
func (h header) pausedField() string {
	switch {
	case h.soldOut:
		return "2"
	case h.paused:
		return "1"
	}
	return "0"
}

// roomFields are the slow fields that the log keeps, by their names in the store.
func (h header) roomFields() map[string]string {
	flag := map[bool]string{false: "0", true: "1"}
	return map[string]string{
		"phase": h.phase, "n": itoa(h.n), "opens_at": itoa(h.opensAt), "sv": itoa(h.sv),
		"cap": itoa(h.cap), "gap": itoa(h.fixed), "rate": h.rate, "idle": itoa(h.idle), "hard": itoa(h.hard),
		"paused": h.pausedField(), "closed": flag[h.closed],
		"net": flag[h.net], "fail_open": itoa(h.failOpen), "queued": flag[h.queued],
		"commit": h.commit, "promised": h.promised, "entropy_source": h.entropySource, "entropy": h.entropy,
		"root": h.root, "seed": h.seed, "secret": h.secret, "gaps": h.gaps, "cut": h.cut, "message": h.message, "order": h.order,
	}
}

// note writes what a header tells into the log; the channel tells when it is on disk. A room that is being put together
// knows less than the logs do and is not noted.
func (r *Room) note(h header) <-chan error {
	if h.merging > 0 {
		done := make(chan error, 1)
		done <- nil
		return done
	}
	return r.log.sync(r.noted(h)...)
}

func (r *Room) noted(h header) []record {
	records := []record{{Kind: kindTick, Epoch: h.epoch, X: h.x, RT: h.rt, Tail: h.tail, Seq: h.seq, N: h.next}}
	fields := h.roomFields()
	r.log.view(func(c *checkpoint) {
		// Replies are noted by whoever got them: one from before a change of the settings may come after one that has it, and
		// after a loss the room would have the old ones for good.
		older := c.Epoch == h.epoch && c.Room["sv"] != "" && h.sv < num(c.Room["sv"])
		if c.Epoch != h.epoch || !older && !maps.Equal(c.Room, fields) {
			records = append(records, record{Kind: kindRoom, Epoch: h.epoch, Fields: fields})
		}
		if c.Epoch != h.epoch || h.ceil > c.Ceil {
			records = append(records, record{Kind: kindCeil, Epoch: h.epoch, N: h.ceil})
		}
	})
	return records
}
