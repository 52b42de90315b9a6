package readpath

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ropeline/ropeline/seatmap"
)

// Whatever is committed, expires, is lost on the way or is looked at in whatever
// order: every edition shows exactly what its version says, versions only grow, and
// a reader that follows deltas sees what one with snapshots sees.
func TestEveryEditionShowsWhatItsVersionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := newTruth("a")
		s := newShelf(tr)
		var reader *seatmap.Map
		t.Repeat(map[string]func(*rapid.T){
			"commit": func(t *rapid.T) {
				n := News{Seats: []SeatNews{{rapid.IntRange(1, 13).Draw(t, "seat"), Seat{seatmap.State(rapid.IntRange(0, 3).Draw(t, "state")),
					tr.clock().Add(time.Duration(rapid.IntRange(-500, 5000).Draw(t, "ms")) * time.Millisecond)}}}}
				if rapid.Bool().Draw(t, "counter too") {
					n.Counters = []Free{{5, int64(rapid.IntRange(0, 200).Draw(t, "left"))}}
				}
				tr.commit("a", n)
			},
			"time passes": func(t *rapid.T) { tr.pass(time.Duration(rapid.IntRange(1, 40_000).Draw(t, "ms")) * time.Millisecond) },
			"news lost":   func(t *rapid.T) { tr.forgetNews("a") },
			"round":       func(t *rapid.T) { must(t, s.Step(t.Context())) },
			"look": func(t *rapid.T) {
				e, err := s.Latest(t.Context(), "a")
				must(t, err)
				states, err := seatmap.Unpack(e.Map.States, e.Map.Seats)
				must(t, err)
				if want := tr.seen("a", e.Map.Version); !slices.Equal(states, want) {
					t.Fatalf("version %s shows %v, want %v", e.Map.Version, states, want)
				}
				if reader == nil {
					reader = clone(e.Map)
				}
				if e.Map.Version.Compare(reader.Version) < 0 {
					t.Fatalf("version %s after %s", e.Map.Version, reader.Version)
				}
				body, err := s.boards["a"].since(e, reader.Version, false)
				must(t, err)
				if body == nil {
					reader = clone(e.Map)
					return
				}
				d, err := seatmap.DecodeDelta(body.raw)
				must(t, err)
				must(t, reader.Apply(d))
				if fmt.Sprint(reader) != fmt.Sprint(clone(e.Map)) {
					t.Fatalf("deltas led to %v, the snapshot is %v", reader, e.Map)
				}
			},
		})
		// At rest everything committed is seen.
		_, err := s.Latest(t.Context(), "a")
		must(t, err)
		tr.pass(MaxLife)
		must(t, s.Step(t.Context()))
		if e, _ := s.Latest(t.Context(), "a"); e.Map.Version.V != tr.halls["a"].facts.V {
			t.Fatalf("at rest at version %s, want %d", e.Map.Version, tr.halls["a"].facts.V)
		}
	})
}

func TestCrowdAtAColdMapIsOneLoad(t *testing.T) {
	tr := newTruth("a")
	release := make(chan struct{})
	tr.before = func() { <-release }
	s := newShelf(tr)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if _, err := s.Latest(t.Context(), "a"); err != nil {
				t.Error(err)
			}
		})
	}
	close(release)
	wg.Wait()
	if n := tr.loads.Load(); n != 1 {
		t.Errorf("%d loads for 200 readers, want 1", n)
	}
}

func TestReadersCostTheSourceNothing(t *testing.T) {
	tr := newTruth("a", "b", "c")
	s := newShelf(tr)
	for range 1000 {
		for _, event := range []string{"a", "b", "c"} {
			latest(t, s, event)
		}
	}
	for range 10 {
		tr.pass(Round)
		step(t, s)
	}
	if s.Loads() != 3 || s.Rounds() != 10 {
		t.Errorf("%d loads and %d questions for 3,000 looks at 3 events in 10 rounds, want 3 and 10", s.Loads(), s.Rounds())
	}
}

func TestWrongAddressIsAskedForOnceASecond(t *testing.T) {
	tr := newTruth("a")
	s := newShelf(tr)
	for range 50 {
		if _, err := s.Latest(t.Context(), "nowhere"); !errors.Is(err, ErrUnknown) {
			t.Fatal(err)
		}
	}
	if n := tr.loads.Load(); n != 1 {
		t.Errorf("%d loads, want 1", n)
	}
	tr.pass(2 * unknownLife)
	tr.halls["nowhere"] = newTruth("x").halls["x"]
	latest(t, s, "nowhere")
}

func TestSourceAwayLeavesTheLastMap(t *testing.T) {
	tr := newTruth("a")
	s := newShelf(tr)
	before := latest(t, s, "a")
	tr.commit("a", held(3, tr.clock().Add(time.Minute)))
	tr.setAway(errAway)
	for range 5 {
		tr.pass(time.Minute)
		if err := s.Step(t.Context()); err != nil && !errors.Is(err, errAway) {
			t.Fatal(err)
		}
		if latest(t, s, "a") != before {
			t.Fatal("another edition without a source")
		}
	}
	if _, err := s.Latest(t.Context(), "b"); !errors.Is(err, errAway) {
		t.Errorf("first look without a source: %v", err)
	}
	tr.setAway(nil)
	tr.pass(catchUpEvery)
	if e := latest(t, s, "a"); e.Map.Version.V != 1 {
		t.Errorf("after the source came back the first reader sees %s", e.Map.Version)
	}
}

// A map that nobody looked at is not followed; the next reader does not see an old one.
func TestForgottenMapCatchesUpForItsReader(t *testing.T) {
	tr := newTruth("a")
	s := newShelf(tr)
	latest(t, s, "a")
	tr.pass(Watched + time.Second)
	step(t, s)
	if s.Watching() != 0 {
		t.Error("still watched")
	}
	tr.commit("a", held(3, tr.clock().Add(time.Minute)))
	if e := latest(t, s, "a"); e.Map.Version.V != 1 {
		t.Errorf("sees %s", e.Map.Version)
	}
}

func TestEditionsComeAtMostOnceALife(t *testing.T) {
	tr := newTruth("a")
	tr.halls["a"].facts.Life = 3 * time.Second
	s := newShelf(tr)
	editions := map[*Edition]bool{}
	for range 60 { // 30 s
		tr.commit("a", held(1, tr.clock().Add(time.Hour)))
		tr.pass(Round)
		e := latest(t, s, "a")
		if editions[e] = true; !strings.HasPrefix(e.cache[0], "public, max-age=3, s-maxage=3,") {
			t.Fatalf("a cache may keep edition %d as %q: it would ask three times as often as the event says", len(editions), e.cache)
		}
		step(t, s)
	}
	if n := len(editions); n < 8 || n > 11 {
		t.Errorf("%d editions in 30 s of a map that lives 3 s", n)
	}
}

// A round that comes a little early, since the one before was slow to answer, still publishes: else every other edition would
// be half a second late.
func TestARoundThatTremblesIsNotLost(t *testing.T) {
	tr := newTruth("a")
	s := newShelf(tr)
	latest(t, s, "a")
	for i := range 10 {
		tr.commit("a", held(1, tr.clock().Add(time.Hour)))
		tr.pass(Round)
		step(t, s)
		tr.pass(Round - tremble/2)
		step(t, s)
		if e := latest(t, s, "a"); e.Map.Version.V != int64(i+1) {
			t.Fatalf("after %d lives the map is at %s", i+1, e.Map.Version)
		}
	}
}

// A hold that runs out changes the map without any news.
func TestExpiryNeedsNoNews(t *testing.T) {
	tr := newTruth("a")
	s := newShelf(tr)
	tr.commit("a", held(4, tr.clock().Add(2500*time.Millisecond)))
	if e := latest(t, s, "a"); seatmap.At(e.Map.States, 4) != seatmap.Held {
		t.Fatal("not held")
	}
	tr.pass(2900 * time.Millisecond)
	step(t, s)
	if e := latest(t, s, "a"); seatmap.At(e.Map.States, 4) != seatmap.Held {
		t.Error("shown as free within the second of its end: two processes could differ under one version")
	}
	tr.pass(100 * time.Millisecond)
	step(t, s)
	if e := latest(t, s, "a"); seatmap.At(e.Map.States, 4) != seatmap.Available || e.Map.Version.E != 1_760_000_003 {
		t.Errorf("seat is %s at %s", seatmap.At(e.Map.States, 4), e.Map.Version)
	}
}

func TestFullShelfDropsWhatNobodyLooksAt(t *testing.T) {
	tr := newTruth("a", "b", "c", "d", "e")
	s := newShelf(tr)
	for _, n := range []string{"a", "b", "c", "d"} {
		latest(t, s, n)
		tr.pass(time.Second)
	}
	s.mu.Lock()
	s.makeRoom(0)
	s.mu.Unlock()
	if s.Boards() != 3 || s.boards["a"] != nil {
		t.Errorf("%d boards, want 3 without the oldest", s.Boards())
	}
	latest(t, s, "a")
}
