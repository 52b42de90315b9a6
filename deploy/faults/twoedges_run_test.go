package faults

import (
	"context"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/fleet"
)

// TestTwoEdges runs the files of deploy/twoedges and takes down its parts in turn: an edge in order (FE6) and by kill -9, and
// the primary Redis while people join (FR4). Everything goes through the balancer, as visitors do.
func TestTwoEdges(t *testing.T) {
	t.Parallel()
	s := openSite(t)
	var told fleet.Told
	var people []*fleet.Visitor
	join := func(v *fleet.Visitor) bool {
		a, err := v.Join(t.Context(), s.url())
		return err == nil && a.Index >= 0
	}
	newcomer := func() *fleet.Visitor {
		t.Helper()
		v := &fleet.Visitor{Told: &told}
		s.until("a place", func() bool { return join(v) })
		return v
	}
	enters := func(v *fleet.Visitor) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if a, err := v.Enter(ctx, s.url()); err != nil {
			t.Fatalf("index %d: %v (%+v)", v.Index, err, a)
		}
	}
	visits := func(v *fleet.Visitor) {
		t.Helper()
		if a, err := v.Visit(t.Context(), s.url()); err != nil || a.Status != http.StatusOK {
			t.Errorf("index %d is not inside: %+v, %v", v.Index, a, err)
		}
	}
	for range 30 {
		people = append(people, newcomer())
	}
	inside := people[:3]
	for _, v := range inside {
		enters(v)
	}
	keys := must(fleet.PassKeys(t.Context(), s.url()))(t)

	// FE6: `systemctl restart` of one edge under load.
	stop := s.load(inside[0])
	check(t, s.children["edge-21"].Stop())
	s.startEdge("21")
	if good, bad, last := stop(); bad > 0 || good == 0 {
		t.Errorf("a restart in order cost %d of %d requests; the last: %+v", bad, good+bad, last)
	}

	// FE1 behind a balancer: one edge dies. What was on its connections breaks; the next request is served.
	s.children["edge-22"].Kill()
	for _, v := range people[3:8] {
		s.until("served by the other edge", func() bool {
			a, err := v.Post(t.Context(), s.url(), "heartbeat")
			if err == nil && a.Status == http.StatusOK && a.Index != v.Index {
				t.Fatalf("index %d became %d", v.Index, a.Index)
			}
			return err == nil && a.Status == http.StatusOK
		})
	}
	visits(inside[1])
	enters(people[3])
	s.startEdge("22")

	// FR4: the primary is killed while people join. It comes back as a replica.
	before := s.primary()
	joining, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for joining.Err() == nil {
				v := &fleet.Visitor{Told: &told, Index: -1}
				if a, err := v.Join(joining, s.url()); err == nil && a.Index >= 0 {
					mu.Lock()
					people = append(people, v)
					mu.Unlock()
				}
				time.Sleep(5 * time.Millisecond) // eight pages that are opened again and again
			}
		})
	}
	s.until("people join", func() bool { mu.Lock(); defer mu.Unlock(); return len(people) > 60 })
	s.children["redis-"+before].Kill()
	s.until("the replica is primary", func() bool { now := s.primary(); return now != "" && now != before })
	visits(inside[2])
	s.startRedis(before)
	mu.Lock()
	had := len(people)
	mu.Unlock()
	s.until("people join again", func() bool { mu.Lock(); defer mu.Unlock(); return len(people) > had+20 })
	cancel()
	all.Wait()

	owners := map[int64]*fleet.Visitor{}
	for _, v := range people {
		if owners[v.Index] != nil {
			t.Errorf("index %d was given twice", v.Index)
		}
		owners[v.Index] = v
	}
	for _, v := range people[4:] {
		a, err := v.Post(t.Context(), s.url(), "heartbeat")
		if err != nil || a.Status != http.StatusOK || a.Index != v.Index {
			t.Errorf("index %d after the failover: %+v, %v", v.Index, a, err)
		}
	}
	for _, v := range people[4:8] {
		enters(v)
		visits(v)
	}
	v := newcomer()
	enters(v)
	visits(v)

	for _, name := range []string{"balancer", "edge-21", "edge-22"} {
		check(t, s.children[name].Stop())
	}
	s.judged = true
	check(t, s.origin.Stop())
	grants := []string{filepath.Join(s.dir, "edge-21", "grants.jsonl"), filepath.Join(s.dir, "edge-22", "grants.jsonl")}
	found, err := fleet.Judge(t.Context(), "T1,Q3,Q4", s.origin, keys, &told, grants...)
	check(t, err)
	for _, f := range found {
		t.Errorf("%s: %s %v", f.Invariant, f.What, f.Evidence)
	}
}

// load sends requests through the balancer until it is stopped.
func (s *site) load(inside *fleet.Visitor) (stop func() (good, bad int64, last fleet.Answer)) {
	ctx, cancel := context.WithCancel(s.t.Context())
	var good, bad atomic.Int64
	var last atomic.Value
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			in := *inside
			in.Told = nil
			for ctx.Err() == nil {
				a, err := in.Visit(ctx, s.url())
				if i%2 == 0 {
					a, err = new(fleet.Visitor).Do(ctx, http.MethodGet, s.url()+fleet.Reserved+"status")
				}
				switch {
				case ctx.Err() != nil:
				case err == nil && a.Status == http.StatusOK:
					good.Add(1)
				default:
					bad.Add(1)
					last.Store(a)
				}
			}
		})
	}
	return func() (int64, int64, fleet.Answer) {
		cancel()
		all.Wait()
		a, _ := last.Load().(fleet.Answer)
		return good.Load(), bad.Load(), a
	}
}
