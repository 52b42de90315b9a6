package line

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func fmtSprint(v any) string                   { return fmt.Sprint(v) }
func sscan(s string, into ...any) (int, error) { return fmt.Sscan(s, into...) }

// step does one thing that the seed chooses, and checks.
func (w *world) step() {
	w.steps++
	a, p := w.edge(), w.someone()
	switch n := w.rng.IntN(100); {
	case n < 22:
		w.pass(time.Duration(100+w.rng.IntN(1900)) * time.Millisecond)
		w.tick(a)
	case n < 30: // a second in which everybody ticks
		w.pass(time.Second)
		for _, a := range w.edges {
			w.tick(a)
		}
	case n < 62:
		w.come(a, p)
	case n < 64:
		w.renew(a, p)
	case n < 66:
		w.elsewhere(a, p)
	case n < 70:
		w.leave(a, p)
	case n < 75:
		w.crash(a)
		w.note("crash %s", a.r.edge)
	case n < 78: // the script runs, the edge dies before it hears of it
		a.wire.loseNext = true
		w.come(a, p)
		w.crash(a)
		w.note("crash %s with a reply under way", a.r.edge)
	case n < 81:
		a.wire.loseNext = true
		w.note("the next reply to %s is lost", a.r.edge)
	case n < 84:
		a.wire.cut = !a.wire.cut
		w.note("%s cut off: %v", a.r.edge, a.wire.cut)
	case n < 87:
		w.note("the store is emptied")
		w.lose()
		w.saved = nil
	case n < 90:
		if w.saved != nil && w.clock-w.savedAt < 4*second {
			w.note("the store goes back to %.1fs", float64(w.savedAt-1796068800000000)/1e6)
			w.rewind()
			w.saved = nil
		} else {
			w.save()
			w.note("saved")
		}
	case n < 93:
		w.again(a)
	case n < 96:
		w.recall(a)
	case n < 97:
		if w.rng.IntN(3) == 0 {
			w.reset(a)
		}
	case n < 99:
		w.open(a)
	default:
		w.save()
		w.note("saved")
	}
	w.check()
}

// check holds the room against what was promised.
func (w *world) check() {
	h := w.room()
	if len(h) == 0 || num(h["merging"]) > 0 || strings.HasPrefix(h["run"], "other") {
		return
	}
	key := h["epoch"] + " " + h["gen"]
	if x := num(h["x"]); x < w.lastX[key] {
		w.fail("X fell from %d to %d", w.lastX[key], x)
	} else {
		w.lastX[key] = x
	}
	if num(h["epoch"]) < w.doneEpoch || num(h["term"]) < w.doneTerm[num(h["epoch"])] {
		w.fail("epoch %s, term %s: a reset to %d or a recall to %d was undone", h["epoch"], h["term"], w.doneEpoch, w.doneTerm[num(h["epoch"])])
	}
	live := 0
	var who []string
	for _, p := range w.people {
		for i := len(p.passes) - 1; i >= 0; i-- {
			if s := p.passes[i]; s.until > w.clock && itoa(s.epoch) == h["epoch"] && itoa(s.term) == h["term"] {
				live++
				who = append(who, p.vid)
				break
			}
		}
	}
	if live > exploreCap {
		w.fail("%d passes are live, the cap is %d: %v", live, exploreCap, who)
	}
	for _, a := range w.edges {
		a.r.log.view(func(c *checkpoint) {
			if itoa(c.Epoch) == h["epoch"] && c.Gen == h["gen"] && c.X > num(h["x"]) {
				w.fail("%s has X %d on disk, the room %s", a.r.edge, c.X, h["x"])
			}
		})
	}
}

// heal ends all faults and lets everybody come until all have entered: nobody may be left out.
func (w *world) heal() {
	for _, a := range w.edges {
		a.wire.cut, a.wire.loseNext = false, false
	}
	w.note("healed")
	waiting := func() (list []*person) {
		h := w.room()
		for _, p := range w.people {
			if p.index < 0 || itoa(p.epoch) != h["epoch"] {
				continue
			}
			in := false
			for s := range w.entered {
				in = in || s.epoch == p.epoch && s.index == p.index && !w.freedBetween(s, num(h["term"]))
			}
			if !in {
				list = append(list, p)
			}
		}
		return list
	}
	for round := range 100 {
		w.pass(2 * time.Second)
		for _, a := range w.edges {
			w.tick(a)
		}
		h := w.room()
		if h["phase"] == phasePrequeue && num(h["merging"]) == 0 && len(h) > 0 {
			w.open(w.edges[0])
		}
		left := waiting()
		if len(left) == 0 && round > 7 {
			return
		}
		for i, p := range left {
			w.come(w.edges[(i+round)%len(w.edges)], p)
		}
		for _, p := range w.people {
			if len(p.passes) > 0 && round > 8 { // until then they stay, and the others find the room full
				w.leave(w.edges[round%len(w.edges)], p)
			}
		}
		w.check()
		if w.broken != "" {
			return
		}
	}
	for _, p := range waiting() {
		w.fail("%s (epoch %d, index %d) cannot enter; the room is %v", p.vid, p.epoch, p.index, w.room())
		return
	}
}

// explore runs one seed and tells what broke.
func explore(ctx context.Context, g *rig, seed uint64, edges, steps int) (broken string, trace []string) {
	w := newWorld(ctx, g, seed, edges)
	defer w.lose()
	for range 3 {
		w.pass(time.Second)
		for _, a := range w.edges {
			w.tick(a)
		}
	}
	play := -1
	if directed(seed) {
		steps, play = steps/3, w.rng.IntN(steps/9)
	}
	for i := 0; i < steps && w.broken == ""; i++ {
		if w.step(); i == play && w.broken == "" {
			w.scene()
			play += 1 + w.rng.IntN(steps/3)
		}
	}
	if w.broken == "" {
		w.heal()
	}
	for _, a := range w.edges {
		_ = a.r.log.close()
	}
	return w.broken, w.trace
}

// directed seeds play scenes between fewer steps of chance.
func directed(seed uint64) bool { return seed%4 == 3 }

const exploreSteps = 60

// exploreSeeds runs seeds on all cores until one breaks something.
func exploreSeeds(t testing.TB, open func() (*Store, error), from, to uint64) (seed uint64, broken string, trace []string) {
	var next atomic.Uint64
	next.Store(from)
	var mu sync.Mutex
	var crew sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		crew.Go(func() {
			g, err := newRig(open, 3)
			if err != nil {
				t.Error(err)
				return
			}
			defer g.close()
			for {
				s := next.Add(1) - 1
				if s >= to {
					return
				}
				if b, tr := explore(t.Context(), g, s, 2+int(s/4%2), exploreSteps); b != "" {
					next.Store(to)
					mu.Lock()
					if broken == "" || s < seed {
						seed, broken, trace = s, b, tr
					}
					mu.Unlock()
				}
			}
		})
	}
	crew.Wait()
	return seed, broken, trace
}

func openShared(t testing.TB) func() (*Store, error) {
	url := redisURL(t)
	prefix := fmt.Sprintf("explore%d:%d:", os.Getpid(), prefixes.Add(1))
	return func() (*Store, error) { return Open(Options{URL: url, Prefix: prefix}) }
}

// exploreMax is how many seeds are played.
const exploreMax = 2000

// Two and three edges through whatever may happen to them; EXPLORE=seed runs one seed, EXPLORE=from-to those below to.
func TestExplore(t *testing.T) {
	from, to := uint64(0), uint64(exploreMax)
	if testing.Short() {
		to = 100
	}
	if s := os.Getenv("EXPLORE"); s != "" {
		first, last, isRange := strings.Cut(s, "-")
		from, _ = strconv.ParseUint(first, 10, 64)
		if to = from + 1; isRange {
			to, _ = strconv.ParseUint(last, 10, 64)
		}
	}
	began := time.Now()
	seed, broken, trace := exploreSeeds(t, openShared(t), from, to)
	t.Logf("%d seeds in %s", to-from, time.Since(began).Round(time.Millisecond))
	if broken != "" {
		t.Fatalf("seed %d: %s\n%s", seed, broken, strings.Join(trace, "\n"))
	}
}
