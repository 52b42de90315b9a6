package faults

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/fleet"
)

// FE1: one of two edges is killed under load. The other serves everybody: same place, no queueing again for who is inside.
func TestOneOfTwoEdgesIsKilled(t *testing.T) {
	w := build(t, setup{edges: 2, site: accessLog})
	a, b := w.edges[0], w.edges[1]
	people := w.comes(a, 40)
	inside := people[:5]
	for _, v := range inside {
		w.enters(v, a)
	}
	load := w.busy(b, w.joins(a), inside[0])
	a.Kill()
	for _, v := range people[5:] {
		w.keepsPlace(v, b)
	}
	for _, v := range inside {
		w.visits(v, b)
	}
	for _, v := range people[5:12] {
		w.enters(v, b)
	}
	w.progress(b)
	load.stop(w, "with the other edge gone")
	check(t, a.Start(t.Context())) // and back: what it had decided and not written down is written now
	w.until("the edge that was killed knows the room", func() bool { return must(a.Status(t.Context()))(t).State == "open" })
	w.progress(a)
}

// FE2: the only edge is killed and starts again while Redis cannot be asked. Every ticket and pass is good as before.
func TestTheOnlyEdgeIsKilled(t *testing.T) {
	w := build(t, setup{edges: 1, links: true})
	e := w.edges[0]
	people := w.comes(e, 20)
	for _, v := range people[:3] {
		w.enters(v, e)
	}
	e.Kill()
	w.links[0].Refuse()
	began := time.Now()
	check(t, e.Start(t.Context()))
	w.until("passes open the gate without Redis", func() bool {
		a, err := people[0].Visit(t.Context(), e.URL())
		return err == nil && a.Status == http.StatusOK
	})
	t.Logf("down for %s", time.Since(began).Round(time.Millisecond))
	for _, v := range people[:3] {
		w.visits(v, e)
	}
	for _, v := range people[3:] {
		w.keepsPlace(v, e)
	}
	w.links[0].Heal()
	w.enters(people[3], e)
	w.progress(e)
}

// slowly answers after the client was let go on, so that requests are in flight while something happens.
func slowly(release <-chan struct{}, arrived chan<- struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			arrived <- struct{}{}
			<-release
		}
		_, _ = w.Write([]byte("hello\n"))
	})
}

// FE4: a reload under waiting people, open requests and load. Nobody's place and no request is lost; the new rate holds.
func TestReloadLosesNothing(t *testing.T) {
	release, arrived := make(chan struct{}), make(chan struct{}, 20)
	w := build(t, setup{edges: 1, site: accessLog, origin: slowly(release, arrived)})
	e := w.edges[0]
	people := w.comes(e, 60)
	w.enters(people[0], e)
	open := make(chan fleet.Answer, cap(arrived))
	for range cap(arrived) {
		go func() {
			v := *people[0]
			v.Told = nil
			a, err := v.Do(t.Context(), http.MethodGet, e.URL()+"/slow")
			if err != nil {
				t.Error(err)
			}
			open <- a
		}()
	}
	for range cap(arrived) {
		<-arrived
	}
	load := w.busy(e, w.joins(e), people[0])
	check(t, e.Write("rate 15/s", "cap 150", "title Reloaded"))
	if out, err := e.Reload(t.Context()); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.until("the new rate", func() bool { return must(e.Status(t.Context()))(t).Rate == 15 })
	close(release)
	for range cap(arrived) {
		if a := <-open; a.Status != http.StatusOK {
			t.Errorf("a request that was open during the reload: %+v", a)
		}
	}
	load.stop(w, "around the reload")
	for _, v := range people[1:] {
		w.keepsPlace(v, e)
	}
	w.progress(e)
}

// FE5: a configuration that does not load. The command fails, the old one serves, no request notices.
func TestReloadOfABrokenFile(t *testing.T) {
	w := build(t, setup{edges: 1, site: accessLog})
	e := w.edges[0]
	people := w.comes(e, 10)
	w.enters(people[0], e)
	load := w.busy(e, w.joins(e), people[0])
	check(t, e.Write("rate twenty", "cap 150"))
	out, err := e.Reload(t.Context())
	if err == nil || !strings.Contains(out, "twenty") {
		t.Errorf("reload of a broken file: %v, %s", err, out)
	}
	load.stop(w, "around the reload that failed")
	if s := must(e.Status(t.Context()))(t); s.Rate != 20 {
		t.Errorf("the rate is %v, want the old 20", s.Rate)
	}
	w.progress(e)
}

// FE17: without its keys an edge does not start, and says why; keys that become unreadable later are kept as they were read,
// and the log says so.
func TestKeysAreGone(t *testing.T) {
	w := build(t, setup{edges: 2})
	e, other := w.edges[0], w.edges[1]
	people := w.comes(e, 5)
	w.enters(people[0], e)
	keys := w.path("keys")
	files := must(filepath.Glob(filepath.Join(keys, "*.json")))(t)
	aside := w.make("aside")
	for _, f := range files {
		check(t, os.Rename(f, filepath.Join(aside, filepath.Base(f))))
	}
	w.until("the running edge says that it cannot read its keys", func() bool {
		text := must(os.ReadFile(e.Log()))(t)
		return strings.Contains(string(text), "keys")
	})
	w.visits(people[0], e)
	w.keepsPlace(people[1], e)

	check(t, other.Stop())
	check(t, other.Launch())
	select {
	case <-other.Done():
	case <-time.After(patience):
		t.Fatal("an edge without keys runs")
	}
	if !strings.Contains(other.Tail(), "keys") {
		t.Errorf("it does not say why it ended:\n%s", other.Tail())
	}
	for _, f := range files {
		check(t, os.Rename(filepath.Join(aside, filepath.Base(f)), f))
	}
	check(t, other.Start(t.Context()))
	check(t, other.Ready(t.Context()))
	w.visits(people[0], other)
	w.progress(e, other)
}
