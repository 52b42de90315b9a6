package line

import (
	"strconv"
	"time"
)

// someone who has come by now: people come one after the other, so that joins meet every fault.
func (w *world) someone() *person { return w.people[w.rng.IntN(min(len(w.people), 3+w.steps/6))] }
func (w *world) edge() *actor     { return w.edges[w.rng.IntN(len(w.edges))] }

// pass lets time go on.
func (w *world) pass(d time.Duration) { w.clock += d.Microseconds() }

func (w *world) tick(a *actor) {
	err := a.r.step(w.ctx, time.UnixMicro(w.clock), &a.rh)
	w.note("tick %s: %v", a.r.edge, err)
}

func (w *world) join(a *actor, p *person) {
	c := call[joinAsk, Joined]{joinAsk{p.vid, p.signed}, make(chan result[Joined], 1)}
	a.r.runJoins(w.ctx, []call[joinAsk, Joined]{c})
	got := <-c.answer
	w.note("join %s at %s: %d/%d %v", p.vid, a.r.edge, got.answer.Epoch, got.answer.Index, got.err)
	if got.err != nil {
		return
	}
	p.epoch, p.index, p.grant = got.answer.Epoch, got.answer.Index, ""
	key := [2]int64{p.epoch, p.index}
	if who, ok := w.given[key]; ok && who != p.vid {
		w.fail("index %d of epoch %d was given to %s and to %s", p.index, p.epoch, who, p.vid)
	}
	w.given[key] = p.vid
}

// elsewhere asks for a place with another browser of somebody's account: until the place is used and the session over, it is
// the same one.
func (w *world) elsewhere(a *actor, p *person) {
	if p.signed == "" || p.index < 0 || a.r.view.Load().epoch != p.epoch {
		return
	}
	c := call[joinAsk, Joined]{joinAsk{"other" + itoa(int64(w.steps)), p.signed}, make(chan result[Joined], 1)}
	a.r.runJoins(w.ctx, []call[joinAsk, Joined]{c})
	got := <-c.answer
	w.note("join by the account of %s at %s: %s %d/%d %v", p.vid, a.r.edge, got.answer.ID, got.answer.Epoch, got.answer.Index, got.err)
	if got.err != nil || got.answer.Epoch != p.epoch || got.answer.ID == p.vid && got.answer.Index == p.index {
		return
	}
	used, _ := w.g.raw.client.GetBit(w.ctx, a.r.key("spent"), p.index).Result()
	if _, err := w.g.raw.client.ZScore(w.ctx, a.r.key("in"), p.vid).Result(); used == 0 || err == nil {
		w.fail("the account of %s has place %d and was given %d to %s", p.vid, p.index, got.answer.Index, got.answer.ID)
	}
	p.signed = "" // its new place is another's from here on
}

// come is what a page does: the ticket is shown, and knocks; a grant is picked up.
func (w *world) come(a *actor, p *person) {
	v := a.r.view.Load()
	if p.index < 0 || v.exists && v.epoch > p.epoch {
		w.join(a, p)
		return
	}
	n := int64(-1)
	a.r.Seen(Token{Epoch: p.epoch, ID: p.vid, Index: p.index, N: n})
	if len(p.passes) > 0 && w.rng.IntN(4) == 0 {
		if l := p.passes[len(p.passes)-1]; l.until > w.clock {
			a.r.Seen(Token{Epoch: l.epoch, ID: p.vid, Index: p.index, Place: l.place, N: n, Pass: true, Term: l.term,
				Expires: time.UnixMicro(l.until), Hard: time.UnixMicro(l.until)})
		}
	}
	if v.epoch != p.epoch {
		return
	}
	me := Visitor{ID: p.vid, Index: p.index, Identity: p.signed}
	a.r.runReturns(w.ctx, []call[Visitor, struct{}]{{ask: me, answer: make(chan result[struct{}], 1)}})
	c := call[knockAsk, Answer]{knockAsk{Visitor: me, grant: p.grant}, make(chan result[Answer], 1)}
	a.r.runKnocks(w.ctx, []call[knockAsk, Answer]{c})
	got := <-c.answer
	a.r.loops.Wait()
	w.note("knock %s %d/%d at %s grant %q: %s entry %d %v", p.vid, p.epoch, p.index, a.r.edge, p.grant, got.answer.Standing, got.answer.Grant, got.err)
	if got.err != nil {
		return
	}
	switch got.answer.Standing {
	case Granted:
		p.grant = itoa(got.answer.Grant)
	case In:
		w.enters(p, got.answer)
	}
}

// enters takes note of a pass that left an edge.
func (w *world) enters(p *person, a Answer) {
	key := session{a.Epoch, a.Term, a.Index}
	if old, ok := w.entered[key]; ok && old != a.Grant && old != 0 && a.Grant != 0 {
		w.fail("place of index %d was entered twice in term %d: at %d and at %d", a.Index, a.Term, old, a.Grant)
	}
	if w.over[key] {
		w.fail("%s left (index %d, term %d) and is in again", p.vid, a.Index, a.Term)
	}
	if _, again := w.entered[key]; !again {
		for s := range w.entered {
			if s.epoch == a.Epoch && s.index == a.Index && s.term < a.Term && !w.freedBetween(s, a.Term) {
				w.fail("place of index %d, spent in term %d, was entered in term %d without being recalled", a.Index, s.term, a.Term)
			}
		}
	}
	w.entered[key] = a.Grant
	if old, ok := w.places[[2]int64{a.Epoch, a.Index}]; ok && old != a.Place {
		w.fail("index %d had place %d and has place %d", a.Index, old, a.Place)
	}
	w.places[[2]int64{a.Epoch, a.Index}] = a.Place
	w.addPass(p, passSeen{a.Epoch, a.Term, a.Index, a.Place, a.Grant, min(a.LeaseEnd.UnixMicro(), w.clock+300*second)})
	h := w.room()
	if h["epoch"] == itoa(a.Epoch) && h["merging"] != "1" && h["merging"] != "2" {
		if a.Place >= num(h["x"]) {
			w.fail("place %d is in with X %s", a.Place, h["x"])
		}
		if h["phase"] != phaseOpen {
			w.fail("somebody is in while the room is %s", h["phase"])
		}
	}
}

func (w *world) freedBetween(s session, to int64) bool {
	for term := s.term + 1; term <= to; term++ {
		if w.freed[session{s.epoch, term, s.index}] {
			return true
		}
	}
	return false
}

func (w *world) addPass(p *person, s passSeen) { p.passes = append(p.passes, s) }

func (w *world) renew(a *actor, p *person) {
	if len(p.passes) == 0 {
		return
	}
	last := p.passes[len(p.passes)-1]
	v := a.r.view.Load()
	if last.until <= w.clock || v.epoch != last.epoch || v.term != last.term || p.left[last.term] {
		return // the edge refuses the pass
	}
	l, ok, err := a.r.Renew(w.ctx, p.vid)
	w.note("renew %s at %s: %v %v %v", p.vid, a.r.edge, l.End.UnixMicro(), ok, err)
	if err == nil && ok && l.Epoch == last.epoch && l.Term == last.term {
		last.until = min(l.End.UnixMicro(), w.clock+300*second)
		w.addPass(p, last)
	}
}

func (w *world) leave(a *actor, p *person) {
	if len(p.passes) == 0 {
		return
	}
	last := p.passes[len(p.passes)-1]
	v := a.r.view.Load()
	if v.epoch != last.epoch || v.term != last.term || last.until <= w.clock {
		return
	}
	err := a.r.Leave(w.ctx, Visitor{ID: p.vid, Index: last.index})
	w.note("leave %s at %s: %v", p.vid, a.r.edge, err)
	if err == nil {
		w.over[session{last.epoch, last.term, last.index}] = true
	}
	p.left[last.term] = true // the cookie is gone, whatever the answer
	for i := range p.passes {
		p.passes[i].until = min(p.passes[i].until, w.clock)
	}
}

func (w *world) recall(a *actor) {
	h := w.room()
	inside, _ := w.g.raw.client.ZRange(w.ctx, a.r.key("in"), 0, -1).Result()
	sess, _ := w.g.raw.client.HGetAll(w.ctx, a.r.key("sess")).Result()
	err := a.r.Recall(w.ctx, Expect{})
	after := w.room()
	if after["epoch"] == h["epoch"] && num(after["term"]) == num(h["term"])+1 {
		for _, who := range inside {
			var index, place, entry, hard int64
			if _, e := sscan(sess[who], &index, &place, &entry, &hard); e == nil {
				w.freed[session{num(h["epoch"]), num(after["term"]), index}] = true
			}
		}
	}
	if err == nil && after["epoch"] == h["epoch"] {
		w.doneTerm[num(after["epoch"])] = num(after["term"])
	}
	w.note("recall at %s: %v, term %s -> %s", a.r.edge, err, h["term"], after["term"])
}

func (w *world) reset(a *actor) {
	s := Settings{State: StateOpen}
	if w.rng.IntN(2) == 0 {
		s.State = StatePrequeue
	}
	epoch, err := a.r.Reset(w.ctx, Expect{}, s)
	if err == nil {
		w.doneEpoch = max(w.doneEpoch, epoch)
	}
	w.note("reset at %s: %d %v", a.r.edge, epoch, err)
}

func (w *world) open(a *actor) {
	err := a.r.Change(w.ctx, Change{Action: ActionOpen})
	w.note("open at %s: %v", a.r.edge, err)
}

// again lets a call arrive that was made before.
func (w *world) again(a *actor) {
	if len(a.wire.late) == 0 {
		return
	}
	args := a.wire.late[w.rng.IntN(len(a.wire.late))]
	args = append([]any{}, args...)
	keys, _ := strconv.Atoi(fmtSprint(args[2]))
	if clock := 3 + keys + 4; clock < len(args) {
		args[clock] = itoa(w.clock)
	}
	err := w.g.raw.client.Do(w.ctx, args...).Err()
	w.note("again from %s: %v %v", a.r.edge, args[3+keys+5:], err)
}
