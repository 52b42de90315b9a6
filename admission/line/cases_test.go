package line

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// W01: ten of thirty vanish before their turn while the cap is 10; the line never sticks on people who left.
func TestVanishedPeopleDoNotHoldTheLine(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Cap: 10, Rate: Rate{100, time.Second}}})
		b.crowd(30)
		b.moveX(30)
		for i := range int64(30) { // all of them stand at the door; ten are granted
			b.ask(i, "")
		}
		vanished := func(i int64) bool { return i >= 5 && i < 15 } // five granted ones, five at the door
		in := map[int64]bool{}
		for range 40 {
			for i := range int64(30) {
				if !vanished(i) && !in[i] {
					in[i] = b.enter(i)
					if in[i] && len(in) > 0 {
						continue
					}
				}
			}
			for i := range in { // those inside finish, so that slots come free
				if in[i] {
					b.call(scriptLeave, vid(i), i)
				}
			}
			b.pass(time.Second)
		}
		for i := range int64(30) {
			if !vanished(i) && !in[i] {
				t.Errorf("visitor %d is still outside", i)
			}
		}
		checkLog(t, b.events)
	})
}

// W02: a called visitor never comes; no slot is held, and coming later it is first at the door.
func TestLateVisitorIsFirstAtTheDoor(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Cap: 2}})
		b.crowd(5)
		b.moveX(5)
		if !b.enter(1) || !b.enter(2) {
			t.Fatal("an absent first visitor holds a slot")
		}
		for _, i := range []int64{3, 4, 0} {
			if a, _ := b.ask(i, ""); a.Standing != Door {
				t.Fatalf("visitor %d is %s with the cap full", i, a.Standing)
			}
		}
		if a, _ := b.ask(0, ""); a.Rank != 0 {
			t.Fatalf("the late first visitor has rank %d", a.Rank)
		}
		b.call(scriptLeave, vid(1), 1)
		if a, _ := b.ask(4, ""); a.Standing != Door || a.Rank != 1 {
			t.Fatalf("visitor 4 overtook: %+v", a)
		}
		if a, _ := b.ask(0, ""); a.Standing != Granted {
			t.Fatalf("the late first visitor is %s", a.Standing)
		}
	})
}

// W05, W13: the same join twice, and fifty in parallel by one identity, give one place; malformed ones burn none.
func TestOnePlacePerVisitorAndIdentity(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		r := started(t, s, Config{Settings: Settings{Cap: 10, Rate: Rate{1, time.Second}}})
		for range 100 {
			if _, err := r.Join(t.Context(), "no good\n", ""); err == nil {
				t.Fatal("a malformed join was taken")
			}
		}
		var mu sync.Mutex
		got := map[Joined]int{}
		var crowd sync.WaitGroup
		for i := range 50 {
			crowd.Go(func() {
				j, err := r.Join(t.Context(), fmt.Sprintf("tab%d", i), "alice")
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				j.IssuedAt = time.Time{}
				got[j]++
				mu.Unlock()
			})
		}
		crowd.Wait()
		if len(got) != 1 {
			t.Fatalf("one identity got %d places", len(got))
		}
		for range 2 {
			if j, err := r.Join(t.Context(), "bob", ""); err != nil || j.Index != 1 {
				t.Fatalf("bob got %+v, %v", j, err)
			}
		}
	})
}

// W13: ten thousand joins at once; order kept, indexes dense.
func TestTenThousandJoinsKeepTheirOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		r := started(t, s, Config{Dir: t.TempDir(), Settings: Settings{Cap: 10, Rate: Rate{1, time.Second}}})
		const n = 10_500 // beyond the first ceiling, which is raised meanwhile
		calls := make([]call[joinAsk, Joined], n)
		for i := range calls {
			calls[i] = call[joinAsk, Joined]{joinAsk{vid(int64(i)), ""}, make(chan result[Joined], 1)}
			r.joins.in <- calls[i]
		}
		for i, c := range calls {
			got := <-c.answer
			if got.err != nil || got.answer.Index != int64(i) {
				t.Fatalf("join %d got %d, %v", i, got.answer.Index, got.err)
			}
		}
		if snap := r.Snapshot(); snap.Next != n {
			t.Fatalf("%d indexes given", snap.Next)
		}
	})
}

// W12 for places: a shown distance never grows, because a place never changes and X never falls.
func TestPlacesNeverChange(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{})
		b.crowd(100)
		b.moveX(40)
		b.moveX(10)
		if x := b.call(scriptStatus).header.x; x != 40 {
			t.Fatalf("X fell to %d", x)
		}
		if p := b.r.Place(77); p != 77 {
			t.Fatalf("place of 77 is %d", p)
		}
	})
}

// W20: several edges and a tenfold spike; in every window at most rate times window entries, exactly.
func TestRateIsExactUnderASpike(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Rate: Rate{30, time.Second}, Cap: 10000}})
		other := b.room(Config{Settings: b.r.cfg.Settings})
		b.arrive(other)
		b.crowd(600)
		b.moveX(600)
		for range 10 {
			for i := range int64(600) {
				b.askAt([]*Room{b.r, other}[i%2], i, "")
			}
			b.pass(500 * time.Millisecond)
		}
		grants := b.kinds(EventGrant)
		if len(grants) < 150 {
			t.Fatalf("only %d grants in 5 s at 30/s", len(grants))
		}
		checkSpacing(t, grants, Rate{30, time.Second}.Gap())
	})
}

func checkSpacing(t testing.TB, grants []Event, gap int64) {
	t.Helper()
	last := -1e18
	for _, g := range sorted(grants) {
		if *g.EntryMS-last < float64(gap)/1000-1e-6 {
			t.Fatalf("entries %.3f and %.3f are less than %d us apart", last, *g.EntryMS, gap)
		}
		last = *g.EntryMS
	}
}

// W21: two hundred parallel claims at cap 10 are exactly 10, and unclaimed slots come back.
func TestCapIsExact(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Rate: Rate{1000, time.Second}, Cap: 10}})
		b.crowd(200)
		b.moveX(200)
		var crowd sync.WaitGroup
		for i := range int64(200) {
			crowd.Go(func() { b.ask(i, "") })
		}
		crowd.Wait()
		if live := b.call(scriptStatus).header.live; live != 10 {
			t.Fatalf("%d inside", live)
		}
		b.pass(16 * time.Second) // nobody picked up
		if !b.enter(150) {
			t.Fatal("the slots did not come back")
		}
		checkLog(t, b.events)
	})
}

// W22: one ticket knocking at two edges: one slot, one session, the same answer.
func TestTwoEdgesGiveOneSession(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Cap: 5}})
		other := b.room(Config{Settings: b.r.cfg.Settings})
		b.arrive(other)
		b.crowd(3)
		b.moveX(3)
		a, _ := b.ask(0, "")
		same, _ := b.askAt(other, 0, "")
		if a.Standing != Granted || same.Grant != a.Grant {
			t.Fatalf("%+v and %+v", a, same)
		}
		if stale, _ := b.ask(0, itoa(a.Grant-1)); stale.Standing != Granted {
			t.Fatalf("an old knock picked up a later grant: %+v", stale)
		}
		in, _ := b.ask(0, itoa(a.Grant))
		again, logged := b.askAt(other, 0, itoa(a.Grant))
		if in.Standing != In || again.Standing != In || again.LeaseEnd != in.LeaseEnd || logged {
			t.Fatalf("%+v and %+v", in, again)
		}
		if h := b.call(scriptStatus).header; h.live != 1 || h.pickups != 1 {
			t.Fatalf("%d inside, %d pick-ups", h.live, h.pickups)
		}
	})
}

// W23: a session ends without requests of its visitor, and at its hard end in spite of them.
func TestSessionsEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Cap: 5, Idle: 10 * time.Second, Hard: 25 * time.Second}})
		b.crowd(2)
		b.moveX(2)
		b.enter(0)
		b.enter(1)
		for range 3 {
			b.pass(8 * time.Second)
			b.call(scriptTouch, vid(1), 0)
		}
		if a, _ := b.ask(0, ""); a.Standing != Used {
			t.Fatalf("an idle session is %s", a.Standing)
		}
		if a, _ := b.ask(1, ""); a.Standing != In {
			t.Fatalf("a touched session is %s", a.Standing)
		}
		b.pass(2 * time.Second)
		if a, _ := b.ask(1, ""); a.Standing != Used {
			t.Fatalf("past its hard end a session is %s", a.Standing)
		}
	})
}

// W25: a free slot and a newcomer at the same moment as ten people in line: the newcomer queues.
func TestNewcomerQueues(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Cap: 1, Rate: Rate{100, time.Second}}})
		b.crowd(12)
		b.moveX(20)
		b.enter(0)
		for i := int64(1); i <= 10; i++ {
			b.ask(i, "")
		}
		b.call(scriptLeave, vid(0), 0)
		if a, _ := b.ask(11, ""); a.Standing != Door || a.Rank != 9 {
			t.Fatalf("the newcomer: %+v", a)
		}
		if a, _ := b.ask(1, ""); a.Standing != Granted {
			t.Fatalf("the first in line is %s", a.Standing)
		}
	})
}

// W66 for the door: nothing divides by zero and nobody slips in at the borders.
func TestDoorAtItsBorders(t *testing.T) {
	one := time.Second
	for name, c := range map[string]struct {
		rate Rate
		cap  int
		want Standing
	}{
		"cap 0":        {Rate{10, one}, -1, Door},
		"rate 0":       {Rate{0, one}, 5, Door},
		"one an hour":  {Rate{1, time.Hour}, 5, Granted},
		"highest rate": {Rate{MaxRate, one}, 5, Granted},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, s *Store) {
				b := newBench(t, s, Config{Settings: Settings{Rate: c.rate, Cap: c.cap}})
				b.join(vid(0))
				if a, _ := b.ask(0, ""); a.Standing != Waiting { // x 0, place 0
					t.Fatalf("with X 0 the first is %s", a.Standing)
				}
				b.moveX(1)
				if a, _ := b.ask(0, ""); a.Standing != c.want {
					t.Fatalf("at the door: %s", a.Standing)
				}
			})
		})
	}
}

// Two edges tick; only one leads. X moves each second all the same, whichever tick begins it.
func TestAnyTickMovesX(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{})
		other := b.room(Config{Settings: b.r.cfg.Settings})
		b.arrive(other)
		b.crowd(100)
		b.pass(time.Second)
		fence := itoa(b.call(scriptTick, "", 0, 0, 0, 0, "0").header.fence)
		for i := int64(1); i <= 5; i++ {
			b.pass(950 * time.Millisecond)
			if _, err := other.call(t.Context(), scriptTick, "", 99, 0, 0, 0, "0"); err != nil { // begins the second; its X counts nothing
				t.Fatal(err)
			}
			b.pass(50 * time.Millisecond)
			if rep := b.call(scriptTick, fence, 10*i, 0, 0, 0, "0"); rep.status != statusEarly || rep.header.x != 10*(i-1) {
				t.Fatalf("second %d: %s, X %d", i, rep.status, rep.header.x)
			}
		}
	})
}
