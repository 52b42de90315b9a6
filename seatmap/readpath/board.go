package readpath

import (
	"math"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/seatmap"
)

// board is what is known of one event. Its facts change under mu; readers only
// ever touch the current edition.
type board struct {
	slug    string
	current atomic.Pointer[Edition]
	asked   atomic.Int64 // unix ms of the latest request
	heard   atomic.Int64 // unix ms at which the source last confirmed it
	tried   atomic.Int64 // unix ms at which a reader last asked for its news

	mu       sync.Mutex
	id       int64
	life     time.Duration
	geometry seatmap.Geometry
	v        int64
	states   []seatmap.State
	until    []int64 // second from which a held seat is shown as free; meaningless otherwise
	counters []Free
	changed  bool  // since the current edition
	next     int64 // second in which the next hold ends, or never
	old      []*Edition
	turned   chan struct{} // closed when the next edition is there
}

const never = math.MaxInt64

// newBoard lays the facts out. The slices are its own.
func newBoard(slug string, f *Facts) *board {
	b := &board{slug: slug, turned: make(chan struct{}), id: f.ID, life: f.Life, geometry: f.Geometry, v: f.V, changed: true, next: never,
		states: make([]seatmap.State, len(f.Seats)), until: make([]int64, len(f.Seats)), counters: append([]Free(nil), f.Counters...)}
	for i, s := range f.Seats {
		b.put(i, s)
	}
	return b
}

func (b *board) put(i int, s Seat) {
	b.states[i], b.until[i] = s.State, 0
	if s.State == seatmap.Held {
		b.until[i] = secondAfter(s.Until)
		b.next = min(b.next, b.until[i])
	}
}

// secondAfter is the first whole second that is not before t.
func secondAfter(t time.Time) int64 {
	sec := t.Unix()
	if t.Nanosecond() > 0 {
		sec++
	}
	return sec
}

// hear takes over one change. It reports false where something is missing between
// what the board knows and the news: then only reading it whole helps.
func (b *board) hear(n News) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n.V <= b.v {
		return true // heard before
	}
	if n.Lost || n.V != b.v+1 {
		return false
	}
	for _, s := range n.Seats {
		if s.Number < 1 || s.Number > len(b.states) {
			return false // the event has got another plan of seats
		}
	}
	for _, s := range n.Seats {
		b.put(s.Number-1, s.Seat)
	}
	for _, c := range n.Counters {
		i := sort.Search(len(b.counters), func(i int) bool { return b.counters[i].ID >= c.ID })
		if i == len(b.counters) || b.counters[i].ID != c.ID {
			b.counters = append(b.counters, Free{})
			copy(b.counters[i+1:], b.counters[i:])
		}
		b.counters[i] = c
	}
	b.v, b.changed = n.V, true
	return true
}

// publish makes a new edition if the picture at the given second of the source's
// clock is another one, unless the current one is younger than its life.
func (b *board) publish(second int64, now time.Time, life time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	current := b.current.Load()
	if current != nil && (!b.changed && second < b.next || now.Sub(current.built) < life-tremble) {
		return nil
	}
	e, err := newEdition(b.mapAt(second), now, b.mayBe(Life)) // a cache may keep it for its event's life, however soon it was made
	if err != nil {
		return err
	}
	b.changed = false
	if current != nil {
		if current.Map.Version == e.Map.Version {
			return nil
		}
		b.old = append(b.old, current)
		if len(b.old) > maxOld {
			b.old = append(b.old[:0], b.old[1:]...)
		}
	}
	b.current.Store(e)
	close(b.turned)
	b.turned = make(chan struct{})
	return nil
}

// now gives the current edition and what tells of the next one.
func (b *board) now() (*Edition, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current.Load(), b.turned
}

// mapAt draws the picture of a second. It looks at every seat: 60,000 take a tenth
// of a millisecond, once a second, which leaves nothing to keep in step.
func (b *board) mapAt(second int64) *seatmap.Map {
	m := &seatmap.Map{Geometry: b.geometry, Seats: len(b.states), States: make([]byte, seatmap.Size(len(b.states)))}
	m.Version.V = b.v
	b.next = never
	for i, s := range b.states {
		if s == seatmap.Held {
			if end := b.until[i]; end <= second {
				s = seatmap.Available
				m.Version.E = max(m.Version.E, end)
			} else {
				b.next = min(b.next, end)
			}
		}
		m.States[i>>2] |= byte(s&3) << ((i & 3) * 2)
	}
	m.Counters = make([]seatmap.Counter, len(b.counters))
	for i, c := range b.counters {
		m.Counters[i] = seatmap.Counter{ID: c.ID, Level: seatmap.LevelOf(c.Left)}
	}
	return m
}

func (b *board) known() Known {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Known{b.id, b.v}
}

// edition finds one that was published, by its version.
func (b *board) edition(v seatmap.Version) *Edition {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.old {
		if e.Map.Version == v {
			return e
		}
	}
	return nil
}
