package line

import (
	"context"
	"fmt"
)

// acknowledge puts on disk what the newest list of edges stands for: the list, and what it must be known with (who was
// freed by a recall, what a struck edge's log knew). The next tick tells the store.
func (r *Room) acknowledge(ctx context.Context, h header) error {
	behind := false
	r.log.view(func(c *checkpoint) {
		behind = c.Epoch != h.epoch || h.term > c.Term || h.need > c.Reg || c.RegGen != h.gen
	})
	var records []record
	if behind {
		rep, err := r.call(ctx, scriptCopy)
		if err != nil {
			return err
		}
		h = rep.header
		if records, err = r.copyOwners(ctx, h); err != nil {
			return err
		}
		records = append(copied(h, rep.results), records...)
	}
	records = append(records, r.noted(h)...)
	records = append(records, record{Kind: kindEdges, Epoch: h.epoch, N: h.reg, Gen: h.gen, Text: h.members})
	var synced <-chan error
	if !r.life.within(h.gen, func() { synced = r.log.sync(records...) }) {
		return ErrMerging
	}
	return <-synced
}

func copied(h header, results [][]string) []record {
	records := []record{{Kind: kindFreed, Epoch: h.epoch, Term: h.term}}
	var sessions []record
	for _, f := range results {
		switch f[0] {
		case "s":
			records = append(records, record{Kind: kindBits, Epoch: h.epoch, Term: num(f[1]), Bits: []byte(f[2])})
		case "u": // the places a recall freed come with its term, in one record: never the one without the other
			freed := record{Kind: kindFreed, Epoch: h.epoch, Term: num(f[1]), Bits: []byte(f[2])}
			if freed.Term == h.term {
				records[0] = freed
			} else {
				records = append(records, freed)
			}
		case "l":
			sessions = append(sessions, record{Kind: kindLease, Epoch: h.epoch, Term: h.term, Vid: f[1],
				N: num(f[2]), Place: num(f[3]), Entry: num(f[4]), End: num(f[5]), Hard: num(f[6]), Other: true})
		case "e":
			sessions = append(sessions, record{Kind: kindEnded, Epoch: h.epoch, Term: h.term, Vid: f[1], N: -1, End: h.rt + h.hard})
		case "w":
			sessions = append(sessions, record{Kind: kindWaits, Epoch: h.epoch, Vid: f[1], Text: f[2]})
		}
	}
	// Older terms first: the present one's record forgets the sessions of those before.
	return append(append(records[1:], records[0]), sessions...)
}

// acked is the list of edges on this edge's disk, if it is of this life of the room.
func (r *Room) acked(h header) (reg int64) {
	r.log.view(func(c *checkpoint) {
		if c.RegGen == h.gen && c.Epoch == h.epoch {
			reg = c.Reg
		}
	})
	return reg
}

// tick calls the store's tick, and again at once if there is a new list to acknowledge: an edge counts when all have it.
func (r *Room) tick(ctx context.Context, fence string, proposed int64, rh *rhythm, pace ...any) (header, error) {
	rep, err := r.call(ctx, scriptTick, append([]any{fence, proposed, rh.ahead, fmt.Sprint(rh.waiting, " ", rh.found), r.acked(r.view.Load().header), "0"}, pace...)...)
	r.noteRoster(rep)
	if err != nil {
		return rep.header, err
	}
	h := rep.header
	if r.acked(h) >= h.reg {
		return h, nil
	}
	return r.settle(ctx, h)
}

// settle acknowledges and says so.
func (r *Room) settle(ctx context.Context, h header) (header, error) {
	if err := r.acknowledge(ctx, h); err != nil {
		return h, err
	}
	rep, err := r.call(ctx, scriptTick, "", 0, 0, 0, r.acked(h), "0")
	return rep.header, err
}
