package line

import "time"

// aloneAfter is how long an edge has heard nothing of the store before it may renew beyond what the store has
// acknowledged. The store holds all leases from the moment it misses an edge for 15 s (doorstep.lua); the rest is air for
// both clocks.
const aloneAfter = 20 * time.Second

// renewAlone answers a renewal while the store is away: never past the end that the store has acknowledged, unless the
// store must have noticed that this edge is cut off and keeps every slot for its visitor until the hard end.
func (r *Room) renewAlone(vid string, cause error) (l Lease, ok bool, err error) {
	var known lease
	r.log.view(func(c *checkpoint) {
		if known, ok = c.Leases[vid]; ok {
			l.Epoch, l.Term = c.Epoch, c.Term
		}
	})
	v := r.view.Load()
	if !ok || !v.exists || v.epoch != l.Epoch || v.term != l.Term {
		return Lease{}, false, cause
	}
	now := time.Now()
	l.Now = v.clock(v.rt).Add(now.Sub(v.heard))
	l.End, l.HardEnd, l.Index, l.Place = v.clock(known.End), v.clock(known.Hard), known.Index, known.Place
	contact := time.UnixMicro(r.contact.Load())
	if r.contact.Load() > 0 && now.Sub(contact) > aloneAfter && l.End.After(l.Now.Add(aloneAfter-now.Sub(contact))) {
		l.End = l.HardEnd
	}
	if !l.End.After(l.Now) {
		return Lease{}, false, cause
	}
	return l, true, nil
}
