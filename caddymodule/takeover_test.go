package caddymodule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/line/redistest"
)

// A reload that names another store takes the line there: whoever waits keeps the place, whoever is inside the pass, and a
// configuration that does not load changes nothing.
func TestReloadWithAnotherStore(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s", "cap 1"), "")
	in, waits := e.visitor(), e.visitor()
	in.navigate("/")
	in.enter("/")
	waits.navigate("/").want(t, 503)
	before := e.snapshot()
	e.global = "store " + redistest.Run(t).URL()
	if err := e.loadText(strings.Replace(e.config(roomWith("rate 1000/s", "cap 1")), "bind unix/"+e.sock, "bind unix//nowhere/at/all", 1)); err == nil {
		t.Fatal("a broken configuration was taken")
	}
	in.navigate("/").want(t, 200)
	if s := e.snapshot(); s.Gen != before.Gen || s.Stale {
		t.Fatalf("a broken reload harmed the room: %+v", s)
	}
	for _, store := range []string{redistest.Run(t).URL(), "embedded"} {
		gen := e.snapshot().Gen
		e.global = "store " + store
		if err := e.load(roomWith("rate 1000/s", "cap 1")); err != nil {
			t.Fatal(err)
		}
		e.until("open at the other store", func() bool { s := e.snapshot(); return s.State == "open" && s.Gen != gen && !s.Stale })
		in.navigate("/").want(t, 200)
		if got := waits.post("knock").json(t); got["index"] != 1.0 || got["epoch"] != float64(before.Epoch) {
			t.Fatalf("at %s whoever waits has %v", store, got)
		}
		if got := waits.post("enter"); got.StatusCode != 409 {
			t.Fatalf("at %s a second one is in at cap 1: %s", store, got.body)
		}
	}
	in.post("leave").want(t, 200)
	waits.enter("/")
}

// The grant log goes on where it ended: an event that it has does not come again after a crash, and a line that a crash tore
// is cut off.
func TestGrantLogGoesOnAfterARestart(t *testing.T) {
	server := redistest.Run(t)
	path := filepath.Join(t.TempDir(), "grants.jsonl")
	e := newEdge(t, roomWith("rate 1000/s", "cap 5", "grant_log "+path), server.URL())
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	edge := e.snapshot().Edges[0]
	if err := e.loadText("{\n\tadmin off\n\tpersist_config off\n}\n"); err != nil {
		t.Fatal(err)
	}
	kept := grantSeqs(t, path)
	last := kept[len(kept)-1]
	o, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	db := redis.NewClient(o)
	defer db.Close()
	// As a crash between writing and acknowledging leaves it.
	old := fmt.Sprintf("%d 1796079690000000 5000000 1796079690 1 x - - - 9 - - -", last)
	db.RPush(t.Context(), "ropeline:{main}:out:"+edge, old)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, `{"seq":%d,"room":"other"}`+"\n"+`{"seq":%d,"room":"ma`, last+100, last+1)
	f.Close()
	if err := e.load(roomWith("rate 1000/s", "cap 5", "grant_log "+path)); err != nil {
		t.Fatal(err)
	}
	w := e.visitor()
	w.navigate("/")
	w.enter("/")
	seen := map[int64]int{}
	for _, seq := range grantSeqs(t, path) {
		if seen[seq]++; seen[seq] > 1 {
			t.Errorf("event %d is in the log twice", seq)
		}
	}
	if len(seen) <= len(kept) {
		t.Errorf("%d events after the restart, %d before", len(seen), len(kept))
	}
}

func grantSeqs(t *testing.T, path string) (out []int64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for l := range bytes.Lines(b) {
		var e line.Event
		if err := json.Unmarshal(l, &e); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		if e.Room == "main" {
			out = append(out, e.Seq)
		}
	}
	return out
}

func TestLastGrantLooksFarBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.jsonl")
	var b bytes.Buffer
	fmt.Fprintln(&b, `{"seq":7,"room":"first"}`)
	fmt.Fprintln(&b, `{"seq":8,"room":"main"}`)
	for i := range 5000 {
		fmt.Fprintf(&b, `{"seq":%d,"room":"other","reason":"%s"}`+"\n", i, strings.Repeat("x", 40))
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for room, want := range map[string]int64{"first": 7, "main": 8, "other": 4999, "none": 0} {
		if got, err := lastGrant(path, room); err != nil || got != want {
			t.Errorf("%s: %d %v, want %d", room, got, err, want)
		}
	}
}
