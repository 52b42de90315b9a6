package line

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// scripted is a Pacer that says what it is told to.
type scripted struct {
	name  string
	says  Paced
	mute  bool
	asked []Second
}

func (s *scripted) Saw() []byte { return []byte("saw-" + s.name) }

func (s *scripted) Pace(sec Second) (Paced, bool) {
	s.asked = append(s.asked, sec)
	return s.says, !s.mute
}

func (s *scripted) last() Second { return s.asked[len(s.asked)-1] }

// pacedEdges are some edges of one room at a real Redis, the first of which leads.
func pacedEdges(t *testing.T, store string, names ...string) (b *bench, edges []*Room, pacers []*scripted) {
	s := openStore(t, store)
	for i, name := range names {
		p := &scripted{name: name, says: Paced{Gap: 200_000, Floor: 2_000_000, Stock: "open 5 -1 0", Save: []byte("left by " + name), Tell: []byte("told by " + name)}}
		c := Config{Edge: name, Pacer: p, Settings: Settings{Rate: Rate{20, time.Second}, Cap: 100_000}}
		if i == 0 {
			b = newBench(t, s, c)
			edges = append(edges, b.r)
		} else {
			r := b.room(c)
			b.arrive(r)
			edges = append(edges, r)
		}
		pacers = append(pacers, p)
	}
	return b, edges, pacers
}

// second lets one second pass in which these edges tick.
func (b *bench) second(edges ...*Room) {
	b.t.Helper()
	b.clock += second
	for _, r := range edges {
		if err := r.step(b.t.Context(), time.UnixMicro(b.clock), &rhythm{share: time.UnixMicro(b.clock)}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// The leader's rate is in force at every edge, and what it is made from reaches the leader: the counts of all edges that
// tick, and none of one that has been gone for 15 s.
func TestPacerDecides(t *testing.T) {
	b, edges, pacers := pacedEdges(t, "redis", "one", "two", "three")
	for range 3 {
		b.second(edges...)
	}
	for _, r := range edges {
		if s := r.Snapshot(); !s.Paced || s.Settings.Rate.PerSecond() != 5 || s.Fixed != (Rate{20, time.Second}) || s.Leader != "one" || s.Stock != "open 5 -1 0" {
			t.Errorf("%s has paced %v, rate %s, leader %s, stock %q", r.edge, s.Paced, s.Settings.Rate, s.Leader, s.Stock)
		}
		if got, err := r.PaceReport(t.Context()); err != nil || string(got) != "told by one" {
			t.Errorf("%s is told %q, %v", r.edge, got, err)
		}
	}
	if len(pacers[1].asked)+len(pacers[2].asked) > 0 {
		t.Error("an edge that does not lead decides")
	}
	saw := func() string {
		var all []string
		for _, s := range pacers[0].last().Saw {
			all = append(all, s.Edge+":"+string(s.Said))
		}
		return fmt.Sprint(len(all), all)
	}
	if got := saw(); got[0] != '3' || !bytes.Contains([]byte(got), []byte("three:saw-three")) {
		t.Errorf("the leader sees %s", got)
	}
	for range 16 {
		b.second(edges[0], edges[1])
	}
	if got := saw(); got[0] != '2' {
		t.Errorf("with an edge gone for 16 s the leader sees %s", got)
	}
	pacers[0].says.Off = true
	b.second(edges...)
	b.second(edges...)
	for _, r := range edges {
		if s := r.Snapshot(); s.Paced || s.Settings.Rate.PerSecond() != 20 {
			t.Errorf("when pacing ends %s has rate %s", r.edge, s.Settings.Rate)
		}
	}
}

// A leader that falls silent is followed by another, who gets what it left. Its own late word, made with the old fencing
// number, changes nothing any more.
func TestPacerTakeOver(t *testing.T) {
	b, edges, pacers := pacedEdges(t, "redis", "one", "two", "three")
	for range 2 {
		b.second(edges...)
	}
	old := edges[0].view.Load()
	pacers[1].says.Gap, pacers[2].says.Gap = 250_000, 250_000
	silent := 0
	for ; len(pacers[1].asked)+len(pacers[2].asked) == 0; silent++ {
		b.second(edges[1], edges[2])
		if s := edges[1].Snapshot(); s.Settings.Rate.PerSecond() != 5 && len(pacers[1].asked)+len(pacers[2].asked) == 0 {
			t.Fatalf("without a leader the rate is %s", s.Settings.Rate)
		}
		if silent > 6 {
			t.Fatal("nobody takes over")
		}
	}
	p := pacers[1]
	if len(p.asked) == 0 {
		p = pacers[2]
	}
	first := p.asked[0]
	if !first.Began || string(first.Saved) != "left by one" || first.RT-first.SavedRT < 2*second || first.Fence <= old.fence {
		t.Fatalf("the successor begins with %+v", first)
	}
	b.second(edges[1], edges[2])
	if p.last().Began {
		t.Error("it begins twice")
	}
	if got := edges[1].Snapshot().Settings.Rate.PerSecond(); got != 4 {
		t.Errorf("the successor's rate is %v", got)
	}
	// The old leader wakes up in the middle of its tick.
	if _, err := edges[0].tick(t.Context(), itoa(old.fence), old.x, &rhythm{}, "saw", "1000", "1000", "sold_out 0 -1 0", "late", "late"); err != nil {
		t.Fatal(err)
	}
	if s := edges[0].Snapshot(); s.Settings.Rate.PerSecond() != 4 || s.Stock != "open 5 -1 0" {
		t.Errorf("after a late word of the old leader the rate is %s, the stock %q", s.Settings.Rate, s.Stock)
	}
	if got, _ := edges[1].PaceReport(t.Context()); bytes.Equal(got, []byte("late")) {
		t.Error("the late report is told")
	}
}

// When nobody decides for 15 s the rate falls to the floor; it never rises to it.
func TestPacerSilent(t *testing.T) {
	for name, c := range map[string]struct {
		gap, floor int64
		want       float64
	}{"falls": {200_000, 2_000_000, 0.5}, "does not rise": {4_000_000, 2_000_000, 0.25}, "does not open": {0, 2_000_000, 0}} {
		b, edges, pacers := pacedEdges(t, "embedded", "one")
		pacers[0].says.Gap, pacers[0].says.Floor = c.gap, c.floor
		b.second(edges...)
		b.second(edges...)
		before := edges[0].Snapshot().Settings.Rate.PerSecond()
		pacers[0].mute = true
		for range 14 {
			b.second(edges...)
		}
		if got := edges[0].Snapshot().Settings.Rate.PerSecond(); got != before {
			t.Errorf("%s: after 14 s the rate is %v, was %v", name, got, before)
		}
		b.second(edges...)
		b.second(edges...)
		if got := edges[0].Snapshot().Settings.Rate.PerSecond(); got != c.want {
			t.Errorf("%s: after 16 s the rate is %v, want %v", name, got, c.want)
		}
	}
}

// The leader dies with a crowd in line, or the store is gone for a minute: entry times stay a gap apart, X goes on, and what
// went in is what the rate says of the room's own seconds, neither less nor a burst.
func TestPacerUnderACrowd(t *testing.T) {
	t.Run("leader dies", func(t *testing.T) { pacedCrowd(t, true, 0) })
	t.Run("store is gone", func(t *testing.T) { pacedCrowd(t, false, 60) })
}

func pacedCrowd(t *testing.T, dies bool, gone int64) {
	b, edges, _ := pacedEdges(t, "redis", "one", "two", "three")
	b.crowd(600)
	const perSecond = 5
	alive := edges
	grant := map[int64]string{}
	entered, still, longest, x := 0, 0, 0, int64(0)
	for sec := range 40 {
		if sec == 12 && dies {
			alive = edges[1:]
		}
		if sec == 20 {
			b.clock += gone * second
		}
		b.second(alive...)
		at := alive[sec%len(alive)]
		h := at.view.Load()
		if still++; h.x > x {
			if moved := h.x - x; moved > 8*perSecond+10 {
				t.Errorf("second %d: X moves by %d", sec, moved)
			}
			x, still = h.x, 0
		}
		longest = max(longest, still)
		for i := range min(x, 600) {
			if grant[i] == "in" {
				continue
			}
			a, _ := b.askAt(at, i, grant[i])
			at.loops.Wait()
			switch a.Standing {
			case Granted:
				grant[i] = itoa(a.Grant)
			case In:
				grant[i] = "in"
				entered++
			}
		}
	}
	if longest > 9 { // X is moved for eight seconds at a time at most
		t.Errorf("X stood still for %d ticks", longest)
	}
	if want := 40*perSecond + 2*perSecond*min(1, int(gone)); entered > want+perSecond || entered < want-5*perSecond {
		t.Errorf("%d people entered in 40 s, the rate says %d", entered, want)
	}
	last := -1e18
	for _, e := range b.events {
		if e.Kind != EventGrant {
			continue
		}
		if gap := *e.EntryMS - last; gap < 199.9 {
			t.Fatalf("two entries are %v ms apart", gap)
		}
		last = *e.EntryMS
	}
}

// An operator's word to the pacer outlives the loss of the store: every edge's log has it.
func TestOrderOutlivesTheStore(t *testing.T) {
	b, edges, _ := pacedEdges(t, "redis", "one", "two")
	if err := edges[1].Order(t.Context(), `{"mode":"pin"}`); err != nil {
		t.Fatal(err)
	}
	b.second(edges...)
	b.empty()
	b.settle()
	b.second(edges...)
	for _, r := range edges {
		if got := r.Snapshot().Order; got != `{"mode":"pin"}` {
			t.Errorf("after the loss %s has the order %q", r.edge, got)
		}
	}
}
