package faults

import (
	"net/http"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/fleet"
)

// FE11: one edge is cut off from Redis. It lets nobody new in and gives no place, tells people to come again, and serves who
// is inside; the other edge goes on.
func TestEdgeIsCutOffFromRedis(t *testing.T) {
	w := build(t, setup{edges: 2, links: true})
	cut, other := w.edges[0], w.edges[1]
	people := w.comes(cut, 30)
	w.enters(people[0], cut)
	w.links[0].Cut()
	w.until("the edge says that nobody moves", func() bool { return must(cut.Status(t.Context()))(t).State == "merging" })
	w.visits(people[0], cut)
	v := &fleet.Visitor{Told: &w.told}
	a, err := v.Join(t.Context(), cut.URL())
	if err != nil || a.Status != http.StatusServiceUnavailable || a.RetryAfter == "" || v.Ticket == "" {
		t.Errorf("a join while the store is away: %+v, %v, ticket %q", a, err, v.Ticket)
	}
	if a, err := people[1].Post(t.Context(), cut.URL(), "enter"); err != nil || a.Status == http.StatusOK || people[1].Pass != "" {
		t.Errorf("enter while the store is away: %+v, %v", a, err)
	}
	w.keepsPlace(people[2], cut)
	w.enters(people[3], other)
	w.progress(other)
	w.links[0].Heal()
	w.until("who came meanwhile gets a place", func() bool {
		a, err := v.Join(t.Context(), cut.URL())
		v.Index = a.Index
		return err == nil && a.Index >= 0
	})
	w.enters(people[1], cut)
	w.enters(v, cut)
	w.progress(cut, other)
}

// FE12: the origin cannot be reached. Who is inside is told so, keeps the pass and the session, and goes on afterwards.
func TestEdgeIsCutOffFromTheOrigin(t *testing.T) {
	w := build(t, setup{edges: 1})
	e := w.edges[0]
	k := must(fleet.NewLink(w.origin.Addr()))(t)
	t.Cleanup(func() { _ = k.Close() })
	check(t, e.Point(k.Addr(), "rate 20/s", "cap 200"))
	if out, err := e.Reload(t.Context()); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	people := w.comes(e, 5)
	w.enters(people[0], e)
	w.visits(people[0], e)
	k.Refuse()
	pass := people[0].Pass
	for range 3 {
		if a, err := people[0].Visit(t.Context(), e.URL()); err != nil || a.Status != http.StatusBadGateway {
			t.Errorf("with the origin away: %+v, %v, want 502", a, err)
		}
	}
	w.keepsPlace(people[4], e)
	k.Heal()
	if people[0].Pass != pass {
		t.Error("the pass changed by itself")
	}
	w.visits(people[0], e)
	w.progress(e)
}

// FE14: Redis answers late. Waiting people are answered from memory; a join that was not answered in time was made once or
// not at all, and the same visitor's next try gets the one index.
func TestRedisIsSlow(t *testing.T) {
	w := build(t, setup{edges: 1, links: true})
	e := w.edges[0]
	people := w.comes(e, 20)
	w.enters(people[0], e)
	w.links[0].Slow(1200 * time.Millisecond) // there and back: longer than the edge waits for an answer
	joined := make(chan *fleet.Visitor, 12)
	for range cap(joined) {
		go func() {
			v := &fleet.Visitor{Index: -1, Told: &w.told}
			a, err := v.Join(t.Context(), e.URL())
			if err != nil || a.Status != http.StatusServiceUnavailable && a.Status != http.StatusTooManyRequests || v.Ticket == "" {
				t.Errorf("a slow join: %+v, %v", a, err)
			}
			joined <- v
		}()
	}
	began := time.Now()
	for _, v := range people[5:] {
		w.keepsPlace(v, e)
	}
	t.Logf("15 heartbeats took %s", time.Since(began))
	w.visits(people[0], e)
	var late []*fleet.Visitor
	for range cap(joined) {
		late = append(late, <-joined)
	}
	w.links[0].Heal()
	for _, v := range late {
		w.until("a late join has its place", func() bool {
			a, err := v.Join(t.Context(), e.URL())
			if err == nil && a.Index >= 0 && v.Index >= 0 && a.Index != v.Index {
				t.Fatalf("two indexes, %d and %d", v.Index, a.Index)
			}
			v.Index = a.Index
			return err == nil && a.Index >= 0
		})
	}
	have := must(w.redis.Line(t.Context()))(t)
	if len(have) != len(people)+len(late) {
		t.Errorf("%d people in the line, want %d: a join was made twice", len(have), len(people)+len(late))
	}
	w.allThere(append(people, late...), e)
	w.enters(late[0], e)
	w.progress(e)
}
