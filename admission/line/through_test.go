package line

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// newcomer asks the safety net, as a first request does, and joins if there is a line. A person who keeps cookies comes back.
type newcomer struct {
	id    string
	index int64
	in    bool
}

func (b *bench) through(r *Room, id string) Answer {
	b.t.Helper()
	c := call[string, Answer]{id, make(chan result[Answer], 1)}
	r.runThroughs(b.t.Context(), []call[string, Answer]{c})
	got := <-c.answer
	if got.err != nil {
		b.t.Fatal(got.err)
	}
	return got.answer
}

func (b *bench) arrives(id string) *newcomer {
	b.t.Helper()
	p := &newcomer{id: id}
	if a := b.through(b.r, id); a.Standing == Granted {
		p.index = a.Index
		return p
	}
	p.index = b.join(id)[0]
	return p
}

// returns comes back with the ticket.
func (b *bench) returns(p *newcomer) Standing {
	b.t.Helper()
	grant := ""
	for range 2 {
		rep := b.call(scriptKnock, p.id, p.index, b.r.Place(p.index), grant)
		a, _ := readAnswer(rep.header, rep.results[0])
		if p.in = a.Standing == In; a.Standing != Granted {
			return a.Standing
		}
		grant = itoa(a.Grant)
	}
	b.t.Fatalf("%s is granted again and again", p.id)
	return ""
}

// allReturn lets many come back with their tickets in calls of one batch, and counts who is in by that.
func (b *bench) allReturn(people []*newcomer) (in int) {
	b.t.Helper()
	for part := range slices.Chunk(people, batchMax) {
		grants := make([]string, len(part))
		for range 2 {
			var args []any
			for i, p := range part {
				args = append(args, p.id, p.index, b.r.Place(p.index), grants[i])
			}
			rep := b.call(scriptKnock, args...)
			for i, p := range part {
				a, _ := readAnswer(rep.header, rep.results[i])
				if a.Standing == Granted {
					grants[i] = itoa(a.Grant)
				}
				if a.Standing == In && !p.in {
					p.in = true
					in++
				}
			}
		}
	}
	return in
}

func netRoom(t *testing.T, s *Store, settings Settings) *bench {
	settings.Passthrough = true
	return newBench(t, s, Config{Settings: settings})
}

// The net is open while nobody waits, closes when somebody with a ticket has to, and opens again when nobody does.
func TestSafetyNet(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := netRoom(t, s, Settings{Rate: Rate{10, time.Second}, Cap: 4})
		var rh rhythm
		b.tick(&rh)
		if st := b.r.Snapshot().State; st != StatePassthrough {
			t.Fatalf("a quiet room is %s", st)
		}
		var inside []*newcomer
		for i := range 2 {
			p := b.arrives(fmt.Sprint("first", i))
			if again := b.through(b.r, p.id); again.Index != p.index {
				t.Fatalf("the same call gives another index: %d, %d", p.index, again.Index)
			}
			b.pass(time.Second)
			if got := b.returns(p); got != In {
				t.Fatalf("came back: %s", got)
			}
			inside = append(inside, p)
		}
		// Two go on as provisional ones, which counts in the cap; W25: then there is a line.
		b.arrives("nobody1")
		b.pass(time.Second)
		b.arrives("nobody2")
		b.pass(time.Second)
		waits := b.arrives("waits")
		if got := b.returns(waits); got != Waiting && got != Door {
			t.Fatalf("with no slot: %s", got)
		}
		b.tick(&rh)
		if got := b.returns(waits); got != Door {
			t.Fatalf("with no slot: %s", got)
		}
		if s := b.r.Snapshot(); s.State != string(StateOpen) {
			t.Fatalf("with somebody at the door the room is %s", s.State)
		}
		for range 9 { // W07, W62: whoever keeps no cookies fills nothing for longer than ten seconds
			b.tick(&rh)
			if a := b.through(b.r, "late"); a.Standing != Waiting { // W25: a newcomer does not overtake
				t.Fatalf("a newcomer is %s while somebody waits", a.Standing)
			}
			if b.returns(waits); waits.in {
				break
			}
		}
		if !waits.in {
			t.Fatal("the provisional grants still hold their slots")
		}
		for range 13 {
			b.tick(&rh)
		}
		if st := b.r.Snapshot().State; st != StatePassthrough {
			t.Fatalf("with nobody at the door for ten seconds the room is %s", st)
		}
		live := b.call(scriptStatus).header.live
		if live != int64(len(inside))+1 {
			t.Fatalf("%d live", live)
		}
		for _, g := range b.kinds(EventGrant) {
			if *g.Live > 4 {
				t.Fatalf("a grant brings %d live, the cap is 4", *g.Live)
			}
		}
		checkSpacing(t, b.kinds(EventGrant), 100_000)
	})
}

// W07: half of the clients drop cookies, a new one each request, at 100 a minute: at least 95 real ones are in each minute.
func TestCookielessClientsTakeNoTurns(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := netRoom(t, s, Settings{Rate: Rate{100, time.Minute}, Cap: 1000})
		var rh rhythm
		var people []*newcomer
		admitted := make([]int, 3)
		for sec := range 180 {
			for i := range 3 {
				b.arrives(fmt.Sprintf("drops%d-%d", sec, i))
				people = append(people, b.arrives(fmt.Sprintf("keeps%d-%d", sec, i)))
			}
			b.tick(&rh)
			admitted[sec/60] += b.allReturn(people)
			people = slices.DeleteFunc(people, func(p *newcomer) bool { return p.in })
		}
		t.Logf("in, minute by minute: %v", admitted)
		for m, n := range admitted[1:] {
			if n < 95 || n > 100 {
				t.Errorf("minute %d: %d real people were let in, the rate is 100", m+2, n)
			}
		}
	})
}

// W62: ten thousand requests without cookies do not put the line of a quiet room in force: a person is let through during
// them, at the latest when coming back with the ticket, and they are gone when they stop.
func TestFloodWithoutCookies(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := netRoom(t, s, Settings{Rate: Rate{20, time.Second}, Cap: 500})
		var rh rhythm
		for sec := range 25 {
			for i := 0; i < 400; i += 100 {
				var ids []any
				for k := range 100 {
					ids = append(ids, fmt.Sprintf("flood%d-%d", sec, i+k))
				}
				rep := b.call(scriptThrough, ids...)
				var refused []string
				for k, f := range rep.results {
					if f[0] == "queue" {
						refused = append(refused, ids[k].(string))
					}
				}
				if len(refused) > 0 {
					b.join(refused...)
				}
			}
			p := b.arrives(fmt.Sprint("person", sec))
			b.tick(&rh)
			if got := b.returns(p); got != In {
				b.tick(&rh)
				if got = b.returns(p); got != In {
					t.Fatalf("second %d: a person is %s", sec, got)
				}
			}
			if h := b.call(scriptStatus).header; h.queued || h.hot != 0 {
				t.Fatalf("second %d: the line is in force", sec)
			}
		}
		b.pass(12 * time.Second)
		if h := b.call(scriptTick, "", 0, 0, 0, 0, "0").header; h.live != 25 || !h.through {
			t.Fatalf("after the flood: %d live, through %v", h.live, h.through)
		}
	})
}

// W63: with the store away a room that has never had a line stays open for its time, one that has had one is closed; so is
// one whose edge has not heard of it since its start. A loss of the store and a new process do not forget that there was a line.
func TestSafetyNetWithoutTheStore(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		dir := t.TempDir()
		b := newBench(t, s, Config{Dir: dir, Edge: "e", Settings: Settings{Rate: Rate{10, time.Second}, Cap: 1, Passthrough: true, FailOpenFor: time.Minute}})
		if !b.r.FailsOpen(ErrStore) {
			t.Fatal("a quiet room does not fail open")
		}
		for _, err := range []error{nil, ErrRetry, ErrMerging, ErrClosed, errEpochOver, ErrNotLogged, context.Canceled} {
			if b.r.FailsOpen(err) {
				t.Errorf("%v is taken for a store that is away", err)
			}
		}
		if !b.r.FailsOpen(fmt.Errorf("asking: %w", context.DeadlineExceeded)) {
			t.Error("a store that does not answer in time is not away")
		}
		for name, change := range map[string]func(*view){
			"somebody at the door": func(v *view) { v.door = 1 }, "rate 0": func(v *view) { v.gap = 0 }, "cap 0": func(v *view) { v.cap = 0 }} {
			was := b.r.view.Load()
			v := *was
			change(&v)
			if b.r.view.Store(&v); b.r.FailsOpen(ErrStore) {
				t.Errorf("%s, and it fails open", name)
			}
			b.r.view.Store(was)
		}
		long := b.r.now().Add(-61*time.Second - staleAfter)
		b.r.contact.Store(&long)
		if b.r.FailsOpen(ErrStore) {
			t.Error("a store that is heard of and takes no tick keeps the room open for ever")
		}
		b.r.contact.Store(nil)
		v := *b.r.view.Load()
		v.heard = b.r.now().Add(-61 * time.Second)
		b.r.view.Store(&v)
		if b.r.FailsOpen(ErrStore) {
			t.Fatal("it is open for longer than fail_open_for")
		}
		var rh rhythm
		b.tick(&rh)
		first := b.arrives("first")
		b.pass(time.Second)
		b.returns(first)
		waits := b.arrives("waits")
		for range 3 {
			b.tick(&rh)
			b.returns(waits)
		}
		if b.r.FailsOpen(ErrStore) {
			t.Fatal("a room with a line fails open")
		}
		for range 15 {
			b.tick(&rh) // nobody knocks any more
		}
		if s := b.r.Snapshot().State; s != StatePassthrough || b.r.FailsOpen(ErrStore) {
			t.Fatalf("%s again, but it has had a line; fails open: %v", s, b.r.FailsOpen(ErrStore))
		}
		if err := b.r.log.close(); err != nil {
			t.Fatal(err)
		}
		b.empty()
		b.edges = nil
		r := b.room(Config{Dir: dir, Edge: "e", Settings: Settings{Rate: Rate{10, time.Second}, Cap: 1, Passthrough: true}})
		if r.FailsOpen(ErrStore) {
			t.Fatal("an edge that has heard nothing since its start fails open")
		}
		b.r = r
		b.arrive(r)
		if r.FailsOpen(ErrStore) {
			t.Fatal("the loss made it forget that there was a line")
		}
		if _, err := r.Reset(t.Context(), Expect{}, Settings{}); err != nil {
			t.Fatal(err)
		}
		if !r.FailsOpen(ErrStore) {
			t.Fatal("a new line has had no queue")
		}
	})
}

// The ceiling holds here too, and a closed room lets nobody through.
func TestSafetyNetAtItsBorders(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := netRoom(t, s, Settings{Rate: Rate{1000, time.Second}, Cap: 100})
		var got []int64
		b.r.tiny = 1
		b.s.client.HSet(t.Context(), b.r.key("room"), "ceil", 2)
		for i := range 5 {
			got = append(got, b.through(b.r, fmt.Sprint("p", i)).Index)
			b.pass(10 * time.Millisecond)
		}
		if fmt.Sprint(got) != "[0 1 2 3 4]" {
			t.Fatalf("indexes %v", got)
		}
		for _, action := range []Action{ActionPause, ActionClose} {
			if err := b.r.Change(t.Context(), Change{Action: action}); err != nil {
				t.Fatal(err)
			}
			c := call[string, Answer]{"p9", make(chan result[Answer], 1)}
			b.r.runThroughs(t.Context(), []call[string, Answer]{c})
			if a := <-c.answer; a.answer.Standing == Granted || action == ActionClose && !errors.Is(a.err, ErrClosed) {
				t.Errorf("%s: %s %v", action, a.answer.Standing, a.err)
			}
		}
		if s := b.r.Snapshot(); s.State != string(StateClosed) {
			t.Fatal(s.State)
		}
	})
}
