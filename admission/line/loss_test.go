package line

import (
	"errors"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line/redistest"
)

// A reply that gets lost loses no event: the next call of the edge brings them, once and in order.
func TestLostReplyLosesNoEvent(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{})
		b.crowd(4)
		b.moveX(4)
		v := b.r.view.Load()
		for i := range int64(3) { // three calls whose replies never arrive, one of them repeated by the client
			for range 1 + i%2 {
				if _, err := scriptKnock.run(t.Context(), s, b.r.keys, b.r.edge, b.r.events.acked, v.epoch, v.gen, itoa(b.clock), vid(i), i, i, ""); err != nil {
					t.Fatal(err)
				}
			}
		}
		b.ask(3, "")
		b.call(scriptStatus)
		if doors, grants := b.kinds(EventDoor), b.kinds(EventGrant); len(doors) != 4 || len(grants) != 4 {
			t.Fatalf("%d door and %d grant events", len(doors), len(grants))
		}
		checkLog(t, b.events)
		if kept, _ := s.client.LLen(t.Context(), b.r.key("out")).Result(); kept > 2 {
			t.Fatalf("%d acknowledged events are still kept", kept)
		}
	})
}

// A room starts while its store is away, lets nobody in, and is there when the store is; and a store that restarts
// empty is rebuilt while the room runs.
func TestRoomOutlivesItsStore(t *testing.T) {
	server, err := redistest.Start(redistest.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(Options{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	r := started(t, s, Config{Dir: t.TempDir(), Settings: Settings{Rate: Rate{100, time.Second}, Cap: 10}})
	if _, err := r.Join(t.Context(), "anna", ""); !errors.Is(err, ErrStore) {
		t.Fatalf("without a store a join says %v", err)
	}
	if snap := r.Snapshot(); !snap.Stale || snap.State != StateMerging {
		t.Fatalf("without a store the snapshot is %+v", snap)
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	join := func(vid string) Joined {
		for {
			j, err := r.Join(t.Context(), vid, "")
			if err == nil {
				return j
			}
			if !errors.Is(err, ErrStore) && !errors.Is(err, ErrRetry) {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond) // the visitor's pace
		}
	}
	anna := Visitor{ID: "anna", Index: join("anna").Index}
	in := untilIn(t, r, anna)
	if err := server.Kill(); err != nil { // nothing was kept on its disk
		t.Fatal(err)
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	if j := join("bert"); j.Index < firstCeiling || j.Epoch != in.Epoch {
		t.Fatalf("after the loss bert got %+v", j)
	}
	if a := untilIn(t, r, anna); a.Term != in.Term || a.Entry.Sub(in.Entry).Abs() > time.Minute {
		t.Fatalf("anna's session was %+v and is %+v", in, a)
	}
}

// Two processes must not write one log.
func TestOneProcessPerDirectory(t *testing.T) {
	dir := t.TempDir()
	l, err := openLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if _, err := openLog(dir); err == nil {
		t.Fatal("a second process was let in")
	}
}

// A room whose store lost everything has its settings again, whichever call finds out first, a join or the tick.
func TestRoomMadeAnewHasItsSettings(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Rate: Rate{7, time.Second}, Cap: 9}})
		if err := s.client.Del(t.Context(), b.r.keys...).Err(); err != nil {
			t.Fatal(err)
		}
		if _, err := b.r.call(t.Context(), scriptJoin, "first", ""); err != nil && !errors.Is(err, ErrMerging) {
			t.Fatal(err)
		}
		b.settle()
		if s := b.r.Snapshot().Settings; s.Rate.Count != 7 || s.Cap != 9 {
			t.Fatalf("the settings are %+v", s)
		}
	})
}

// Settings that are the first to reach an empty store commit to the epoch which that store then gets.
func TestFirstSettingsCommitToTheEpoch(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{})
		r := b.room(Config{Name: "annex", Settings: Settings{State: StatePrequeue}})
		b.arrive(r)
		if snap := r.Snapshot(); snap.Epoch == 0 || hexOf(snap.Draw.Commit) != r.commit(snap.Epoch, time.Time{}) {
			t.Fatalf("epoch %d, committed to %x", snap.Epoch, snap.Draw.Commit)
		}
	})
}

// A process that ends in order leaves no event behind for the next one to log twice.
func TestEventsAcrossProcesses(t *testing.T) {
	s := openStore(t, "redis")
	dir := t.TempDir()
	seen := map[int64]int{}
	run := func(work func(*Room)) {
		r, err := s.Room(Config{Name: "hall", Dir: dir, Lottery: testLottery, Settings: Settings{State: StatePrequeue, Rate: Rate{9, time.Second}, Cap: 9},
			Events: func(es []Event) {
				for _, e := range es {
					seen[e.Seq]++
				}
			}})
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
	run(func(r *Room) {
		if err := r.Change(t.Context(), Change{Action: ActionPause}); err != nil {
			t.Fatal(err)
		}
	})
	run(func(r *Room) {
		if err := r.Change(t.Context(), Change{Action: ActionResume}); err != nil {
			t.Fatal(err)
		}
	})
	if len(seen) < 3 {
		t.Fatalf("only %d events", len(seen))
	}
	for seq, n := range seen {
		if n != 1 {
			t.Errorf("event %d was logged %d times", seq, n)
		}
	}
}
