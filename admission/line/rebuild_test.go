package line

import (
	"testing"
	"time"
)

// crash forgets the store and takes the room up again from its log, as a new process does.
func (b *bench) crash(c Config) {
	b.t.Helper()
	if err := b.r.log.close(); err != nil {
		b.t.Fatal(err)
	}
	if err := b.s.client.FlushAll(b.t.Context()).Err(); err != nil {
		b.t.Fatal(err)
	}
	b.r = b.room(c)
	b.edges = nil
	b.arrive(b.r)
}

// admitLogged enters as runKnocks does: the spent record is on disk before the pass leaves.
func (b *bench) admitLogged(i int64) Answer {
	b.t.Helper()
	a, _ := b.ask(i, "")
	if a.Standing != Granted {
		b.t.Fatalf("visitor %d is %s", i, a.Standing)
	}
	ask := knockAsk{Visitor: Visitor{ID: vid(i), Index: i}, grant: itoa(a.Grant)}
	c := call[knockAsk, Answer]{ask, make(chan result[Answer], 1)}
	b.r.runKnocks(b.t.Context(), []call[knockAsk, Answer]{c})
	got := <-c.answer
	if got.err != nil || got.answer.Standing != In {
		b.t.Fatalf("visitor %d: %+v %v", i, got.answer, got.err)
	}
	b.r.loops.Wait()
	return got.answer
}

// The embedded store dies with its process; its edge's log keeps every index, spent place and lease.
func TestRestartFromTheLog(t *testing.T) {
	s := openStore(t, "embedded")
	cfg := Config{Dir: t.TempDir(), Settings: Settings{Cap: 3, Rate: Rate{10, time.Second}, Idle: time.Minute}}
	b := newBench(t, s, cfg)
	b.crowd(50)
	b.moveX(10)
	in := b.admitLogged(0)
	b.admitLogged(1)
	if err := b.r.Leave(t.Context(), Visitor{ID: vid(1), Index: 1}); err != nil {
		t.Fatal(err)
	}
	rate := Rate{5, time.Second}
	if err := b.r.Change(t.Context(), Change{Rate: &rate}); err != nil {
		t.Fatal(err)
	}
	var rh rhythm
	b.tick(&rh)
	granted, _ := b.ask(2, "") // granted, not picked up: costs nothing
	if granted.Standing != Granted {
		t.Fatalf("visitor 2 is %s", granted.Standing)
	}
	before := b.call(scriptStatus).header
	b.crash(cfg)
	h := b.call(scriptStatus).header
	if h.epoch != before.epoch || h.gen == before.gen || h.losses != 1 {
		t.Fatalf("epoch %d -> %d, gen %s -> %s, losses %d", before.epoch, h.epoch, before.gen, h.gen, h.losses)
	}
	if h.x != before.x || h.rate != "5/s" || h.cap != 3 || h.phase != phaseOpen {
		t.Fatalf("after the crash: %+v", h)
	}
	if got := b.join("newcomer"); got[0] < 50 {
		t.Fatalf("index %d was given twice", got[0])
	}
	if h.next != firstCeiling || h.ceil <= h.next || len(rangeList(h.gaps)) != 1 {
		t.Fatalf("next %d, gaps %v", h.next, rangeList(h.gaps))
	}
	a, logged := b.ask(0, "")
	if a.Standing != In || !logged || h.live != 1 {
		t.Fatalf("the session inside is %+v, %d live", a, h.live)
	}
	if left, was := a.LeaseEnd.Sub(a.Now), in.LeaseEnd.Sub(in.Now); left > was || left < was-10*time.Second {
		t.Fatalf("its lease has %s of %s left", left, was)
	}
	if a, _ := b.ask(1, ""); a.Standing != Used {
		t.Fatalf("a used place is %s", a.Standing)
	}
	if a, _ := b.ask(2, itoa(granted.Grant)); a.Standing != Door && a.Standing != Granted {
		t.Fatalf("a grant that never reached its owner: %s", a.Standing)
	}
	b.pass(2 * time.Second)
	if a, _ := b.ask(2, ""); a.Standing != Granted {
		t.Fatalf("visitor 2 does not get in: %s", a.Standing)
	}
	b.r.told.reset()
	b.call(scriptReturn, vid(33), 33, "")
	if got := b.join(vid(33)); got[0] != 33 {
		t.Fatalf("a returned ticket lost its index: %d", got[0])
	}
	checkLog2(t, b.events)
}

// checkLog2 is checkLog across a restart: whoever was granted and not logged as entering is outside again.
func checkLog2(t *testing.T, events []Event) {
	t.Helper()
	last, seq := -1e18, int64(0)
	for _, e := range events {
		if e.Seq <= seq {
			t.Fatalf("seq %d after %d", e.Seq, seq)
		}
		seq = e.Seq
		if e.Kind == EventGrant {
			if *e.EntryMS-last < 1000 / *e.Rate - 1e-6 {
				t.Fatalf("entries %.3f and %.3f are too close", last, *e.EntryMS)
			}
			last = *e.EntryMS
		}
	}
}

// A clean end knows how many indexes were given: no gap.
func TestCleanRestartLeavesNoGap(t *testing.T) {
	dir := t.TempDir()
	run := func(work func(*Room)) {
		s, err := Open(Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := s.Room(Config{Name: "hall", Dir: dir, Lottery: testLottery, Settings: Settings{Cap: 10, Rate: Rate{100, time.Second}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		work(r)
		if err := r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var first Joined
	run(func(r *Room) {
		j, err := r.Join(t.Context(), "anna", "")
		if err != nil {
			t.Fatal(err)
		}
		first = j
		if _, err := r.Join(t.Context(), "bert", ""); err != nil {
			t.Fatal(err)
		}
		untilIn(t, r, Visitor{ID: "anna", Index: first.Index})
	})
	run(func(r *Room) {
		if snap := r.Snapshot(); snap.Next != 2 || len(snap.Gaps) != 0 || snap.Epoch != first.Epoch {
			t.Fatalf("after a clean restart: %+v", snap)
		}
		if a, err := r.Knock(t.Context(), Visitor{ID: "anna", Index: 0}); err != nil || a.Standing != In {
			t.Fatalf("anna is %s, %v", a.Standing, err)
		}
		j, err := r.Join(t.Context(), "carl", "")
		if err != nil || j.Index != 2 {
			t.Fatalf("carl got %+v, %v", j, err)
		}
	})
}

// A draw survives: in the pre-queue (nobody is lost from it), between freeze and reveal, and after.
func TestRestartDuringTheDraw(t *testing.T) {
	s := openStore(t, "embedded")
	cfg := Config{Dir: t.TempDir(), Settings: Settings{State: StatePrequeue, EntropySource: "the number of Monday"}}
	b := newBench(t, s, cfg)
	b.crowd(4)
	var rh rhythm
	b.tick(&rh)
	commit := b.call(scriptStatus).header.commit
	b.crash(cfg)
	if h := b.call(scriptStatus).header; h.phase != phasePrequeue || h.commit != commit {
		t.Fatalf("after a crash in the pre-queue: %+v", h)
	}
	for i := range int64(4) {
		b.call(scriptReturn, vid(i), i, "")
	}
	if err := b.r.Change(t.Context(), Change{Action: ActionOpen}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		b.tick(&rh)
	}
	drawing := b.call(scriptStatus).header
	if drawing.phase != phaseDrawing || drawing.root == "" {
		t.Fatalf("waiting for entropy: %s root %q", drawing.phase, drawing.root)
	}
	b.crash(cfg)
	h := b.call(scriptStatus).header
	if h.phase != phaseDrawing || h.root != drawing.root || h.n != drawing.n {
		t.Fatalf("after a crash in the draw: %+v", h)
	}
	if err := b.r.SetEntropy(t.Context(), "17"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		b.tick(&rh)
	}
	open := b.call(scriptStatus).header
	if open.phase != phaseOpen || open.seed == "" {
		t.Fatalf("after the entropy: %s", open.phase)
	}
	place := b.r.Place(3)
	b.crash(cfg)
	if b.r.Place(3) != place || b.call(scriptStatus).header.seed != open.seed {
		t.Fatal("the draw changed with the crash")
	}
	var list leafWriter
	if err := b.r.DrawList(t.Context(), &list); err != nil || int64(list.n) != 32*open.n {
		t.Fatalf("the list has %d bytes, %v", list.n, err)
	}
}

// A server that restarts with its data is noticed by its run id, and nothing is given twice.
func TestRestartedServer(t *testing.T) {
	b := newBench(t, openStore(t, "redis"), Config{Dir: t.TempDir()})
	b.crowd(5)
	var rh rhythm
	b.tick(&rh)
	before := b.call(scriptStatus).header
	if err := b.s.client.HSet(t.Context(), b.r.key("room"), "run", "another").Err(); err != nil {
		t.Fatal(err)
	}
	b.settle()
	h := b.call(scriptStatus).header
	if h.gen == before.gen || h.losses != 1 || h.next < before.ceil || h.x < before.x {
		t.Fatalf("before %+v, after %+v", before, h)
	}
	if got := b.join(vid(3), "new"); got[0] != 3 || got[1] < before.ceil {
		t.Fatalf("joins gave %v", got)
	}
}

// A pick-up whose edge died before it told the store: on disk means spent, not on disk costs nothing.
func TestOpenPickupsAreSettled(t *testing.T) {
	s := openStore(t, "redis")
	cfg := Config{Dir: t.TempDir(), Settings: Settings{Cap: 9, Idle: 5 * time.Second, Hard: 5 * time.Second}}
	b := newBench(t, s, cfg)
	b.crowd(2)
	b.moveX(2)
	for i := range int64(2) {
		a, _ := b.ask(i, "")
		b.ask(i, itoa(a.Grant))
	}
	<-b.r.log.sync(record{Kind: kindSpent, N: 0}) // the second one did not reach the disk
	b.pass(7 * time.Second)
	for i := range int64(2) {
		if a, _ := b.ask(i, ""); a.Standing != Retry {
			t.Fatalf("visitor %d is %s while nobody knows", i, a.Standing)
		}
	}
	if err := b.r.log.close(); err != nil {
		t.Fatal(err)
	}
	b.r = b.room(cfg)
	b.edges = nil
	b.arrive(b.r)
	if a, _ := b.ask(0, ""); a.Standing != Used {
		t.Fatalf("the logged one is %s", a.Standing)
	}
	if a, _ := b.ask(1, ""); a.Standing != Granted {
		t.Fatalf("the other is %s", a.Standing)
	}
}
