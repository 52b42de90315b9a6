package readpath

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ropeline/ropeline/seatmap"
)

// truth is a source in memory with one or more halls and a clock that is moved by
// hand. It remembers every version, so that a test can say what should be seen.
type truth struct {
	mu     sync.Mutex
	now    time.Time
	halls  map[string]*hall
	away   error
	loads  atomic.Int64
	before func() // called at the start of every Load, outside of the lock
}

type hall struct {
	facts Facts
	log   []News
	first int64 // the oldest news that was not thrown away
	past  map[int64]Facts
}

var errAway = errors.New("the source is away")

func newTruth(names ...string) *truth {
	tr := &truth{now: time.Unix(1_760_000_000, 0), halls: map[string]*hall{}}
	for i, n := range names {
		h := &hall{facts: Facts{ID: int64(i + 1), Geometry: seatmap.Geometry{byte(i)}, Seats: make([]Seat, 13), Counters: []Free{{ID: 5, Left: 9}}}, past: map[int64]Facts{}}
		h.past[0] = h.copy()
		tr.halls[n] = h
	}
	return tr
}

func (h *hall) copy() Facts {
	f := h.facts
	f.Seats = append([]Seat(nil), f.Seats...)
	f.Counters = append([]Free(nil), f.Counters...)
	return f
}

func (tr *truth) Load(_ context.Context, event string) (*Facts, error) {
	tr.loads.Add(1)
	if tr.before != nil {
		tr.before()
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	h := tr.halls[event]
	switch {
	case tr.away != nil:
		return nil, tr.away
	case h == nil:
		return nil, ErrUnknown
	}
	f := h.copy()
	f.Now = tr.now
	return &f, nil
}

func (tr *truth) News(_ context.Context, known []Known) ([]News, time.Time, error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.away != nil {
		return nil, time.Time{}, tr.away
	}
	var news []News
	for _, k := range known {
		for _, h := range tr.halls {
			if h.facts.ID == k.ID && k.V < h.facts.V && h.first > h.facts.V {
				news = append(news, News{ID: k.ID, V: h.facts.V, Lost: true})
			}
			for _, n := range h.log {
				if h.facts.ID == k.ID && n.V > k.V && n.V >= h.first {
					news = append(news, n)
				}
			}
		}
	}
	return news, tr.now, nil
}

// commit changes seats and counters as one transaction would.
func (tr *truth) commit(event string, n News) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	h := tr.halls[event]
	h.facts.V++
	n.ID, n.V = h.facts.ID, h.facts.V
	for _, s := range n.Seats {
		h.facts.Seats[s.Number-1] = s.Seat
	}
	for _, c := range n.Counters {
		h.facts.Counters[0] = c
	}
	h.log = append(h.log, n)
	h.past[n.V] = h.copy()
}

func (tr *truth) forgetNews(event string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.halls[event].first = tr.halls[event].facts.V + 1
}

func (tr *truth) pass(d time.Duration) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.now = tr.now.Add(d)
}

func (tr *truth) clock() time.Time {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.now
}

func (tr *truth) setAway(err error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.away = err
}

// seen is what version v.e of an event must show, straight from the definition.
func (tr *truth) seen(event string, v seatmap.Version) []seatmap.State {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	var states []seatmap.State
	for _, s := range tr.halls[event].past[v.V].Seats {
		if s.State == seatmap.Held && !s.Until.After(time.Unix(v.E, 0)) {
			s.State = seatmap.Available
		}
		states = append(states, s.State)
	}
	return states
}

// newShelf makes a shelf whose own clock is an hour off, as clocks of programs may be.
func newShelf(tr *truth) *Shelf {
	return New(tr, slog.New(slog.DiscardHandler), func() time.Time { return tr.clock().Add(-time.Hour) })
}

func held(number int, until time.Time) News {
	return News{Seats: []SeatNews{{number, Seat{seatmap.Held, until}}}}
}

func latest(t testing.TB, s *Shelf, event string) *Edition {
	t.Helper()
	e, err := s.Latest(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func step(t testing.TB, s *Shelf) {
	t.Helper()
	if err := s.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
}
