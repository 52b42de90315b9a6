package faults

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line/redistest"
	"github.com/ropeline/ropeline/deploy/fleet"
	"github.com/ropeline/ropeline/deploy/stack"
)

// patience bounds every wait: after a fault is healed a minute must do.
const patience = time.Minute

// world is some edges of one room with what is around them.
type world struct {
	t      *testing.T
	dir    string
	bin    string
	redis  *fleet.Redis
	links  []*fleet.Link // from each edge to Redis
	edges  []*fleet.Edge
	origin *fleet.Origin
	told   fleet.Told
	keys   map[string]ed25519.PublicKey
}

// setup of a world.
type setup struct {
	edges  int
	room   []string     // default: rate 20/s, cap 200
	origin http.Handler // nil says hello
	links  bool         // a Link between each edge and Redis
	redis  redistest.Options
	global []string // more lines of the edges' global block
	site   []string // more lines of their site
	proxy  []string // of their reverse_proxy
	aged   bool     // keys that are years old
	bin    string   // another binary than the repository's
}

// program builds the edge once for all tests.
var program = sync.OnceValues(func() (string, error) {
	root, err := stack.Repository()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(root, ".run", "bin")
	return filepath.Join(bin, "ropeline"), stack.Build(context.Background(), stack.Progress{W: os.Stderr}, root, bin, "./caddymodule/cmd/ropeline")
})

// build starts everything. What is not whole at the end, or breaks a promise, fails the test.
func build(t *testing.T, s setup) *world {
	t.Helper()
	t.Parallel()
	w := &world{t: t, dir: t.TempDir(), bin: s.bin}
	if w.bin == "" {
		w.bin = must(program())(t)
	}
	if s.room == nil {
		s.room = []string{"rate 20/s", "cap 200"}
	}
	s.redis.Dir, s.redis.Persistent = w.make("redis"), true
	w.redis = must(fleet.StartRedis(s.redis))(t)
	t.Cleanup(func() { _ = w.redis.End() })
	w.origin = must(fleet.StartOrigin(filepath.Join(w.dir, "record.jsonl"), s.origin))(t)
	check(t, fleet.NewKeys(t.Context(), w.bin, w.path("keys")))
	if s.aged {
		w.ages(w.path("keys"))
	}
	for i := range s.edges {
		store := w.redis.URL()
		if s.links {
			k := must(fleet.NewLink(w.redis.Addr()))(t)
			t.Cleanup(func() { _ = k.Close() })
			w.links = append(w.links, k)
			store = "redis://" + k.Addr() + "/0"
		}
		name := fmt.Sprintf("edge-%d", i+1)
		e := must(fleet.NewEdge(fleet.Config{Name: name, Bin: w.bin, Dir: w.path(name), Keys: w.path("keys"), Store: store,
			Origin: w.origin.Addr(), Room: s.room, Global: s.global, Site: s.site, Proxy: s.proxy}))(t)
		w.edges = append(w.edges, e)
		check(t, e.Start(t.Context()))
	}
	t.Cleanup(w.end)
	for _, e := range w.edges {
		check(t, e.Ready(t.Context()))
	}
	w.keys = must(fleet.PassKeys(t.Context(), w.edges[0].URL()))(t)
	return w
}

// end stops the edges and lets the judge look at what they did.
func (w *world) end() {
	for _, e := range w.edges {
		if err := e.Stop(); err != nil {
			w.t.Error(err)
		}
	}
	if err := w.origin.Stop(); err != nil {
		w.t.Error(err)
	}
	if w.t.Failed() {
		for _, e := range w.edges {
			w.t.Logf("%s:\n%s", e.Name(), e.Tail())
		}
		return
	}
	var grants []string
	for _, e := range w.edges {
		grants = append(grants, e.Grants())
	}
	found, err := fleet.Judge(context.Background(), "T1,Q3,Q4", w.origin, w.keys, &w.told, grants...)
	if err != nil {
		w.t.Error(err)
	}
	for _, f := range found {
		w.t.Errorf("%s: %s %v", f.Invariant, f.What, f.Evidence)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) make(name string) string {
	check(w.t, os.MkdirAll(w.path(name), 0o755))
	return w.path(name)
}

// comes gives n people a place at an edge.
func (w *world) comes(e *fleet.Edge, n int) []*fleet.Visitor {
	w.t.Helper()
	all := make([]*fleet.Visitor, n)
	for i := range all {
		all[i] = w.joins(e)
	}
	return all
}

func (w *world) joins(e *fleet.Edge) *fleet.Visitor {
	w.t.Helper()
	v := &fleet.Visitor{Told: &w.told}
	a, err := v.Join(w.t.Context(), e.URL())
	if err != nil || a.Status != http.StatusTooManyRequests || a.Index < 0 || v.Ticket == "" {
		w.t.Fatalf("join at %s: %+v, %v", e.Name(), a, err)
	}
	return v
}

// enters lets a visitor in, by whichever of the edges.
func (w *world) enters(v *fleet.Visitor, edges ...*fleet.Edge) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	var urls []string
	for _, e := range edges {
		urls = append(urls, e.URL())
	}
	if a, err := v.Enter(ctx, urls...); err != nil {
		w.t.Fatalf("place %d: %v (%+v)", v.Index, err, a)
	}
}

// visits fails the test unless the visitor's pass opens the gate.
func (w *world) visits(v *fleet.Visitor, e *fleet.Edge) {
	w.t.Helper()
	if a, err := v.Visit(w.t.Context(), e.URL()); err != nil || a.Status != http.StatusOK {
		w.t.Errorf("%s refuses the pass of place %d: %+v, %v", e.Name(), v.Index, a, err)
	}
}

// keepsPlace fails the test unless an edge knows the visitor at the index it was given.
func (w *world) keepsPlace(v *fleet.Visitor, e *fleet.Edge) {
	w.t.Helper()
	a, err := v.Post(w.t.Context(), e.URL(), "heartbeat")
	if err != nil || a.Status != http.StatusOK || a.Index != v.Index {
		w.t.Errorf("%s, index %d: %+v, %v", e.Name(), v.Index, a, err)
	}
}

// progress is somebody new who joins and enters.
func (w *world) progress(edges ...*fleet.Edge) {
	w.t.Helper()
	v := &fleet.Visitor{Told: &w.told}
	w.until("somebody new gets a place", func() bool {
		a, err := v.Join(w.t.Context(), edges[0].URL())
		return err == nil && a.Index >= 0
	})
	w.enters(v, edges...)
	w.visits(v, edges[len(edges)-1])
}

// until repeats what a visitor or an operator repeats.
func (w *world) until(what string, f func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if f() {
			return
		}
	}
	w.t.Fatalf("%s: not within %s", what, patience)
}

// allThere waits until the store has every visitor at its index, each sending the heartbeats of its page, and fails if an
// index has two owners.
func (w *world) allThere(people []*fleet.Visitor, e *fleet.Edge) {
	w.t.Helper()
	w.until("everybody is in the line again", func() bool {
		have := must(w.redis.Line(w.t.Context()))(w.t)
		owners, at := map[int64]string{}, map[int64]bool{}
		for vid, index := range have {
			if owners[index] != "" {
				w.t.Fatalf("index %d is both %s's and %s's", index, owners[index], vid)
			}
			owners[index], at[index] = vid, true
		}
		whole := true
		for _, v := range people {
			if !at[v.Index] {
				whole = false
				_, _ = v.Post(w.t.Context(), e.URL(), "heartbeat")
			}
		}
		return whole
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must is for what has to work for the test to be one.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		check(t, err)
		return v
	}
}
