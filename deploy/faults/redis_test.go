package faults

import (
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/fleet"
)

// FR1: Redis ends and its last second is gone. Who joined in it comes back by ticket, at the old index, and nobody new gets it.
func TestRedisLosesItsLastSecond(t *testing.T) {
	w := build(t, setup{edges: 2})
	early := w.comes(w.edges[0], 20)
	appended := filepath.Join(w.path("redis"), "appendonlydir")
	before := sizes(t, appended)
	late := w.comes(w.edges[1], 20)
	check(t, w.redis.Stop())
	cut(t, appended, before)
	check(t, w.redis.Restart())
	if have := must(w.redis.Line(t.Context()))(t); len(have) >= len(early)+len(late) {
		t.Fatalf("Redis still has %d people: nothing was cut off", len(have))
	}
	w.until("a new place", func() bool {
		a, err := new(fleet.Visitor).Join(t.Context(), w.edges[0].URL())
		return err == nil && a.Index >= 0
	})
	fresh := w.comes(w.edges[0], 10)
	w.allThere(append(append(early, late...), fresh...), w.edges[1])
	for _, v := range late[:3] {
		w.enters(v, w.edges...)
	}
	w.progress(w.edges...)
}

// sizes of the append-only files.
func sizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for _, e := range must(os.ReadDir(dir))(t) {
		out[e.Name()] = must(e.Info())(t).Size()
	}
	return out
}

// cut takes off what was appended since.
func cut(t *testing.T, dir string, to map[string]int64) {
	t.Helper()
	for name, size := range to {
		if filepath.Ext(name) == ".aof" {
			check(t, os.Truncate(filepath.Join(dir, name), size))
		}
	}
}

// FR3: FLUSHALL while people wait and are inside. FR14: a ticket that was used before stays used.
func TestRedisForgetsEverything(t *testing.T) {
	w := build(t, setup{edges: 2})
	people := w.comes(w.edges[0], 60)
	for _, v := range people[:5] {
		w.enters(v, w.edges...)
	}
	left := people[0]
	if a, err := left.Post(t.Context(), w.edges[0].URL(), "leave"); err != nil || a.Status != http.StatusOK {
		t.Fatalf("leave: %+v, %v", a, err)
	}
	check(t, w.redis.FlushAll(t.Context()).Err())
	for _, v := range people[1:5] {
		w.visits(v, w.edges[1])
	}
	w.allThere(people[5:], w.edges[1])
	w.until("the ticket of a place that was used", func() bool {
		a, err := left.Post(t.Context(), w.edges[1].URL(), "enter")
		if err == nil && a.Status == http.StatusOK {
			t.Fatal("a used ticket entered again")
		}
		return err == nil && a.State == "used"
	})
	for _, v := range people[5:10] {
		w.enters(v, w.edges...)
	}
	w.progress(w.edges...)
}

// FR6: the server comes back with an empty disk. What it says is not believed: the edges put the room together again.
func TestRedisComesBackEmpty(t *testing.T) {
	w := build(t, setup{edges: 2})
	people := w.comes(w.edges[0], 30)
	w.enters(people[0], w.edges...)
	x := must(w.edges[0].Status(t.Context()))(t).X1
	check(t, w.redis.Kill())
	check(t, w.redis.Forget())
	check(t, w.redis.Restart())
	w.visits(people[0], w.edges[1])
	w.allThere(people[1:], w.edges[0])
	if now := must(w.edges[1].Status(t.Context()))(t); now.X1 < x {
		t.Errorf("X fell from %d to %d", x, now.X1)
	}
	w.enters(people[1], w.edges...)
	w.progress(w.edges...)
}

// FR7: Redis has no memory left. Nobody new gets a place; who waits is answered, and who is called enters.
func TestRedisIsFull(t *testing.T) {
	w := build(t, setup{edges: 1})
	people := w.comes(w.edges[0], 10)
	check(t, w.redis.ConfigSet(t.Context(), "maxmemory-policy", "noeviction").Err())
	check(t, w.redis.ConfigSet(t.Context(), "maxmemory", "1mb").Err())
	v := &fleet.Visitor{Told: &w.told}
	w.until("a join is refused with 503", func() bool {
		a, err := v.Join(t.Context(), w.edges[0].URL())
		return err == nil && a.Status == http.StatusServiceUnavailable && a.RetryAfter != ""
	})
	for _, p := range people {
		w.keepsPlace(p, w.edges[0])
	}
	w.enters(people[0], w.edges[0])
	w.visits(people[0], w.edges[0])
	check(t, w.redis.ConfigSet(t.Context(), "maxmemory", "0").Err())
	w.until("the refused one gets a place", func() bool {
		a, err := v.Join(t.Context(), w.edges[0].URL())
		v.Index = a.Index
		return err == nil && a.Index >= 0
	})
	w.enters(v, w.edges[0])
	w.progress(w.edges[0])
}

// frozen is longer than any call's patience and than a status is held for.
const frozen = 4 * time.Second

// FR10: Redis hangs and goes on. Nobody new is let in meanwhile, who is in works on, and what was under way counts once.
func TestRedisHangs(t *testing.T) {
	w := build(t, setup{edges: 2})
	people := w.comes(w.edges[0], 40)
	w.enters(people[0], w.edges...)
	pid := int(must(w.redis.Number(t.Context(), "server", "process_id"))(t))
	check(t, syscall.Kill(pid, syscall.SIGSTOP))
	began := time.Now()
	asked := make(chan fleet.Answer, 20)
	for _, v := range people[1:21] {
		go func() {
			a, _ := v.Post(t.Context(), w.edges[1].URL(), "enter")
			asked <- a
		}()
	}
	for time.Since(began) < frozen {
		w.visits(people[0], w.edges[0])
		time.Sleep(200 * time.Millisecond)
	}
	w.until("the room says that nobody moves", func() bool { return must(w.edges[0].Status(t.Context()))(t).State == "merging" })
	check(t, syscall.Kill(pid, syscall.SIGCONT))
	for range 20 {
		<-asked
	}
	for _, v := range people[1:21] {
		w.enters(v, w.edges...)
		w.visits(v, w.edges[0])
	}
	w.progress(w.edges...)
}
