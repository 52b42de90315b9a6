package line

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/redis/go-redis/v9"
)

// overSeen is how far this edge has read the store's list of ended sessions.
type overSeen struct {
	gen  string
	left int64 // sessions ended by somebody's word, as of then
	seq  int64
}

// over tells the host whose sessions have ended before their passes expire.
func (r *Room) over(term int64, vids ...string) {
	if r.cfg.Ended != nil && len(vids) > 0 {
		r.cfg.Ended(term, vids)
	}
}

// overAtStart tells what this edge's log knows: an edge that forgot at a restart would let two people use one slot.
func (r *Room) overAtStart() {
	if r.cfg.Ended == nil {
		return
	}
	var term int64
	var vids []string
	r.log.view(func(c *checkpoint) { term, vids = c.Term, slices.Collect(maps.Keys(c.Ended)) })
	r.cfg.Ended(term, vids)
}

// followOver reads which sessions other edges have ended. An embedded store has no other edges, and would sort the whole
// list for it.
func (r *Room) followOver(ctx context.Context, h header, rh *rhythm) error {
	if r.cfg.Ended == nil || r.store.Embedded() || rh.over.gen == h.gen && rh.over.left == h.out {
		return nil
	}
	if rh.over.gen != h.gen {
		rh.over.seq = 0
	}
	var term *redis.StringCmd
	var list *redis.ZSliceCmd
	// In one transaction: a recall begins a term and an empty list at once.
	_, err := r.store.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		term = p.HGet(ctx, r.key("room"), "term")
		list = p.ZRangeByScoreWithScores(ctx, r.key("ended"), &redis.ZRangeBy{Min: itoa(rh.over.seq), Max: "+inf"})
		return nil
	})
	if errors.Is(err, redis.Nil) {
		return nil // the store has just been lost; the next tick finds out
	}
	if err != nil {
		return wrapStore(err)
	}
	vids := make([]string, 0, len(list.Val()))
	for _, z := range list.Val() {
		vids = append(vids, z.Member.(string))
		rh.over.seq = max(rh.over.seq, int64(z.Score)) // read again with the next: one seq may stand for several
	}
	r.over(num(term.Val()), vids...)
	rh.over.gen, rh.over.left = h.gen, h.out
	return nil
}

// gone says whether "not inside" means that the session is over. After a loss the store knows a session perhaps only by
// its pass: not before it has been told of that pass.
func (r *Room) gone(h header, vid string) bool {
	if h.losses == 0 {
		return true
	}
	s := &r.seen
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gen == h.gen && s.told[vid+passKey]
}
