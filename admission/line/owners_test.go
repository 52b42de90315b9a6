package line

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// joinAs is a join of an account at an edge, as its loop does it.
func (b *bench) joinAs(r *Room, vid, identity string) Joined {
	b.t.Helper()
	c := call[joinAsk, Joined]{joinAsk{vid, identity}, make(chan result[Joined], 1)}
	r.runJoins(b.t.Context(), []call[joinAsk, Joined]{c})
	got := <-c.answer
	if got.err != nil {
		b.t.Fatalf("%s as %s: %v", vid, identity, got.err)
	}
	return got.answer
}

// After a total loss an account is still one place: one that waits, one that is inside, and one whose place was used up to the
// moment when it may join again; whichever browser asks, and before any ticket has come back.
func TestAccountIsOnePlaceAfterALoss(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		cfg := Config{Dir: t.TempDir(), Settings: Settings{Cap: 5}}
		b := newBench(t, s, cfg)
		first := map[string]Joined{}
		for i, who := range []string{"waits", "inside", "left"} {
			first[who] = b.joinAs(b.r, vid(int64(i)), who)
		}
		again := b.joinAs(b.r, vid(3), "again")
		b.moveX(4)
		for _, i := range []int64{1, 2, again.Index} {
			b.admitLogged(i)
		}
		for _, i := range []int64{2, again.Index} {
			if err := b.r.Leave(t.Context(), Visitor{ID: vid(i), Index: i}); err != nil {
				t.Fatal(err)
			}
		}
		first["again"] = b.joinAs(b.r, "newest", "again") // its first place is used: this is its place now
		for range 2 {
			if s.Embedded() {
				b.crash(cfg)
			} else {
				b.empty() // others use the same server
				b.settle()
			}
			for i, who := range []string{"waits", "inside", "again"} {
				if got := b.joinAs(b.r, fmt.Sprint("browser", i), who); got.ID != first[who].ID || got.Index != first[who].Index {
					t.Errorf("after the loss %s got %+v, and had %+v", who, got, first[who])
				}
			}
			if _, err := s.client.ZScore(t.Context(), b.r.key("line"), vid(2)).Result(); err != nil {
				t.Errorf("the visitor who left is not known any more: %v", err) // an invitation's would get a second place
			}
		}
		if got := b.joinAs(b.r, "later", "left"); got.Index == first["left"].Index || got.ID != "later" {
			t.Errorf("an account whose place was used joins again as %+v", got)
		}
	})
}

// What only a struck edge knew of accounts is in the others' logs before its name is gone; an edge that does not count gives
// accounts no places.
func TestAccountsOfAStruckEdge(t *testing.T) {
	b, two := twoEdges(t, Settings{Cap: 5})
	var had []Joined
	for i := range 2300 { // more than one part
		if i%100 == 0 {
			had = append(had, b.joinAs(two, vid(int64(i)), fmt.Sprint("account", i)))
			continue
		}
		b.call(scriptJoin, vid(int64(i)), accountOf(fmt.Sprint("account", i)))
	}
	b.alone(20, b.r)
	c := call[joinAsk, Joined]{joinAsk{"late", "somebody"}, make(chan result[Joined], 1)}
	two.runJoins(t.Context(), []call[joinAsk, Joined]{c})
	if got := <-c.answer; !errors.Is(got.err, ErrRetry) {
		t.Fatalf("a struck edge gave a place to an account: %+v %v", got.answer, got.err)
	}
	b.edges = []*Room{b.r}
	b.empty()
	b.settle()
	for i, was := range had {
		if got := b.joinAs(b.r, "other", fmt.Sprint("account", 100*i)); got.ID != was.ID || got.Index != was.Index {
			t.Fatalf("account %d got %+v, and had %+v", 100*i, got, was)
		}
	}
}

// A join of an account that is not on disk is not answered: the next process would not know of it.
func TestAccountNeedsTheDisk(t *testing.T) {
	b := newBench(t, openStore(t, "redis"), Config{})
	if err := b.r.log.close(); err != nil {
		t.Fatal(err)
	}
	c := call[joinAsk, Joined]{joinAsk{"anna", "anna"}, make(chan result[Joined], 1)}
	b.r.runJoins(t.Context(), []call[joinAsk, Joined]{c})
	if got := <-c.answer; !errors.Is(got.err, ErrNotLogged) {
		t.Fatalf("%+v %v", got.answer, got.err)
	}
}

// A ticket of a place that was used says whose it was; an older one does not take a newer place away.
func TestReturnedTicketsSayWhose(t *testing.T) {
	b := newBench(t, openStore(t, "redis"), Config{Settings: Settings{Cap: 5, Rate: Rate{20, time.Second}}})
	b.crowd(2)
	b.moveX(2)
	b.admitLogged(1)
	b.call(scriptReturn, vid(1), 1, accountOf("anna")) // inside, its place is spent
	if got := b.joinAs(b.r, "browser", "anna"); got.ID != vid(1) || got.Index != 1 {
		t.Fatalf("while her session lives anna got %+v", got)
	}
	b.call(scriptReturn, vid(0), 0, accountOf("anna"))
	if got := b.joinAs(b.r, "browser", "anna"); got.Index != 1 {
		t.Fatalf("an older ticket gave anna %+v", got)
	}
}

// Owners in the log: a newer place replaces, an older does not, and what is cut off is no entry.
func TestOwnersInTheLog(t *testing.T) {
	m := owners{}
	a, ok := parseAccount(accountOf("anna"))
	if !ok {
		t.Fatal(accountOf("anna"))
	}
	var packed []byte
	for _, index := range []uint32{3, 9, 5} {
		packed = packOwner(packed, a, owner{fmt.Sprint("v", index), index})
	}
	m.apply(packed)
	m.apply(packed[:len(packed)-1])
	if got := m[a]; got != (owner{"v9", 9}) || len(m) != 1 {
		t.Fatalf("%+v", m)
	}
	again := owners{}
	for _, r := range m.records(7) {
		again.apply(r.Bits)
	}
	if again[a] != m[a] {
		t.Fatalf("after compaction: %+v", again)
	}
	for _, text := range []string{"", "short", "!!!!!!!!!!!!!!!!!!!!!!", accountOf("anna") + "x"} {
		if _, ok := parseAccount(text); ok {
			t.Errorf("%q is an account", text)
		}
	}
}
