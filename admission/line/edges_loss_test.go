package line

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// cutOff takes the store away from an edge until the returned function gives it back.
func (b *bench) cutOff(r *Room) (back func()) {
	b.t.Helper()
	away, err := Open(Options{URL: "redis://127.0.0.1:1"})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = away.Close() })
	was, now := r.store, r.now()
	r.inContact(now) // as a tick does
	r.store = away
	return func() { r.store = was }
}

// renewsAlone is a renewal by an edge that has lost the store: until the hard end.
func (b *bench) renewsAlone(r *Room, i int64) {
	b.t.Helper()
	if l, ok, err := r.Renew(b.t.Context(), vid(i)); !ok || err != nil || !l.End.Equal(l.HardEnd) {
		b.t.Fatalf("cut off, the edge renews to %+v: %v %v", l, ok, err)
	}
}

func (b *bench) standing(i int64, want Standing, when string) {
	b.t.Helper()
	if a, _ := b.ask(i, ""); a.Standing != want {
		b.t.Fatalf("%s the session of %d is %s, want %s", when, i, a.Standing, want)
	}
}

// What an edge renewed by itself is in its log, also for the process after this one: a store that loses everything when the
// edge is back holds the slot until the pass has ended. What the edge has not renewed ends as ever.
func TestSelfRenewalOutlivesLosses(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5, Idle: 30 * time.Second, Hard: 10 * time.Minute})
	b.crowd(3)
	b.moveX(3)
	b.enterAt(two, 0)
	b.enterAt(two, 1)
	back := b.cutOff(two)
	b.alone(25, b.r)
	b.renewsAlone(two, 0)
	b.alone(60, b.r)
	<-b.r.note(b.call(scriptStatus).header) // as each tick does
	back()
	two = b.again(two)
	for loss := range 2 {
		b.empty()
		b.edges = []*Room{b.r, two}
		b.settle()
		b.standing(0, In, "after a loss with the edge back")
		if loss == 0 {
			b.standing(1, Used, "after a loss with the edge back")
		}
		b.alone(3, b.r, two)
	}
	b.alone(310, b.r, two) // more than the hard end allows: ten minutes after the entry
	b.alone(310, b.r, two)
	b.standing(0, Used, "after its hard end")
}

// again starts a new process on what an edge has on disk.
func (b *bench) again(r *Room) *Room {
	b.t.Helper()
	next := b.room(Config{Edge: r.edge})
	r.log.view(func(c *checkpoint) { next.log.append(c.records()...) })
	if err := r.log.close(); err != nil {
		b.t.Fatal(err)
	}
	if err := next.report(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	return next
}

// An edge is out of reach before a loss and after it. The others' logs have the lease as it was when it fell silent, long
// over, and do not know that the edge has renewed it before: its slot is held all the same, and others' are not.
func TestSlotsOfACutOffEdgeOutliveALoss(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5, Idle: 30 * time.Second, Hard: 10 * time.Minute})
	b.crowd(3)
	b.moveX(3)
	b.enterAt(b.r, 0)
	if _, ok, err := two.Renew(t.Context(), vid(0)); !ok || err != nil { // given here, renewed there
		t.Fatal(ok, err)
	}
	back := b.cutOff(two)
	b.alone(18, b.r)
	b.enterAt(b.r, 1) // unknown to the edge out there
	b.alone(4, b.r)
	b.renewsAlone(two, 0)
	b.alone(100, b.r)
	<-b.r.note(b.call(scriptStatus).header) // as each tick does
	b.empty()
	b.edges = []*Room{b.r}
	b.settle()
	b.standing(0, In, "after the loss without the edge")
	b.standing(1, Used, "after the loss without the edge")
	if _, ok, err := b.r.Renew(t.Context(), vid(0)); !ok || err != nil { // renewed here since: that says nothing of the edge out there
		t.Fatal(ok, err)
	}
	b.alone(320, b.r)
	b.standing(0, In, "minutes after the loss")
	if s := b.r.Snapshot(); !slices.Equal(s.Cut, []string{"two"}) {
		t.Fatalf("cut off: %v", s.Cut)
	}
	b.alone(200, b.r)
	b.standing(0, Used, "after its hard end")
	back()
	b.alone(3, two, b.r)
	if s := b.r.Snapshot(); len(s.Cut) != 0 || len(s.Edges) != 2 {
		t.Fatalf("the edge is back: cut %v, edges %v", s.Cut, s.Edges)
	}
}

// An operator goes on without an edge that may still serve its visitors: their slots are held until it is forgotten.
func TestResumeHoldsTheSlotsOfTheMissing(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5, Idle: 5 * time.Minute, Hard: 20 * time.Minute})
	b.crowd(2)
	b.moveX(2)
	b.enterAt(b.r, 0)
	if _, ok, err := two.Renew(t.Context(), vid(0)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	b.cutOff(two)
	b.empty()
	b.alone(80, b.r)
	if s := b.r.Snapshot(); s.Reason != "edge_missing" {
		t.Fatalf("%s %q", s.State, s.Reason)
	}
	if err := b.r.Resume(t.Context(), 100, 2); err != nil {
		t.Fatal(err)
	}
	b.edges = []*Room{b.r}
	b.settle()
	b.alone(400, b.r)
	b.standing(0, In, "resumed without the edge")
	if err := b.r.ForgetEdge(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	b.alone(62, b.r)
	b.standing(0, Used, "the edge is forgotten")
}

// An edge that is back and has reported a lease does not renew it by itself beyond what it said while the room is put
// together: the merge goes by that.
func TestAReportEndsRenewingAlone(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5, Idle: 30 * time.Second, Hard: 10 * time.Minute})
	b.crowd(1)
	b.moveX(1)
	b.enterAt(two, 0)
	back := b.cutOff(two)
	b.alone(60, b.r)
	back()
	b.empty()
	if err := two.report(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l, ok, err := two.Renew(t.Context(), vid(0)); ok && l.End.Equal(l.HardEnd) {
		t.Fatalf("after its report: %+v %v %v", l, ok, err)
	}
}

// A renewal that cannot be put on disk is not given: after a crash nobody would know of it.
func TestSelfRenewalNeedsTheDisk(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5, Idle: 30 * time.Second, Hard: 10 * time.Minute})
	b.crowd(1)
	b.moveX(1)
	b.enterAt(two, 0)
	b.cutOff(two)
	b.alone(25, b.r)
	if err := two.log.close(); err != nil {
		t.Fatal(err)
	}
	if l, ok, err := two.Renew(t.Context(), vid(0)); ok || !errors.Is(err, ErrNotLogged) {
		t.Fatalf("without a log: %+v %v %v", l, ok, err)
	}
}
