package caddymodule

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/line/redistest"
	"github.com/ropeline/ropeline/admission/lottery"
)

// command runs `ropeline room <action> main ...`.
func (e *edge) command(o operator, action, member string, args ...string) (string, error) {
	e.t.Helper()
	return e.operate(o, func(o *operator) error { return o.change(action, member, append([]string{"main"}, args...)) })
}

func (e *edge) mustCommand(o operator, action, member string, args ...string) string {
	e.t.Helper()
	out, err := e.command(o, action, member, args...)
	if err != nil {
		e.t.Fatalf("%s: %v", action, err)
	}
	return out
}

// secondEdge is another edge of the room at the same Redis, without a Caddy around it.
func (e *edge) secondEdge(store string) *line.Room {
	e.t.Helper()
	s, err := line.Open(line.Options{URL: store})
	if err != nil {
		e.t.Fatal(err)
	}
	// The file's, as every edge has them: a room that is still being made has none that could be copied.
	settings, err := e.room().conf.Load().settings()
	if err != nil {
		e.t.Fatal(err)
	}
	r, err := s.Room(line.Config{Name: "main", Dir: e.t.TempDir(), Edge: "second", Settings: settings,
		Lottery: line.Lottery{Secret: e.room().drawSecret, Root: lottery.Root, Seed: lottery.Seed,
			Place: func(seed [32]byte, n int64) func(int64) int64 { return lottery.NewPerm(seed, n).Place }}})
	if err != nil {
		e.t.Fatal(err)
	}
	if err := r.Start(e.t.Context()); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() {
		_ = r.Stop(context.Background())
		_ = s.Close()
	})
	e.until("two edges", func() bool { return len(e.snapshot().Edges) == 2 && e.snapshot().Settled && r.Snapshot().Settled })
	return r
}

// W58, W64: a recall refuses every pass at once; whoever was inside enters again at the old place, before everybody behind,
// and nobody who waits is touched. A command whose answer was lost is not done twice.
func TestRecallByCommand(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 1000/s", "cap 1"), store)
		in, waits := e.visitor(), e.visitor()
		in.navigate("/")
		in.enter("/")
		waits.navigate("/").want(t, 503)
		ticket := e.cookie(waits, ticketPart)
		in.navigate("/bought").want(t, 200)
		seen, before := len(e.origin.requests()), e.snapshot()
		out := e.mustCommand(operator{Who: "ann", Why: "a leaked link"}, "recall", "")
		if !strings.Contains(out, fmt.Sprintf("term %d", before.Term+1)) {
			t.Errorf("the answer:\n%s", out)
		}
		pass := e.cookie(in, passPart)
		if got := e.visitor().do("GET", "/", "Accept", "*/*", "Ropeline-Pass", pass); got.StatusCode != http.StatusTooManyRequests {
			t.Errorf("the recalled pass: %d", got.StatusCode)
		}
		if n := len(e.origin.requests()); n != seen {
			t.Errorf("the origin saw %d more requests", n-seen)
		}
		if got := waits.post("knock").json(t); got["index"] != 1.0 || e.cookie(waits, ticketPart) != ticket {
			t.Errorf("whoever waits: %v", got)
		}
		e.admin("recall", fmt.Sprintf(`{"epoch":%d,"term":%d}`, before.Epoch, before.Term)) // the same command again
		if s := e.snapshot(); s.Term != before.Term+1 || s.Epoch != before.Epoch {
			t.Errorf("after a repeated recall: term %d, was %d", s.Term, before.Term)
		}
		if err := adminCall(http.MethodPost, "/ropeline/rooms/main/recall", `{"epoch":7}`); apiStatus(err) != http.StatusConflict {
			t.Errorf("a recall of another epoch: %v", err)
		}
		in.enter("/again")
		if got := in.navigate("/again").want(t, 200); got.Header.Get("Ropeline-Answer") != "" {
			t.Errorf("inside again: %v", got.Header)
		}
		if waits.post("enter").StatusCode != http.StatusConflict { // the slot is the other's
			t.Error("somebody behind was let in first")
		}
		want := fmt.Sprintf("ann term %d -> %d a leaked link", before.Term, before.Term+1)
		var all []string
		for _, r := range e.auditRecords() {
			all = append(all, fmt.Sprintf("%s %s %s -> %s %s", r.Who, r.What, r.Before, r.After, r.Why))
		}
		if !strings.Contains(strings.Join(all, "\n"), want) {
			t.Errorf("not in the audit log: %s\n%s", want, strings.Join(all, "\n"))
		}
	})
}

// AT18: a recall at one edge refuses the passes at every other.
func TestRecallReachesEveryEdge(t *testing.T) {
	store := redistest.Run(t).URL()
	e := newEdge(t, roomWith("rate 1000/s", "cap 5"), store)
	other := e.secondEdge(store)
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	v.navigate("/").want(t, 200)
	out, err := e.operate(operator{}, func(o *operator) error { return o.status("main") })
	if err != nil || !strings.Contains(out, "second: in force, last seen 20") || !strings.Contains(out, "(this one)") {
		t.Errorf("status: %v\n%s", err, out)
	}
	said := "Doors at eight"
	if err := other.Change(t.Context(), line.Change{Message: &said}); err != nil {
		t.Fatal(err)
	}
	e.until("the message is everywhere", func() bool { return strings.Contains(e.visitor().do("GET", reservedPrefix+"main/status").body, said) })
	if err := other.Recall(t.Context(), line.Expect{}); err != nil {
		t.Fatal(err)
	}
	term := other.Snapshot().Term
	e.until("refused here too", func() bool { return v.do("GET", "/", "Accept", "*/*").StatusCode == http.StatusTooManyRequests })
	e.mustCommand(operator{}, "recall", "")
	e.until("known there", func() bool { return other.Snapshot().Term == term+1 })
	e.until("settled", func() bool { return report(e.room()).Settled })
	if _, err := e.command(operator{}, "forget-edge", "edge", "third"); err == nil || !strings.Contains(err.Error(), "second") {
		t.Errorf("an unknown edge: %v", err)
	}
	if err := other.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.until("gone", func() bool { return len(report(e.room()).Edges) == 1 })
}

// W04: after a reset an old ticket is of no line: no old number, no admission, also by a copy of it that was kept; its owner
// joins the new line.
func TestResetByCommand(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 1000/s", "cap 1"), store)
		in, waits := e.visitor(), e.visitor()
		in.navigate("/")
		in.enter("/")
		waits.navigate("/").want(t, 503)
		ticket, pass, before := e.cookie(waits, ticketPart), e.cookie(in, passPart), e.snapshot()
		if _, err := e.command(operator{}, "reset", ""); err == nil || !strings.Contains(err.Error(), "--yes") {
			t.Fatalf("without --yes: %v", err)
		}
		if s := e.snapshot(); s.Epoch != before.Epoch {
			t.Fatal("it was done without --yes")
		}
		e.admin("pause", "")
		e.mustCommand(operator{steps: stepFlags{Yes: true}}, "reset", "")
		if s := e.snapshot(); s.Epoch != before.Epoch+1 || s.Next != 0 || s.State != "paused" {
			t.Fatalf("the new line: epoch %d, next %d, %s", s.Epoch, s.Next, s.State)
		}
		old := e.visitor()
		got := old.do("POST", reservedPrefix+"main/knock", "Ropeline-Ticket", ticket, "Accept", "application/json")
		if got.StatusCode != http.StatusUnauthorized || !strings.Contains(got.body, "unknown_epoch") || strings.Contains(got.body, `"index"`) {
			t.Errorf("the old ticket knocks: %d %s", got.StatusCode, got.body)
		}
		got = old.do("HEAD", "/", "Ropeline-Ticket", ticket, "Ropeline-Pass", pass)
		if got.StatusCode != http.StatusTooManyRequests {
			t.Errorf("the old pass and ticket: %d %s", got.StatusCode, got.body)
		}
		waits.navigate("/").want(t, 503)
		if got := waits.post("knock").json(t); got["index"] != 0.0 || got["epoch"] != float64(before.Epoch+1) {
			t.Errorf("who comes back: %v", got)
		}
		e.admin("resume", "")
		waits.enter("/")
		e.mustCommand(operator{steps: stepFlags{Yes: true, State: "prequeue", OpensAt: "2126-11-30T20:00:00Z"}}, "reset", "")
		if s := e.snapshot(); s.Epoch != before.Epoch+2 || s.State != "prequeue" || s.Settings.OpensAt.Year() != 2126 {
			t.Errorf("a new pre-queue: %+v", s)
		}
		for body, want := range map[string]string{`{"state":"closed"}`: "open or prequeue", `{"opens_at":"2126-11-30T20:00:00Z"}`: "state prequeue",
			`{"state":"prequeue","opens_at":"soon"}`: "2026", `{"state":"prequeue","opens_at":"2006-11-30T20:00:00Z"}`: "time to come"} {
			if err := adminCall(http.MethodPost, "/ropeline/rooms/main/reset", body); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", body, err)
			}
		}
	})
}

// FR16: every log and the store are gone, and a ticket shows that there was a line. The room stops; the plain word is not
// enough, an operator says how to go on, and the ticket's owner has the old place.
func TestResumeWithoutAnyLog(t *testing.T) {
	server := redistest.Run(t)
	e := newEdge(t, roomWith("rate 1000/s", "cap 5", "state paused"), server.URL())
	first, v := e.visitor(), e.visitor()
	first.navigate("/").want(t, 503)
	v.navigate("/").want(t, 503)
	ticket, err := e.room().ring.Load().VerifyTicket(e.cookie(v, ticketPart), "main", e.room().now())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.loadText("{\n\tadmin off\n\tpersist_config off\n}\n"); err != nil { // ends the room
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(e.dir, "rooms")); err != nil {
		t.Fatal(err)
	}
	o, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	db := redis.NewClient(o)
	defer db.Close()
	if err := db.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	loaded := make(chan error, 1)
	go func() { loaded <- e.load(roomWith("rate 1000/s", "cap 5")) }()
	e.until("told of the old line", func() bool {
		// What a request with the ticket does, in the two seconds in which the room is made; Caddy may not listen yet.
		for _, r := range liveRooms() {
			r.line.Seen(ticketToken(ticket))
		}
		return db.HGet(t.Context(), "ropeline:{main}:room", "merging").Val() == "1"
	})
	if err := <-loaded; err != nil {
		t.Fatal(err)
	}
	db.HIncrBy(t.Context(), "ropeline:{main}:room", "merge_at", -61_000_000) // a minute is over
	e.until("stopped", func() bool { return e.snapshot().Reason == "no_checkpoint" })
	v.navigate("/").want(t, 503)
	if _, err := e.command(operator{}, "resume", ""); err == nil || !strings.Contains(err.Error(), "next") {
		t.Fatalf("the plain word: %v", err)
	}
	out, err := e.operate(operator{}, func(o *operator) error { return o.status("main") })
	if err != nil || !strings.Contains(out, "no_checkpoint") || !strings.Contains(out, "ropeline room resume main --next 2 --x 0") {
		t.Fatalf("status: %v\n%s", err, out)
	}
	e.mustCommand(operator{Who: "ann", steps: stepFlags{Next: "100", X: "1"}}, "resume", "")
	e.until("open", func() bool { return e.snapshot().State == "open" })
	if got := v.post("knock").json(t); got["index"] != 1.0 {
		t.Errorf("the old ticket: %v", got)
	}
	late := e.visitor()
	late.navigate("/")
	if got := late.post("knock").json(t); got["index"].(float64) < 100 {
		t.Errorf("a newcomer: %v", got)
	}
	records := e.auditRecords()
	if last := records[len(records)-1]; last.What != whatReason || last.Before != "no_checkpoint" || last.After != "resumed with next 100, x 1" {
		t.Errorf("audit: %+v", last)
	}
	v.enter("/")
}
