package line

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line/redistest"
)

// One Redis serves the whole package; every test has its own prefix.
var shared struct {
	once   sync.Once
	server *redistest.Server
	err    error
	dir    string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		_ = shared.server.Stop()
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

func redisURL(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "line-redis"); shared.err == nil {
			shared.server, shared.err = redistest.Start(redistest.Options{Dir: shared.dir})
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server.URL()
}

var prefixes atomic.Int64

// onBoth runs a test on Redis and on the embedded store: the scripts are one text and must behave as one.
func onBoth(t *testing.T, test func(*testing.T, *Store)) {
	for _, kind := range []string{"redis", "embedded"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, openStore(t, kind))
		})
	}
}

func openStore(t testing.TB, kind string) *Store {
	t.Helper()
	url := Embedded
	if kind == "redis" {
		url = redisURL(t)
	}
	s, err := Open(Options{URL: url, Prefix: fmt.Sprintf("test%d:%d:", os.Getpid(), prefixes.Add(1))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// testLottery is a stand-in with the shape of the real one: this package fixes when a draw happens, not what it
// computes. Its permutation reverses.
var testLottery = Lottery{
	Secret: func(room string, epoch int64, opensAt time.Time) [32]byte {
		h := hmac.New(sha256.New, []byte("test"))
		fmt.Fprintf(h, "%s %d %d", room, epoch, unixMillis(opensAt))
		return [32]byte(h.Sum(nil))
	},
	Root: func(leaves [][32]byte) [32]byte {
		h := sha256.New()
		for _, l := range leaves {
			h.Write(l[:])
		}
		return [32]byte(h.Sum(nil))
	},
	Seed: func(secret [32]byte, entropy string, root [32]byte, n int64) [32]byte {
		return sha256.Sum256(fmt.Append(nil, secret, entropy, root, n))
	},
	Place: func(_ [32]byte, n int64) func(int64) int64 { return func(i int64) int64 { return n - 1 - i } },
}

// bench is a room whose clock the test holds: no time passes but what it says.
type bench struct {
	t      testing.TB
	s      *Store
	r      *Room
	edges  []*Room
	beaten int64
	clock  int64 // the store's clock as the scripts see it, unix microseconds

	mu     sync.Mutex
	events []Event
}

func newBench(t testing.TB, s *Store, c Config) *bench {
	t.Helper()
	b := &bench{t: t, s: s, clock: time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC).UnixMicro()}
	b.r = b.room(c)
	b.arrive(b.r)
	return b
}

// room prepares a room as Start does, without its loops: the test calls the steps.
func (b *bench) room(c Config) *Room {
	b.t.Helper()
	if c.Name == "" {
		c.Name = "hall"
	}
	if c.Settings.Rate.Count == 0 && c.Settings.Rate.Per == 0 {
		c.Settings.Rate = Rate{20, time.Second}
	}
	if c.Settings.Cap == 0 {
		c.Settings.Cap = 500
	}
	if c.Settings.Cap < 0 {
		c.Settings.Cap = 0
	}
	c.Lottery = testLottery
	c.Events = func(es []Event) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, es...)
	}
	r, err := b.s.Room(c)
	if err != nil {
		b.t.Fatal(err)
	}
	if r.log, err = openLog(c.Dir); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = r.log.close() })
	r.nameEdge()
	r.keys = roomKeys(b.s.prefix, c.Name, r.edge)
	r.clock = func() int64 { return b.clock }
	return r
}

func (b *bench) arrive(r *Room) {
	b.t.Helper()
	if err := r.arrive(b.t.Context()); err != nil && !errors.Is(err, ErrMerging) {
		b.t.Fatal(err)
	}
	if !slices.Contains(b.edges, r) {
		b.edges = append(b.edges, r)
	}
	b.settle()
}

// settle lets the edges tick until the room is whole, has its settings, and all of them count.
func (b *bench) settle() {
	b.t.Helper()
	for range 90 {
		done := true
		for _, r := range b.edges {
			if !r.arrived.Load() {
				if err := r.arrive(b.t.Context()); err != nil && !errors.Is(err, ErrRetry) {
					b.t.Fatal(err)
				}
			}
			h, err := r.tick(b.t.Context(), "", 0, &rhythm{})
			if err != nil && !errors.Is(err, ErrMerging) {
				b.t.Fatal(err)
			}
			if err == nil && h.ceil-h.next < firstCeiling/2 {
				if err := r.raiseCeiling(b.t.Context(), h); err != nil && !errors.Is(err, ErrRetry) {
					b.t.Fatal(err)
				}
				done = false
			}
			done = done && err == nil && h.settled && r.arrived.Load()
		}
		if done {
			return
		}
		b.clock += second
	}
	b.t.Fatalf("the room does not settle: %+v", b.edges[0].view.Load())
}

// pass lets room time go on, in steps that the clock does not cut.
func (b *bench) pass(d time.Duration) {
	b.t.Helper()
	for d > 0 {
		step := min(d, 2*time.Second)
		b.clock += step.Microseconds()
		if b.clock-b.beaten >= 5*second {
			b.beat()
		}
		if _, err := b.r.call(b.t.Context(), scriptStatus); err != nil {
			b.t.Fatal(err)
		}
		d -= step
	}
}

// beat shows that the edges live: none falls silent.
func (b *bench) beat() {
	b.t.Helper()
	b.beaten = b.clock
	for _, r := range b.edges {
		if _, err := r.tick(b.t.Context(), "", 0, &rhythm{}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// tick lets one second pass and does what the loop does.
func (b *bench) tick(rh *rhythm) {
	b.t.Helper()
	b.pass(time.Second)
	if err := b.r.step(b.t.Context(), time.UnixMicro(b.clock), rh); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) call(s script, args ...any) reply {
	b.t.Helper()
	rep, err := b.r.call(b.t.Context(), s, args...)
	if err != nil {
		b.t.Fatal(err)
	}
	return rep
}

// join takes the calls of one batch, without the queue.
func (b *bench) join(vids ...string) []int64 {
	b.t.Helper()
	var args []any
	for _, v := range vids {
		args = append(args, v, "")
	}
	var out []int64
	for _, f := range b.call(scriptJoin, args...).results {
		out = append(out, num(f[1]))
	}
	return out
}

func vid(i int64) string { return fmt.Sprintf("v%06d", i) }

// crowd joins n visitors, vid(0) first.
func (b *bench) crowd(n int64) {
	b.t.Helper()
	for from := int64(0); from < n; from += batchMax {
		var vids []string
		for i := from; i < min(n, from+batchMax); i++ {
			vids = append(vids, vid(i))
		}
		b.join(vids...)
	}
}

// moveX sets X as a leader's tick does.
func (b *bench) moveX(x int64) {
	b.t.Helper()
	b.beat()
	b.pass(time.Second)
	rep := b.call(scriptTick, "", 0, 0, 0, 0, "0")
	b.pass(time.Second)
	b.call(scriptTick, itoa(rep.header.fence), x, 0, 0, 0, "0")
}

// ask is a single knock; grant "" or the entry time to pick up.
func (b *bench) ask(i int64, grant string) (Answer, bool) {
	b.t.Helper()
	return b.askAt(b.r, i, grant)
}

func (b *bench) askAt(r *Room, i int64, grant string) (Answer, bool) {
	b.t.Helper()
	rep, err := r.call(b.t.Context(), scriptKnock, vid(i), i, r.Place(i), grant)
	if err != nil {
		b.t.Fatal(err)
	}
	return readAnswer(rep.header, rep.results[0])
}

// enter takes a visitor the whole way in, if its turn has come.
func (b *bench) enter(i int64) bool {
	b.t.Helper()
	a, _ := b.ask(i, "")
	if a.Standing == Granted {
		a, _ = b.ask(i, itoa(a.Grant))
		b.call(scriptConfirm, vid(i), i, "1", 1)
	}
	return a.Standing == In
}

func (b *bench) kinds(kind string) (out []Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}
