package line

import "time"

// aloneAfter is how long an edge has heard nothing of the store before it may renew beyond what the store has
// acknowledged. The store holds all leases from the moment it misses an edge for 15 s (session.lua); the rest is air for
// both clocks.
const aloneAfter = 20 * time.Second

// inContact notes that a call which tells the store of this edge was sent at that moment.
func (r *Room) inContact(sent time.Time) {
	if last := r.contact.Load(); last == nil || sent.After(*last) {
		r.contact.Store(&sent)
	}
}

// renewAlone answers a renewal while the store is away: never past the end that the store has acknowledged, unless the
// store must have noticed that this edge is cut off and keeps the slot for its visitor until the hard end. It does so for
// leases that this edge has given or renewed itself; of those it only learned of, it does not know it. What it renews by itself
// is on its disk first: should the store lose everything, nobody else can say it.
func (r *Room) renewAlone(vid string, cause error) (l Lease, ok bool, err error) {
	var known lease
	var synced <-chan error
	r.life.still(func() { // no report is put together that does not speak of it
		r.log.view(func(c *checkpoint) {
			if known, ok = c.Leases[vid]; ok {
				l.Epoch, l.Term = c.Epoch, c.Term
			}
		})
		v := r.view.Load()
		if ok = ok && v.exists && v.epoch == l.Epoch && v.term == l.Term; !ok {
			return
		}
		now := r.now()
		l.Now = v.clock(v.rt).Add(now.Sub(v.heard))
		l.End, l.HardEnd, l.Index, l.Place = v.clock(known.End), v.clock(known.Hard), known.Index, known.Place
		if contact := r.contact.Load(); contact != nil && !known.Other {
			if silence := now.Sub(*contact); silence > aloneAfter && l.End.After(l.Now.Add(aloneAfter-silence)) {
				l.End = l.HardEnd
			}
		}
		if ok = l.End.After(l.Now); ok && l.End.After(v.clock(known.End)) {
			synced = r.log.sync(record{Kind: kindLease, Epoch: l.Epoch, Term: l.Term, Vid: vid, N: known.Index, Place: known.Place,
				Entry: known.Entry, End: known.End, Hard: known.Hard, Other: known.Other, Alone: known.Hard})
		}
	})
	if ok && synced != nil {
		if err := <-synced; err != nil {
			return Lease{}, false, err
		}
	}
	if !ok {
		return Lease{}, false, cause
	}
	return l, true, nil
}
