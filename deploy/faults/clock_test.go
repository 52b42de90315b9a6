package faults

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line/redistest"
	"github.com/ropeline/ropeline/deploy/fleet"
)

// strayed is a world whose Redis lives by another clock than the edges.
func strayed(t *testing.T, ahead time.Duration) (*world, *fleet.Clock) {
	t.Helper()
	c := must(fleet.NewClock(t.TempDir(), ahead))(t)
	w := build(t, setup{edges: 2, redis: redistest.Options{Env: must(c.Env())(t)}, global: []string{"metrics"}, aged: true})
	w.origin.Shift = c.At
	w.shows(ahead)
	return w, c
}

var keyBegins = regexp.MustCompile(`"not_before":\s*"[^"]*"`)

// ages makes keys old, so that one signs by whatever clock.
func (w *world) ages(dir string) {
	w.t.Helper()
	for _, f := range must(filepath.Glob(filepath.Join(dir, "*.json")))(w.t) {
		text := must(os.ReadFile(f))(w.t)
		if !keyBegins.Match(text) {
			w.t.Fatalf("%s does not say since when it signs", f)
		}
		check(w.t, os.WriteFile(f, keyBegins.ReplaceAll(text, []byte(`"not_before": "2020-01-01T00:00:00Z"`)), 0o600))
	}
}

// near is how exactly a test has to see a difference of clocks on a busy machine.
const near = time.Second

// shows waits until Redis says a time that is so much ahead, which proves that its clock really is another.
func (w *world) shows(ahead time.Duration) {
	w.t.Helper()
	w.until(fmt.Sprintf("Redis' clock is %s ahead", ahead), func() bool {
		at := must(w.redis.Time(w.t.Context()).Result())(w.t)
		return (time.Until(at) - ahead).Abs() < near
	})
}

var skewMetric = regexp.MustCompile(`(?m)^ropeline_clock_skew_seconds\{room="main"\} (\S+)$`)

// measures waits until an edge's metric says how far its clock is ahead.
func (w *world) measures(e *fleet.Edge, ahead time.Duration) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s says that its clock is %s ahead", e.Name(), ahead), func() bool {
		resp, err := http.Get(e.Admin() + "/metrics")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		m := skewMetric.FindSubmatch(must(io.ReadAll(resp.Body))(w.t))
		if m == nil {
			return false
		}
		said := must(strconv.ParseFloat(string(m[1]), 64))(w.t)
		return (time.Duration(said*float64(time.Second)) - ahead).Abs() < near
	})
}

// warnings counts how often an edge's log tells that the clocks differ.
func (w *world) warnings(e *fleet.Edge) int {
	w.t.Helper()
	return strings.Count(string(must(os.ReadFile(e.Log()))(w.t)), "clock and the store's differ")
}

// serves is a line as ever: people join at one edge and enter by both, their passes open both gates, the judge looks on.
func (w *world) serves() {
	w.t.Helper()
	people := w.comes(w.edges[0], 20)
	for _, v := range people[:8] {
		w.enters(v, w.edges...)
		w.visits(v, w.edges[0])
		w.visits(v, w.edges[1])
	}
	for _, v := range people[8:] {
		w.keepsPlace(v, w.edges[1])
	}
	w.progress(w.edges...)
}

// FE9: the edges' clocks are an hour or a year off the store's. They serve by the store's, say so once, and measure it.
func TestEdgeClockIsOff(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"behind": time.Hour, "ahead": -time.Hour, "year": -400 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w, _ := strayed(t, ahead)
			w.serves()
			for _, e := range w.edges {
				w.measures(e, -ahead)
				w.until("the log tells of it", func() bool { return w.warnings(e) > 0 })
				if n := w.warnings(e); n != 1 {
					t.Errorf("%s warns %d times", e.Name(), n)
				}
			}
		})
	}
}

// FE10: 1.5 s are within what clocks may differ. Nobody notices.
func TestEdgeClockIsALittleOff(t *testing.T) {
	w, _ := strayed(t, 1500*time.Millisecond)
	w.serves()
	for _, e := range w.edges {
		w.measures(e, -1500*time.Millisecond)
		if n := w.warnings(e); n != 0 {
			t.Errorf("%s warns %d times", e.Name(), n)
		}
	}
}

// FR11: the store's clock jumps while people wait and are inside. No session ends early, nobody comes early, order stays.
func TestStoreClockJumps(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"forward": time.Hour, "back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			w, c := strayed(t, 0)
			people := w.comes(w.edges[0], 40)
			inside := people[:5]
			for _, v := range inside {
				w.enters(v, w.edges...)
				w.visits(v, w.edges[0])
			}
			check(t, c.Set(ahead))
			w.shows(ahead)
			for _, e := range w.edges {
				w.measures(e, -ahead)
			}
			for _, v := range inside { // their slots are theirs: the ticket gives a pass of the new time at once
				if a, err := v.Post(t.Context(), w.edges[1].URL(), "enter"); err != nil || a.Status != http.StatusOK {
					t.Errorf("index %d is not inside any more: %+v, %v", v.Index, a, err)
				}
			}
			for _, v := range people[5:] {
				w.keepsPlace(v, w.edges[1])
			}
			for _, v := range people[5:10] {
				w.enters(v, w.edges...)
				w.visits(v, w.edges[1])
			}
			w.progress(w.edges...)
		})
	}
}
