package lead

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/line/redistest"
	"github.com/ropeline/ropeline/admission/lottery"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/gate"
)

// pacedEdge is one edge of a room, as a process has it: an own connection to the store, an own log, an own pacer.
type pacedEdge struct {
	name  string
	store *line.Store
	room  *line.Room
	pacer *Pacer
	dead  atomic.Bool
}

// show is the whole of them with the crowd that comes to them.
type show struct {
	t     *testing.T
	edges []*pacedEdge

	mu     sync.Mutex
	grants []line.Event
	moved  line.Snapshot // when X was seen to move last
	still  int64         // the most ticks in which it did not
}

func newShow(t *testing.T, url string, names ...string) *show {
	s := &show{t: t}
	for _, name := range names {
		e := &pacedEdge{name: name, pacer: New(slog.New(slog.DiscardHandler))}
		c, err := pace.NewConfig(pace.Config{Resources: []pace.Resource{{Name: "origin", Cost: [pace.MaxKinds]float64{1, 1, 1, 0, 1}, Work: 3, WorkAge: 5}}, SafeRate: 20, SlewUp: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		if e.store, err = line.Open(line.Options{URL: url}); err != nil {
			t.Fatal(err)
		}
		e.room, err = e.store.Room(line.Config{
			Name: "hall", Edge: name, Dir: t.TempDir(), Pacer: e.pacer, Settings: line.Settings{Rate: line.Rate{Count: 20, Per: time.Second}, Cap: line.MaxCap},
			Logger: slog.New(slog.DiscardHandler),
			Events: func(events []line.Event) {
				for _, v := range events {
					if v.Kind == line.EventPickup {
						e.pacer.Claim(int64(*v.EntryMS*1000), int64(v.RT*1000))
					}
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				for _, v := range events {
					if v.Kind == line.EventGrant {
						s.grants = append(s.grants, v)
					}
				}
			},
			Lottery: line.Lottery{
				Secret: func(string, int64, time.Time) (k [32]byte) { return k }, Root: lottery.Root, Seed: lottery.Seed,
				Place: func(seed [32]byte, n int64) func(int64) int64 { return lottery.NewPerm(seed, n).Place },
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		e.pacer.Configure(&Config{Room: "hall", Pace: c})
		if err := e.room.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = e.room.Stop(t.Context())
			e.pacer.Close()
			_ = e.store.Close()
		})
		s.edges = append(s.edges, e)
	}
	return s
}

// kill ends an edge as a power cut does: no word to anybody.
func (s *show) kill(e *pacedEdge) {
	e.dead.Store(true)
	_ = e.store.Close()
}

func (s *show) leader() *pacedEdge {
	for _, e := range s.edges {
		if !e.dead.Load() && e.pacer.Document() != nil && e.room.Snapshot().Leader == e.name {
			return e
		}
	}
	return nil
}

func (s *show) alive(i int) *pacedEdge {
	for ; ; i++ {
		if e := s.edges[i%len(s.edges)]; !e.dead.Load() {
			return e
		}
	}
}

// watch counts the ticks between two moves of X: a machine that stands still makes none.
func (s *show) watch() {
	for _, e := range s.edges {
		switch now := e.room.Snapshot(); {
		case e.dead.Load() || now.Seq < s.moved.Seq:
		case now.X > s.moved.X || s.moved.Seq == 0:
			s.moved = now
		default:
			s.still = max(s.still, now.Seq-s.moved.Seq)
		}
	}
}

// visit is one person: joins, knocks until let in, looks at three pages.
func (s *show) visit(i int, entered *atomic.Int64) {
	vid, ctx := fmt.Sprintf("v%d", i), s.t.Context()
	var v line.Visitor
	for v.ID == "" && ctx.Err() == nil {
		if j, err := s.alive(i).room.Join(ctx, vid, ""); err == nil {
			v = line.Visitor{ID: j.ID, Index: j.Index}
		} else {
			time.Sleep(100 * time.Millisecond)
		}
	}
	for try := 0; ctx.Err() == nil; try++ {
		e := s.alive(i + try/5)
		if x := e.room.Snapshot().X; v.Index < x {
			a, err := e.room.Knock(ctx, v)
			if err == nil && a.Standing == line.Granted {
				time.Sleep(a.EntryIn())
				a, err = e.room.PickUp(ctx, v, a.Grant)
			}
			if err == nil && a.Standing == line.In {
				entered.Add(1)
				for range 3 {
					e.pacer.Meter.End(e.pacer.Meter.Begin(pace.Page, 0), gate.Good)
				}
				return
			}
		}
		time.Sleep(300 * time.Millisecond) // a page's own pace; nothing is judged by it
	}
}

// The edge that leads is killed under a crowd at a real Redis. Another goes on: with about the same rate, without a second
// in which X stands still for long, and without two entries that are closer than the rate in force allows.
func TestLeaderIsKilled(t *testing.T) {
	s := newShow(t, redistest.Run(t).URL(), "one", "two", "three")
	var entered atomic.Int64
	for i := range 1500 {
		go s.visit(i, &entered)
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for range 600 {
			if ok() {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatalf("never %s", what)
	}
	until("some hundred inside", func() bool { return entered.Load() > 150 && s.leader() != nil })
	first := s.leader()
	before := first.pacer.Document()
	counted := int64(0)
	for _, n := range before.Pipeline.Ages {
		counted += int64(n + 0.5)
	}
	if n := entered.Load(); counted < n*8/10 {
		t.Errorf("the leader counts %d of %d", counted, n)
	}
	s.kill(first)
	until("led by another", func() bool { s.watch(); l := s.leader(); return l != nil && l != first })
	next := s.leader()
	after := next.pacer.Document()
	if after.Rate < 0.85*before.Rate || after.Rate > 1.3*before.Rate || after.Leader.Fence <= before.Leader.Fence {
		t.Errorf("the successor decides %v (fence %d) after %v (fence %d): %s", after.Rate, after.Leader.Fence, before.Rate, before.Leader.Fence, after.Sentence)
	}
	target := entered.Load() + 150
	until("another hundred inside", func() bool { s.watch(); return entered.Load() > target })
	counted = 0
	for _, n := range next.pacer.Document().Pipeline.Ages {
		counted += int64(n + 0.5)
	}
	if n := entered.Load(); counted < n*7/10 || counted > n*12/10 {
		t.Errorf("the successor counts %d inside, %d came", counted, n)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.grants, func(a, b line.Event) int { return int(a.Seq - b.Seq) })
	for i := 1; i < len(s.grants); i++ {
		a, b := s.grants[i-1], s.grants[i]
		if gap, least := *b.EntryMS-*a.EntryMS, 1000 / *b.Rate; gap < least-0.01 {
			t.Fatalf("entries %d and %d are %v ms apart, the rate in force says %v", i-1, i, gap, least)
		}
	}
	// A crowd that comes at once is called for eight seconds twice, and the lease of a dead leader is three.
	if s.still > 20 {
		t.Errorf("X stood still for %d ticks", s.still)
	}
}
