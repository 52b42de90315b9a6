package caddymodule

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/line/redistest"
)

// A session that has ended stays ended over a restart of the edge, whether its visitor or its origin ended it: its slot
// is another's by then.
func TestAnEndedPassStaysEndedOverARestart(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		config := roomWith("rate 1000/s")
		e := newEdge(t, config, store)
		left, ended, stays := e.visitor(), e.visitor(), e.visitor()
		passes, tickets := map[string]string{}, map[string]string{}
		for name, v := range map[string]*visitorClient{"left": left, "ended": ended, "stays": stays} {
			v.navigate("/")
			v.enter("/")
			passes[name], tickets[name] = e.cookie(v, passPart), e.cookie(v, ticketPart)
		}
		left.post("leave").want(t, 200)
		e.origin.answerWith(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Ropeline-Session", "end") })
		ended.navigate("/bye").want(t, 200)
		e.origin.answerWith(nil)
		e.until("both slots free", func() bool { return e.snapshot().Live == 1 })
		if err := e.loadText("{\nadmin off\npersist_config off\n}"); err != nil {
			t.Fatal(err)
		}
		if n := len(liveRooms()); n != 0 {
			t.Fatalf("%d rooms left behind", n)
		}
		if err := e.load(config); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]int{"left": 429, "ended": 429, "stays": 200} {
			r := e.visitor().do("GET", "/", "Ropeline-Pass", passes[name], "Ropeline-Ticket", tickets[name], "Accept", "application/json")
			if name != "stays" && r.StatusCode == 503 { // merging: refused all the same
				continue
			}
			if r.StatusCode != want {
				t.Errorf("%s: %d after the restart", name, r.StatusCode)
			}
		}
	})
}

// What one edge ends does not work at the others: they follow the store's list.
func TestAPassEndedAtAnotherEdge(t *testing.T) {
	srv := redistest.Run(t)
	e := newEdge(t, roomWith("rate 1000/s"), srv.URL())
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	v.navigate("/").want(t, 200)
	other := e.otherEdge(srv.URL())
	tk, term := ticketOf(e, v), e.snapshot().Term
	e.until("ended at the other edge", func() bool {
		return other.Leave(t.Context(), line.Visitor{ID: string(tk.VID), Index: tk.Index}) == nil
	})
	e.until("refused here", func() bool {
		return v.do("GET", "/", "Accept", "application/json").StatusCode == 429
	})
	// A recall frees no ended session, and a new term's passes are not refused for an old one's end.
	e.until("recalled", func() bool { return e.room().line.Recall(t.Context(), line.Expect{}) == nil })
	e.until("of the new term", func() bool { return e.snapshot().Term > term })
	if vid := string(tk.VID); e.room().ended.has(vid, e.snapshot().Term) || !e.room().ended.has(vid, e.snapshot().Term-1) {
		t.Error("the end is not of the term it happened in")
	}
}

// A crowd that joins and leaves pushes nobody out of the memory of ended sessions.
func TestLeavingTheLineIsNoEndOfASession(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	pass, ticket := e.cookie(v, passPart), e.cookie(v, ticketPart)
	v.post("leave").want(t, 200)
	e.admin("pause", "")
	for range 20 {
		w := e.visitor()
		w.navigate("/").want(t, 503)
		w.post("leave").want(t, 200)
	}
	if n := len(e.room().ended.young) + len(e.room().ended.old); n != 1 {
		t.Errorf("%d ended sessions are remembered, one has ended", n)
	}
	e.visitor().do("GET", "/", "Ropeline-Pass", pass, "Ropeline-Ticket", ticket, "Accept", "application/json").want(t, 429)
}

func TestEndedSessionsAreKeptAsLongAsAPass(t *testing.T) {
	var e endedSessions
	start := time.Now()
	e.addAt(start, 1, "first")
	for i := range 100_000 {
		e.addAt(start.Add(endedFor*9/10), 1, fmt.Sprint(i))
	}
	e.addAt(start.Add(endedFor), 1, "second")
	if !e.has("0", 1) || !e.has("99999", 1) || !e.has("second", 1) || e.has("second", 2) {
		t.Error("forgotten while a pass could still be good, or a later term is refused")
	}
	e.addAt(start.Add(2*endedFor), 1, "third")
	if e.has("first", 1) || !e.has("second", 1) {
		t.Error("not forgotten by age")
	}
	e.addAt(start.Add(9*endedFor), 1, "last")
	if len(e.young)+len(e.old) != 1 {
		t.Error("kept for ever")
	}
}

// otherEdge is a second edge of the same room, without a Caddy.
func (e *edge) otherEdge(store string) *line.Room {
	e.t.Helper()
	s, err := line.Open(line.Options{URL: store})
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { s.Close() })
	settings, err := e.room().conf.Load().settings()
	if err != nil {
		e.t.Fatal(err)
	}
	r, err := s.Room(line.Config{Name: "main", Settings: settings, Dir: e.t.TempDir(), Lottery: line.Lottery{
		Secret: e.room().drawSecret, Root: func([][32]byte) (z [32]byte) { return z },
		Seed:  func([32]byte, string, [32]byte, int64) (z [32]byte) { return z },
		Place: func([32]byte, int64) func(int64) int64 { return func(i int64) int64 { return i } },
	}})
	if err != nil {
		e.t.Fatal(err)
	}
	if err := r.Start(e.t.Context()); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = r.Stop(context.Background()) })
	return r
}
