package line

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// twoEdges is a room at a shared store with two edges that count.
func twoEdges(t *testing.T, s Settings) (b *bench, second *Room) {
	b = newBench(t, openStore(t, "redis"), Config{Edge: "one", Settings: s})
	second = b.room(Config{Edge: "two", Settings: s})
	b.arrive(second)
	return b, second
}

// alone lets time pass in which only some edges live.
func (b *bench) alone(seconds int, edges ...*Room) {
	b.t.Helper()
	for range seconds {
		b.clock += 1 * second
		for _, r := range edges {
			if _, err := r.tick(b.t.Context(), "", 0, &rhythm{}); err != nil && !errors.Is(err, ErrRetry) {
				b.t.Fatal(err)
			}
		}
	}
}

func (b *bench) empty() {
	b.t.Helper()
	if err := b.s.client.Del(b.t.Context(), b.r.keys...).Err(); err != nil {
		b.t.Fatal(err)
	}
	b.s.client.Del(b.t.Context(), b.r.key("spent")+":s1", b.r.key("spent")+":u2", b.r.key("spent")+":s2")
}

// An edge that falls silent is struck once the others have what it knew; what it spent stays spent without it.
func TestSilentEdgeIsStruck(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5})
	b.crowd(3)
	b.moveX(3)
	a, _ := b.askAt(two, 0, "")
	ask := call[knockAsk, Answer]{knockAsk{Visitor: Visitor{ID: vid(0), Index: 0}, grant: itoa(a.Grant)}, make(chan result[Answer], 1)}
	two.runKnocks(t.Context(), []call[knockAsk, Answer]{ask})
	if got := <-ask.answer; got.answer.Standing != In {
		t.Fatalf("at the second edge: %+v %v", got.answer, got.err)
	}
	two.loops.Wait()
	b.alone(20, b.r)
	if s := b.r.Snapshot(); !slices.Equal(s.Edges, []string{"one"}) || !slices.Equal(s.Cut, []string{"two"}) || !s.Settled {
		t.Fatalf("after 20 s of silence: edges %v, cut %v, settled %v", s.Edges, s.Cut, s.Settled)
	}
	b.edges = []*Room{b.r}
	b.empty()
	b.settle()
	if s := b.r.Snapshot(); s.State != string(StateOpen) || s.Reason != "" {
		t.Fatalf("the loss without the struck edge: %s %s", s.State, s.Reason)
	}
	if a, _ := b.ask(0, ""); a.Standing != In {
		t.Fatalf("the struck edge's session is %s", a.Standing)
	}
	b.call(scriptLeave, vid(0), 0)
	if a, _ := b.ask(0, ""); a.Standing != Used {
		t.Fatalf("its place is %s", a.Standing)
	}
}

// enterAt takes a visitor the whole way in at one edge, its log included.
func (b *bench) enterAt(r *Room, i int64) {
	b.t.Helper()
	grant := ""
	for range 2 {
		ask := call[knockAsk, Answer]{knockAsk{Visitor: Visitor{ID: vid(i), Index: i}, grant: grant}, make(chan result[Answer], 1)}
		r.runKnocks(b.t.Context(), []call[knockAsk, Answer]{ask})
		got := <-ask.answer
		r.loops.Wait()
		if got.answer.Standing == In {
			return
		}
		grant = itoa(got.answer.Grant)
	}
	b.t.Fatalf("visitor %d does not get in at %s", i, r.edge)
}

// While an edge is cut off no lease that it gave or renewed ends before its hard end, since it may renew it by itself; all
// others end as ever. When it is back its visitors have time; when it is forgotten their slots come back.
func TestLeasesWaitForACutOffEdge(t *testing.T) {
	for _, forget := range []bool{false, true} {
		b, two := twoEdges(t, Settings{Cap: 5, Idle: 30 * time.Second, Hard: 10 * time.Minute})
		b.crowd(4)
		b.moveX(4)
		b.enterAt(b.r, 0)
		b.enterAt(two, 1)
		b.pass(2 * time.Second)
		b.enterAt(b.r, 2)
		if _, ok, err := two.Renew(t.Context(), vid(2)); !ok || err != nil { // given here, renewed there
			t.Fatal(ok, err)
		}
		b.alone(17, b.r)
		b.enterAt(b.r, 3) // after the strike
		b.alone(60, b.r)
		for i, want := range map[int64]Standing{0: Used, 1: In, 2: In, 3: Used} {
			if a, _ := b.ask(i, ""); a.Standing != want {
				t.Fatalf("with an edge cut off the session of %d is %s", i, a.Standing)
			}
		}
		if forget {
			if err := b.r.ForgetEdge(t.Context(), "two"); err != nil {
				t.Fatal(err)
			}
			b.alone(61, b.r)
			if h := b.call(scriptStatus).header; h.live != 0 || h.cut != "" {
				t.Fatalf("the edge is forgotten, and %d are live", h.live)
			}
			continue
		}
		b.alone(1, two)
		a, _ := b.ask(1, "")
		if left := a.LeaseEnd.Sub(a.Now); a.Standing != In || left < 4*time.Minute {
			t.Fatalf("after its return the session is %s for %s", a.Standing, left)
		}
		b.alone(290, b.r, two)
		b.alone(15, b.r, two)
		if a, _ := b.ask(1, ""); a.Standing != Used {
			t.Fatalf("idle, with every edge there, the session is %s", a.Standing)
		}
	}
}

// A cut-off edge renews by itself what it gave or renewed, and nothing that it only learned of from the others.
func TestACutOffEdgeRenewsOnlyItsOwn(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5, Idle: 5 * time.Minute, Hard: 20 * time.Minute})
	b.crowd(2)
	b.moveX(2)
	b.enterAt(b.r, 0)
	b.enterAt(two, 1)
	three := b.room(Config{Edge: "three"})
	b.arrive(three) // copies what the others know when the first of them is struck
	b.edges = []*Room{two, three}
	b.alone(20, two, three)
	b.settle()
	away, err := Open(Options{URL: "redis://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	two.store = away
	now := two.now()
	two.contact.Store(&now) // as a tick does
	b.clock += 30 * second
	own, ok, err := two.Renew(t.Context(), vid(1))
	if !ok || err != nil || !own.End.Equal(own.HardEnd) {
		t.Fatalf("its own: %+v %v %v", own, ok, err)
	}
	other, ok, err := two.Renew(t.Context(), vid(0))
	if err != nil || !ok || other.End.Equal(other.HardEnd) {
		t.Fatalf("another's: %+v %v %v", other, ok, err)
	}
}

// A merge without an edge of the newest list is never guessed: after a minute an operator is asked.
func TestMissingEdgePausesTheRoom(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5})
	b.crowd(4)
	b.moveX(2)
	b.beat()
	b.empty()
	b.alone(80, b.r)
	s := b.r.Snapshot()
	if s.State != string(StatePaused) || s.Reason != "edge_missing" || !slices.Equal(s.Missing, []string{"two"}) {
		t.Fatalf("after 80 s without an edge: %s %q %v", s.State, s.Reason, s.Missing)
	}
	if s.X != 2 || s.Ceil < 4 {
		t.Fatalf("suggested: x %d next %d", s.X, s.Ceil)
	}
	if _, err := b.r.call(t.Context(), scriptJoin, "late", ""); !errors.Is(err, ErrMerging) {
		t.Fatalf("a join is answered with %v", err)
	}
	if err := b.r.Resume(t.Context(), s.Ceil+100, 3); err != nil {
		t.Fatal(err)
	}
	b.edges = []*Room{b.r}
	b.settle()
	if s = b.r.Snapshot(); s.State != string(StateOpen) || s.Next < 100 || s.X != 3 {
		t.Fatalf("resumed: %+v", s)
	}
	b.edges = []*Room{b.r, two}
	b.settle() // the missing one comes after all, and is merged late
	if s = b.r.Snapshot(); len(s.Edges) != 2 || s.Reason != "" {
		t.Fatalf("after its late report: %v %q", s.Edges, s.Reason)
	}
}

// A late log that knows of indexes which were given again is an alarm.
func TestLateCeilingIsAnAlarm(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5})
	b.crowd(4)
	two.log.append(record{Kind: kindCeil, Epoch: two.view.Load().epoch, N: 50_000})
	b.beat()
	b.empty()
	b.alone(80, b.r)
	if err := b.r.Resume(t.Context(), 20_000, 0); err != nil {
		t.Fatal(err)
	}
	b.edges = []*Room{b.r}
	b.settle()
	if got := b.join("again"); got[0] < 20_000 {
		t.Fatalf("index %d", got[0])
	}
	b.alone(3, two, b.r)
	s := b.r.Snapshot()
	if s.Reason != "ceiling_conflict" || len(s.Doubled) != 1 || s.Doubled[0] != [2]int64{20_000, 20_001} {
		t.Fatalf("a late ceiling: %q %v", s.Reason, s.Doubled)
	}
	if err := b.r.Change(t.Context(), Change{Action: ActionResume}); err != nil {
		t.Fatal(err)
	}
	if s = b.r.Snapshot(); s.Reason != "" || s.Next < 50_000 {
		t.Fatalf("after the operator's word: %q, next %d", s.Reason, s.Next)
	}
}

// FR16: every log is gone and the store is empty. A ticket that shows up says that there was a line: no second one is
// begun under its eyes.
func TestNoCheckpointPausesTheRoom(t *testing.T) {
	b := newBench(t, openStore(t, "redis"), Config{})
	b.crowd(5)
	epoch := b.r.view.Load().epoch
	b.empty()
	b.edges = nil
	r := b.room(Config{}) // a new process without a log
	if err := r.arrive(t.Context()); !errors.Is(err, ErrMerging) {
		t.Fatalf("a room from nothing is made at once: %v", err)
	}
	r.Seen(Token{Epoch: r.view.Load().epoch, ID: "waiting", Index: -1, N: -1}) // a ticket without a place, of these two seconds
	now := time.UnixMicro(b.clock)
	r.Seen(Token{Epoch: epoch - 86400, ID: vid(2), Index: 2, N: -1, Issued: now.Add(-24 * time.Hour)}) // of a sale that is over
	r.Seen(Token{Epoch: epoch - 60, ID: vid(3), Index: 3, N: -1, Issued: now.Add(-time.Minute)})
	var rh rhythm
	for range 80 {
		b.clock += second
		if err := r.step(t.Context(), time.UnixMicro(b.clock), &rh); err != nil && !errors.Is(err, ErrRetry) {
			t.Fatal(err)
		}
	}
	s := r.Snapshot()
	if s.State != string(StatePaused) || s.Reason != "no_checkpoint" || s.Epoch != epoch-60 {
		t.Fatalf("%s %q, epoch %d of %d", s.State, s.Reason, s.Epoch, epoch-60)
	}
	if err := r.Resume(t.Context(), 1000, 0); err != nil {
		t.Fatal(err)
	}
	b.r = r
	b.arrive(r)
	if got := b.join("new", vid(3)); got[0] < 1000 {
		t.Fatalf("joins gave %v", got)
	}
}

// W64: recall queues the people inside again and leaves every waiting place alone; whoever had left stays out; a retry
// raises the term once; a loss afterwards agrees.
func TestRecall(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Cap: 2}})
		b.crowd(4)
		b.moveX(4)
		b.admitLogged(0)
		b.admitLogged(1)
		if err := b.r.Leave(t.Context(), Visitor{ID: vid(0), Index: 0}); err != nil {
			t.Fatal(err)
		}
		e := Expect{b.r.view.Load().epoch, 1}
		for range 2 {
			if err := b.r.Recall(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		b.settle()
		h := b.call(scriptStatus).header
		if h.term != 2 || h.live != 0 || h.next != 4 {
			t.Fatalf("after the recall: term %d, %d live, next %d", h.term, h.live, h.next)
		}
		if err := b.r.Recall(t.Context(), Expect{e.Epoch, 7}); !errors.Is(err, ErrOther) {
			t.Fatalf("a recall of another term: %v", err)
		}
		b.pass(2 * time.Second)
		if a, _ := b.ask(0, ""); a.Standing != Used {
			t.Fatalf("whoever had left is %s", a.Standing)
		}
		b.empty()
		b.settle()
		b.pass(2 * time.Second)
		if a := b.admitLogged(1); a.Term != 2 {
			t.Fatalf("recalled, and in again in term %d", a.Term)
		}
		b.call(scriptLeave, vid(1), 1)
		for i, want := range map[int64]Standing{0: Used, 1: Used} {
			if a, _ := b.ask(i, ""); a.Standing != want {
				t.Fatalf("visitor %d is %s", i, a.Standing)
			}
		}
	})
}

// W04: a new line knows nothing of the old one, also after a loss; a retry begins one.
func TestReset(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Cap: 2}})
		b.crowd(4)
		b.moveX(4)
		b.admitLogged(0)
		e := Expect{Epoch: b.r.view.Load().epoch}
		for range 2 {
			if epoch, err := b.r.Reset(t.Context(), e, Settings{State: StatePrequeue}); err != nil || epoch != e.Epoch+1 {
				t.Fatalf("epoch %d, %v", epoch, err)
			}
		}
		h := b.call(scriptStatus).header
		if h.phase != phasePrequeue || h.next != 0 || h.x != 0 || h.live != 0 || h.n != -1 || h.cap != 2 {
			t.Fatalf("the new line: %+v", h)
		}
		if h.commit != b.r.commit(e.Epoch+1, time.Time{}) {
			t.Fatal("the commitment is of another epoch")
		}
		if got := b.join("new"); got[0] != 0 {
			t.Fatalf("the first of the new line has index %d", got[0])
		}
		b.empty()
		b.settle()
		if h = b.call(scriptStatus).header; h.epoch != e.Epoch+1 || h.phase != phasePrequeue {
			t.Fatalf("after a loss: epoch %d of %d, %s", h.epoch, e.Epoch+1, h.phase)
		}
	})
}

// With the store away a session is renewed up to the end that the store has acknowledged, and not beyond.
func TestRenewWithoutTheStore(t *testing.T) {
	b := newBench(t, openStore(t, "redis"), Config{Settings: Settings{Cap: 2, Idle: time.Minute}})
	b.crowd(1)
	b.moveX(1)
	in := b.admitLogged(0)
	away, err := Open(Options{URL: "redis://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	now := b.r.now()
	b.r.contact.Store(&now)
	b.r.store = away
	l, ok, err := b.r.Renew(t.Context(), vid(0))
	if err != nil || !ok || !l.End.Equal(in.LeaseEnd) || l.Index != 0 || !l.HardEnd.Equal(in.HardEnd) {
		t.Fatalf("renewed alone: %+v %v %v, the lease ends at %s", l, ok, err, in.LeaseEnd)
	}
	if _, ok, err := b.r.Renew(t.Context(), vid(1)); ok || !errors.Is(err, ErrStore) {
		t.Fatalf("somebody who is not in: %v %v", ok, err)
	}
	now = now.Add(-aloneAfter - time.Second)
	b.r.contact.Store(&now) // the store has missed this edge by now
	if l, ok, err = b.r.Renew(t.Context(), vid(0)); err != nil || !ok || !l.End.Equal(l.HardEnd) {
		t.Fatalf("after the silence: %+v %v %v", l, ok, err)
	}
}
