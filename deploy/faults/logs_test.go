package faults

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/fleet"
)

// FR15: an old copy of one edge's log, and Redis empty. The edge with the old log comes first: nobody is let in before the
// other has reported, and what only the other knew holds.
func TestStaleLogComesFirst(t *testing.T) {
	w := build(t, setup{edges: 2})
	stale, knows := w.edges[0], w.edges[1]
	early := w.comes(stale, 10)
	w.enters(early[0], stale)
	check(t, os.CopyFS(w.path("old"), os.DirFS(stale.Rooms())))
	late := w.comes(knows, 20)
	for _, v := range append(early[1:], late[:5]...) {
		w.enters(v, knows)
	}
	used := late[0]
	if a, err := used.Post(t.Context(), knows.URL(), "leave"); err != nil || a.Status != 200 {
		t.Fatalf("leave: %+v, %v", a, err)
	}
	stale.Kill()
	knows.Kill()
	check(t, os.RemoveAll(stale.Rooms()))
	check(t, os.Rename(w.path("old"), stale.Rooms()))
	check(t, w.redis.FlushAll(t.Context()).Err())

	check(t, stale.Start(t.Context()))
	w.visits(early[1], stale) // passes need nobody's word
	for range 3 {
		if a, err := late[7].Post(t.Context(), stale.URL(), "enter"); err == nil && a.Status == 200 {
			t.Fatal("somebody entered before the logs were merged")
		}
	}
	if s := must(stale.Status(t.Context()))(t); s.State == "open" {
		t.Error("the room is open with one edge's old log")
	}
	check(t, knows.Start(t.Context()))
	w.until("the room is open again", func() bool { return must(knows.Status(t.Context()))(t).State == "open" })
	fresh := w.joins(stale)
	for _, v := range append(early, late...) {
		if v.Index == fresh.Index {
			t.Fatalf("index %d was given twice", v.Index)
		}
	}
	w.until("a used ticket is used", func() bool {
		a, err := used.Post(t.Context(), stale.URL(), "enter")
		if err == nil && a.Status == 200 {
			t.Fatal("a used ticket entered again")
		}
		return err == nil && a.State == "used"
	})
	w.enters(late[7], stale, knows)
	w.progress(stale, knows)
}

// suggestion is what the status of such a room says to the operator.
var suggestion = regexp.MustCompile(`ropeline room resume main (--next \d+ --x \d+)`)

// FR16: every edge's log and Redis are gone. A ticket shows that there was a line: the room stops until an operator, who is
// told the least values that are safe, resumes it. Tickets are good as before.
func TestEveryMemoryIsGone(t *testing.T) {
	w := build(t, setup{edges: 2})
	people := w.comes(w.edges[0], 10)
	w.enters(people[0], w.edges...)
	// A ticket has to come by in the two seconds in which a room that nobody knows is made. The edges listen from their
	// beginning; only a machine that stands still for those seconds makes it another try.
	told := false
	for try := 0; try < 3 && !told; try++ {
		told = w.wipedOut(people[1:])
		t.Logf("try %d: told %v", try+1, told)
	}
	if !told {
		t.Fatal("no edge listened while the room was made, three times")
	}
	e := w.edges[0]
	check(t, w.redis.HIncrBy(t.Context(), "ropeline:{"+fleet.Room+"}:room", "merge_at", -61_000_000).Err()) // a minute is over
	w.until("the room stops for want of a checkpoint", func() bool {
		out, err := e.Command(t.Context(), "status", fleet.Room, "--json")
		return err == nil && strings.Contains(out, "no_checkpoint")
	})
	for _, v := range people[1:] {
		if a, err := v.Post(t.Context(), e.URL(), "enter"); err == nil && a.Status == 200 {
			t.Fatal("somebody entered a line that nobody remembers")
		}
	}
	if out, err := e.Command(t.Context(), "resume", fleet.Room); err == nil {
		t.Fatalf("a plain resume went through: %s", out)
	}
	out := must(e.Command(t.Context(), "status", fleet.Room))(t)
	said := suggestion.FindStringSubmatch(out)
	if said == nil {
		t.Fatalf("the status does not say how to resume: %s", out)
	}
	args := append([]string{"resume", fleet.Room, "--why", "all logs lost"}, strings.Fields(said[1])...)
	if out, err := e.Command(t.Context(), args...); err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	w.until("the room is open again", func() bool { return must(e.Status(t.Context()))(t).State == "open" })
	fresh := &fleet.Visitor{Told: &w.told}
	w.until("somebody new gets a place", func() bool {
		a, err := fresh.Join(t.Context(), e.URL())
		fresh.Index = a.Index
		return err == nil && a.Index >= 0
	})
	for _, v := range people {
		if v.Index == fresh.Index {
			t.Fatalf("index %d was given twice", v.Index)
		}
	}
	for _, v := range people[1:4] {
		w.enters(v, w.edges...)
	}
	w.allThere(people[4:], w.edges[1])
	w.progress(w.edges...)
}

// wipedOut kills the edges, takes every memory away, and starts them while people come by. It says whether the edges heard of
// the old line before they made a new one.
func (w *world) wipedOut(people []*fleet.Visitor) bool {
	w.t.Helper()
	for _, e := range w.edges {
		e.Kill()
		check(w.t, os.RemoveAll(e.Rooms()))
	}
	check(w.t, w.redis.FlushAll(w.t.Context()).Err())
	for _, e := range w.edges {
		check(w.t, e.Launch())
	}
	merging := func() string {
		return w.redis.HGet(w.t.Context(), "ropeline:{"+fleet.Room+"}:room", "merging").Val()
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		switch merging() {
		case "1": // put together again, not made
			for _, e := range w.edges {
				w.until("the edge listens", func() bool { _, err := e.Status(w.t.Context()); return err == nil })
			}
			return true
		case "0":
			return false
		}
		for i, v := range people[:4] {
			old := &fleet.Visitor{Ticket: v.Ticket} // a new line would give another ticket in exchange
			_, _ = old.Post(w.t.Context(), w.edges[i%len(w.edges)].URL(), "heartbeat")
		}
	}
	return false
}
