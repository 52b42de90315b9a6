package line

import "time"

// Scenes are short plays around the moments at which a loss could cost or double something. Chance alone seldom brings their
// five or six steps together; chance still chooses who, where, which kind of loss, and what happens before and after.

// scenes are played by every fourth seed.
var scenes = []func(*world){(*world).loneKnowledge, (*world).endedElsewhere, (*world).comeBackAfterLoss, (*world).cutOffAndRenew,
	(*world).lostWithItsEdge, (*world).pickUpAndVanish, (*world).giveIndexesAndLose, (*world).newcomerEdge, (*world).renewAndLose}

func (w *world) scene() {
	n := w.rng.IntN(len(scenes))
	w.note("scene %d", n)
	scenes[n](w)
}

// someLoss empties the store, or takes it back by up to two seconds.
func (w *world) someLoss() {
	if w.saved != nil && w.clock-w.savedAt < 4*second && w.rng.IntN(2) == 0 {
		w.note("the store goes back")
		w.rewind()
		w.saved = nil
		return
	}
	w.note("the store is emptied")
	w.lose()
	w.saved = nil
}

// seconds lets time pass in which the given edges tick; long times in the longest steps that a room's clock follows.
func (w *world) seconds(n int, edges ...*actor) {
	step := time.Second
	if n > 4 {
		n, step = (n+1)/2, 2*time.Second
	}
	for range n {
		w.pass(step)
		for _, a := range edges {
			w.tick(a)
		}
		if w.check(); w.broken != "" {
			return
		}
	}
}

// others are all edges but one, with their wires whole.
func (w *world) others(but *actor) (list []*actor) {
	for _, a := range w.edges {
		if a != but {
			a.wire.cut, a.wire.loseNext = false, false
			list = append(list, a)
		}
	}
	return list
}

// insist lets a person come to one of the edges for some seconds, until in.
func (w *world) insist(p *person, n int, edges ...*actor) bool {
	before := len(p.passes)
	for i := 0; i < n && w.broken == ""; i++ {
		w.come(edges[w.rng.IntN(len(edges))], p)
		if len(p.passes) > before {
			return true
		}
		w.seconds(1, edges...)
	}
	return false
}

// makeRoom lets whoever is inside leave, so that somebody else can enter.
func (w *world) makeRoom(a *actor) {
	for _, p := range w.people {
		if len(p.passes) > 0 {
			w.leave(a, p)
		}
	}
}

// One edge alone knows who entered; it is out of reach when the store is lost. Nobody goes on without it.
func (w *world) loneKnowledge() {
	b, p := w.edge(), w.someone()
	rest := w.others(b)
	b.wire.cut, b.wire.loseNext = false, false
	w.makeRoom(b)
	w.seconds(2, w.edges...)
	if !w.insist(p, 6, b) {
		return
	}
	b.wire.cut = true
	w.someLoss()
	w.seconds(13, rest...)
	w.insist(p, 5, rest...)
	b.wire.cut = w.rng.IntN(3) == 0
}

// A session begins at one edge and is ended at another; the lease is in the log of the first.
func (w *world) endedElsewhere() {
	a, p := w.edge(), w.someone()
	rest := w.others(a)
	a.wire.cut, a.wire.loseNext = false, false
	w.makeRoom(a)
	w.seconds(2, w.edges...)
	if !w.insist(p, 6, a) {
		return
	}
	w.leave(rest[w.rng.IntN(len(rest))], p)
	w.someLoss()
	w.seconds(13, w.edges...)
	w.insist(p, 5, w.edges...)
}

// Everybody comes back after a loss, whoever has been in too.
func (w *world) comeBackAfterLoss() {
	w.others(nil)
	w.save()
	w.pass(time.Second)
	w.come(w.edge(), w.someone())
	w.someLoss()
	w.seconds(13, w.edges...)
	for range 2 {
		for _, p := range w.people {
			w.come(w.edge(), p)
		}
		w.makeRoom(w.edge())
		w.seconds(2, w.edges...)
	}
}

// An edge is cut off and renews by itself; the others go on without it for longer than its leases last.
func (w *world) cutOffAndRenew() {
	b, p := w.edge(), w.someone()
	rest := w.others(b)
	b.wire.cut, b.wire.loseNext = false, false
	w.makeRoom(b)
	w.seconds(2, w.edges...)
	if !w.insist(p, 6, b) {
		return
	}
	b.wire.cut = true
	for range 10 {
		w.seconds(5+w.rng.IntN(4), rest...)
		w.renew(b, p)
		for range 2 {
			w.come(rest[w.rng.IntN(len(rest))], w.someone())
		}
	}
	for _, q := range w.people {
		if q != p {
			w.insist(q, 2, rest...)
			w.renew(b, p)
		}
	}
	b.wire.cut = false
}

// An edge is cut off and renews by itself; the store is lost with the edge back, back as a new process, or still out there.
func (w *world) renewAndLose() {
	b, p := w.edge(), w.someone()
	rest := w.others(b)
	b.wire.cut, b.wire.loseNext = false, false
	w.makeRoom(b)
	w.seconds(2, w.edges...)
	if !w.insist(p, 6, w.edge()) {
		return
	}
	w.renew(b, p)
	b.wire.cut = true
	for range 3 + w.rng.IntN(8) {
		w.seconds(5+w.rng.IntN(4), rest...)
		w.renew(b, p)
	}
	switch w.rng.IntN(3) {
	case 0:
		w.crash(b)
		fallthrough
	case 1:
		b.wire.cut = false
	}
	for range 1 + w.rng.IntN(2) {
		w.someLoss()
		w.seconds(13, w.edges...)
		w.renew(b, p)
	}
	for _, q := range w.people {
		if q != p {
			w.insist(q, 2, rest...)
			w.renew(b, p)
		}
	}
	b.wire.cut = false
}

// Two losses, the second while the room is put together after the first.
func (w *world) lostWithItsEdge() {
	b := w.edge()
	w.save()
	w.pass(time.Second)
	w.join(b, w.fresh())
	w.someLoss()
	w.seconds(w.rng.IntN(9), w.edges...)
	if w.rng.IntN(2) == 0 {
		w.crash(b)
		w.note("crash %s", b.r.edge)
	}
	w.someLoss()
	w.seconds(13, w.edges...)
}

// A pick-up reaches the store and its edge dies, or the store is lost before the edge says what became of it.
func (w *world) pickUpAndVanish() {
	b, p := w.edge(), w.someone()
	rest := w.others(b)
	b.wire.cut, b.wire.loseNext = false, false
	w.makeRoom(b)
	w.seconds(2, w.edges...)
	for i := 0; i < 6 && p.grant == "" && w.broken == ""; i++ {
		w.come(b, p)
		w.seconds(1, w.edges...)
	}
	b.wire.loseNext = w.rng.IntN(2) == 0
	b.wire.cutAfter = scriptKnock.full.Hash() // what it would confirm does not get through
	w.come(b, p)
	b.wire.cutAfter = ""
	b.wire.cut = true
	if w.rng.IntN(2) == 0 {
		w.makeRoomExcept(rest[0], p)
	}
	// Its lease ends; then its owner comes to another edge.
	w.seconds(4, rest...)
	w.pass(0)
	for range 16 {
		w.seconds(5, rest...)
	}
	w.insist(p, 4, rest...)
	b.wire.cut = false
	w.seconds(3, w.edges...)
	w.insist(p, 3, w.edges...)
}

func (w *world) makeRoomExcept(a *actor, keep *person) {
	for _, p := range w.people {
		if p != keep && len(p.passes) > 0 {
			w.leave(a, p)
		}
	}
}

// Indexes are given, and the store goes back to before.
func (w *world) giveIndexesAndLose() {
	w.others(nil)
	w.save()
	w.pass(300 * time.Millisecond)
	for range 3 {
		w.join(w.edge(), w.fresh())
	}
	w.someLoss()
	if w.rng.IntN(2) == 0 {
		w.crash(w.edge())
	}
	w.seconds(6, w.edges...)
	for range 4 {
		w.join(w.edge(), w.fresh())
	}
}

// fresh is somebody without a place: whoever has a ticket with an index is never joined again.
func (w *world) fresh() *person {
	for _, p := range w.people {
		if p.index < 0 {
			return p
		}
	}
	return w.another()
}

// An edge comes without a log: it may log nothing that counts before the others have its name on disk.
func (w *world) newcomerEdge() {
	b, p := w.edge(), w.someone()
	rest := w.others(b)
	b.wire.cut, b.wire.loseNext = false, false
	w.makeRoom(rest[0])
	w.seconds(18, rest...) // the edge is struck: what it is asked to log counts anew
	for range 5 {
		w.come(b, p)
		w.pass(600 * time.Millisecond)
		w.tick(b)
	}
	b.wire.cut = true
	w.someLoss()
	w.seconds(13, rest...)
	w.insist(p, 5, rest...)
	b.wire.cut = false
}
