package line

import (
	"testing"
	"time"
)

// W03: expired, finished and lapsed people are gone from every count that is shown.
func TestCountsForgetWhoIsGone(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Rate: Rate{20, time.Second}, Cap: 3, Idle: 20 * time.Second}})
		b.crowd(5)
		b.moveX(5)
		for i := range int64(3) {
			if !b.enter(i) {
				t.Fatalf("visitor %d is not in", i)
			}
			b.pass(time.Second)
		}
		b.ask(3, "")
		b.ask(4, "")
		if h := b.call(scriptStatus).header; h.live != 3 || h.door != 2 {
			t.Fatalf("%d live, %d at the door", h.live, h.door)
		}
		b.call(scriptLeave, vid(0), 0)
		b.pass(40 * time.Second) // two idle out, two leave the door
		b.beat()
		if s := b.r.Snapshot(); s.Live != 0 || s.Door != 0 || s.Next != 5 {
			t.Fatalf("%d live, %d at the door, %d joined", s.Live, s.Door, s.Next)
		}
	})
}

// W26: five of ten at the door stop knocking. They leave it after ten seconds, and no slot goes to them again and again.
func TestWhoStopsKnockingLeavesTheDoor(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{Rate: Rate{20, time.Second}, Cap: 1}})
		b.crowd(11)
		b.moveX(11)
		if !b.enter(0) { // the only slot is taken
			t.Fatal("the first is not in")
		}
		for i := int64(1); i <= 10; i++ {
			b.ask(i, "")
		}
		for range 12 {
			b.pass(time.Second)
			for i := int64(6); i <= 10; i++ {
				b.ask(i, "")
			}
		}
		if h := b.call(scriptStatus).header; h.door != 5 {
			t.Fatalf("%d at the door", h.door)
		}
		grants := len(b.kinds(EventGrant))
		b.call(scriptLeave, vid(0), 0)
		for range 60 {
			b.pass(time.Second)
			for i := int64(6); i <= 10; i++ {
				if b.enter(i) {
					b.call(scriptLeave, vid(i), i)
				}
			}
		}
		if got := len(b.kinds(EventGrant)) - grants; got != 5 {
			t.Fatalf("%d grants for five people", got)
		}
		if a, _ := b.ask(1, ""); a.Standing != Granted { // whoever comes back later is served at once
			t.Fatalf("who stopped and comes back is %s", a.Standing)
		}
	})
}
