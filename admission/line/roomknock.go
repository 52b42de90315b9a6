package line

import (
	"context"
	"fmt"
	"time"
)

type knockAsk struct {
	Visitor
	grant string // the entry time to pick up, or ""
	look  bool   // goes to no door
}

// slowPass is how long a pick-up may wait for the disk; a later one is not sent, its visitor knocks again.
const slowPass = time.Second

// maxIndex is the highest index a ticket can carry: bitmaps by index stay below 512 MB, Redis's limit.
const maxIndex = 1<<32 - 1

func (v Visitor) valid() bool {
	return named(v.ID) && v.Index >= 0 && v.Index <= maxIndex && len(v.Identity) <= maxIdentity
}

// Knock asks whether it is the visitor's turn, and puts it at the door if its place is below X. Asking again
// changes nothing. An Answer In is given only when the spent record is on disk, so its pass may leave at once.
func (r *Room) Knock(ctx context.Context, v Visitor) (Answer, error) { return r.knock(ctx, v, "") }

// Look asks what a Knock would say of a place that is spent, or whose owner is in, and changes nothing: all others are told
// that they wait, called or not.
func (r *Room) Look(ctx context.Context, v Visitor) (Answer, error) {
	if !v.valid() {
		return Answer{}, ErrBadVisitor
	}
	return r.knocks.do(ctx, knockAsk{Visitor: v, look: true})
}

// PickUp takes the grant a Knock told of (Answer.Grant). It may be called before the entry time: the pass carries
// it as nbf. The answer is In, or whatever else is true by now.
func (r *Room) PickUp(ctx context.Context, v Visitor, grant int64) (Answer, error) {
	return r.knock(ctx, v, itoa(grant))
}

// Enter knocks, and picks up if that gave a grant: what a navigation or POST enter wants.
func (r *Room) Enter(ctx context.Context, v Visitor) (Answer, error) {
	a, err := r.Knock(ctx, v)
	if err != nil || a.Standing != Granted {
		return a, err
	}
	return r.PickUp(ctx, v, a.Grant)
}

func (r *Room) knock(ctx context.Context, v Visitor, grant string) (Answer, error) {
	if !v.valid() {
		return Answer{}, ErrBadVisitor
	}
	r.remember(v)
	return r.knocks.do(ctx, knockAsk{Visitor: v, grant: grant})
}

var errEpochOver = fmt.Errorf("%w: the ticket is of another epoch", ErrRetry)

// present keeps the calls of the present epoch and fails the others: whoever has waited in the queue, or knocks on, while the
// room was reset brings an index that is another's in the new line.
func present[A, B any](batch []call[A, B], epoch int64, of func(A) int64) []call[A, B] {
	kept := batch[:0:0]
	for _, c := range batch {
		if e := of(c.ask); e == 0 || epoch == 0 || e == epoch {
			kept = append(kept, c)
			continue
		}
		fail([]call[A, B]{c}, errEpochOver)
	}
	return kept
}

// runKnocks serves one batch. Those who are in and whose spent record may not be on disk yet wait for it, beside
// the next batch.
func (r *Room) runKnocks(ctx context.Context, batch []call[knockAsk, Answer]) {
	asked := time.Now()
	epoch := r.view.Load().epoch
	if batch = present(batch, epoch, func(a knockAsk) int64 { return a.Epoch }); len(batch) == 0 {
		return
	}
	args := make([]any, 0, 4*len(batch))
	for _, c := range batch {
		place := r.Place(c.ask.Index)
		if c.ask.look {
			place = -1 // as before a draw: knock.lua puts nobody without a place at the door
		}
		args = append(args, c.ask.ID, c.ask.Index, place, c.ask.grant)
	}
	rep, err := r.callIn(ctx, epoch, scriptKnock, args...)
	if err == nil && len(rep.results) != len(batch) {
		err = fmt.Errorf("%w: knock answered %d of %d", ErrStore, len(rep.results), len(batch))
	}
	if err != nil {
		fail(batch, err)
		return
	}
	var entering []pickup
	for i, c := range batch {
		a, logged := readAnswer(rep.header, rep.results[i])
		if a.Standing == In && !logged {
			entering = append(entering, pickup{c, a})
			continue
		}
		c.reply(a, nil)
	}
	if len(entering) == 0 {
		return
	}
	var synced <-chan error
	logged := r.life.within(rep.header.gen, func() { synced = r.log.sync(enterRecords(rep.header, entering)...) })
	if !logged { // the store was lost meanwhile, and the report about it did not speak of these
		for _, p := range entering {
			p.a.Standing = Retry
			p.reply(p.a, nil)
		}
		return
	}
	r.loops.Go(func() { r.admit(ctx, entering, synced, asked) })
}

type pickup struct {
	call[knockAsk, Answer]
	a Answer
}

// readAnswer reads one result of knock.lua: state, rank, entry, lease end, hard end, index, place, logged, picked.
func readAnswer(h header, f []string) (a Answer, logged bool) {
	a = Answer{
		Standing: Standing(f[0]), Rank: num(f[1]), Index: num(f[5]), Place: num(f[6]),
		X: h.x, Epoch: h.epoch, Term: h.term, Now: h.clock(h.rt),
	}
	if a.Standing == Granted || a.Standing == In {
		a.Grant = num(f[2])
		a.Entry, a.LeaseEnd, a.HardEnd = h.clock(a.Grant), h.clock(num(f[3])), h.clock(num(f[4]))
		if a.Grant == 0 { // a session that came back from its pass after a loss
			a.Entry = a.Now
		}
	}
	return a, f[7] == "1"
}

// enterRecords are what must be on disk before the passes leave: a spent place and a lease each.
func enterRecords(h header, entering []pickup) []record {
	var records []record
	for _, p := range entering {
		room := func(t time.Time) int64 { return h.rt + t.Sub(p.a.Now).Microseconds() }
		records = append(records,
			record{Kind: kindSpent, Epoch: h.epoch, N: p.a.Index, Term: h.term},
			record{Kind: kindLease, Epoch: h.epoch, RT: h.rt, Vid: p.ask.ID, N: p.a.Index, Term: h.term, Place: p.a.Place,
				Entry: p.a.Grant, End: room(p.a.LeaseEnd), Hard: room(p.a.HardEnd)})
	}
	return records
}

// admit answers those whose spent record is on disk, and tells the store what became of each.
func (r *Room) admit(ctx context.Context, entering []pickup, synced <-chan error, asked time.Time) {
	err := <-synced
	late := time.Since(asked) > slowPass
	for _, p := range entering {
		r.gather.confirm(p.ask.ID, p.a.Index, p.a.Term, err == nil)
		if err != nil || late {
			p.a.Standing = Retry
		}
		p.reply(p.a, nil)
	}
	if err != nil {
		r.cfg.Logger.Error("nobody is let in: the edge's log cannot be written", "room", r.cfg.Name, "error", err)
	}
	r.sendConfirms(ctx)
}

// Leave ends the session, or gives up the place in line; the place is spent either way. It returns when that is
// on disk.
func (r *Room) Leave(ctx context.Context, v Visitor) error {
	if !v.valid() {
		return ErrBadVisitor
	}
	epoch := r.view.Load().epoch
	if v.Epoch != 0 && v.Epoch != epoch {
		return errEpochOver
	}
	for range 2 {
		rep, err := r.callIn(ctx, epoch, scriptLeave, v.ID, v.Index)
		if err != nil {
			return err
		}
		h := rep.header
		var synced <-chan error
		said := record{Kind: kindSpent, Epoch: h.epoch, N: num(rep.results[0][0]), Term: h.term}
		if rep.results[0][1] == "1" { // a session ended, also if it did at an earlier try whose answer was lost
			said.Kind, said.Vid, said.End = kindEnded, v.ID, h.rt+h.hard
			r.over(h.term, v.ID)
		}
		if r.life.within(h.gen, func() { synced = r.log.sync(said) }) {
			return <-synced
		}
	}
	return ErrMerging // the store is lost again and again
}
