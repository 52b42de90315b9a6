package line

import (
	"math"
	"sync"
)

// How X is moved. Times are in microseconds of room time.
const (
	second     = 1_000_000
	horizon    = 8.0         // seconds of entries to keep at the door or on their way to it
	stillComes = 10 * second // whoever was called longer ago and has not knocked counts as absent
	walkMax    = 65_536      // places looked at in one tick
	knockDelay = 2.5         // seconds: most of those who come have knocked this long after they were called

	// The share of the called who come, until enough were seen: a prior worth sixty people.
	comePrior  = 0.85
	comeWeight = 60.0
	comeMemory = 120.0 // seconds
	comeLeast  = 0.05
)

// mover decides how far X goes. It only proposes: the order of entering, rate and cap are the door's, exact
// whatever is proposed here. Too little starves the door, too much makes it long; neither is unfair.
type mover struct {
	mu     sync.Mutex
	spans  []span // called in the last ten seconds
	called float64
	came   float64
	joins  float64 // a second
	leaves float64 // a second
	last   header  // at the last tick
}

// span of places called by one tick.
type span struct{ from, to, rt int64 }

// sight is what can be seen of the line around X.
type sight struct {
	all        bool  // everybody counts as present: places are new, or the store was lost
	base       int64 // the place of the first bit, a multiple of 8
	here, came bitmap
	gaps       [][2]int64 // indexes that a loss may have left ungiven
}

func (s sight) present(place int64) bool {
	return s.all && !s.ungiven(place) || s.here.get(place-s.base) || s.came.get(place-s.base)
}

// ungiven: a gap is ten thousand places and mostly nobody's. Whoever does hold a ticket of it shows up by a sign of
// life; counting them all as present would stop the line for a whole window after a restart of the store.
func (s sight) ungiven(place int64) bool {
	for _, g := range s.gaps {
		if place >= g[0] && place < g[1] {
			return true
		}
	}
	return false
}

func (m *mover) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spans, m.called, m.came, m.joins, m.leaves, m.last = nil, 0, 0, 0, 0, header{}
}

func (m *mover) joinsPerSecond() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(math.Ceil(m.joins))
}

// window is the range of places whose bits propose needs.
func (m *mover) window(h header) (from, to int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	from = h.x
	if len(m.spans) > 0 {
		from = min(from, m.spans[0].from)
	}
	return from / 8 * 8, min(h.x+walkMax, max(h.next, h.x))
}

// heard takes the header of a tick's reply; it counts once for each second, whichever edge began it.
func (m *mover) heard(h header) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last.exists && h.ticks == m.last.ticks {
		return
	}
	if h.x > m.last.x && m.last.exists {
		m.spans = append(m.spans, span{m.last.x, h.x, h.rt})
	}
	if dt := float64(h.rt-m.last.rt) / second; m.last.exists && dt > 0 {
		m.joins += 0.3 * (float64(h.next-m.last.next)/dt - m.joins)
		m.leaves += 0.1 * (float64(h.out+h.lapsed-m.last.out-m.last.lapsed)/dt - m.leaves)
		keep := math.Exp(-dt / comeMemory)
		m.called *= keep
		m.came *= keep
	}
	m.last = h
}

// propose says how far X may go: `want = entries possible in the next 8 s - at the door - expected still to come`,
// then walks over the places from X on until the expected comers among the present add up to it.
func (m *mover) propose(h header, s sight) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.gap <= 0 || h.cap <= 0 || h.next == 0 { // until somebody has joined the room can still become a pre-queue
		return h.x
	}
	m.settle(h.rt, s)
	want := math.Ceil(m.entries(h)) - float64(h.door) - m.expected(h.rt, s) - float64(max(0, h.x-h.next))
	if want <= 0 {
		return h.x
	}
	p, sum, k := m.show(), 0.0, h.x
	for ; k < h.next && k-h.x < walkMax && sum < want; k++ {
		if s.present(k) {
			sum += p
		}
	}
	if k >= h.next && sum < want {
		k += int64(math.Ceil(want - sum)) // nobody is there yet: whoever joins next may knock at once
	}
	return k
}

// entries that rate and cap allow in the next 8 s. Slots that will come back are expected ones; a small reserve
// stands at the door, so that a slot that comes back unexpectedly is taken at once.
func (m *mover) entries(h header) float64 {
	reserve := min(10, max(1, float64(h.cap)/20))
	slots := float64(h.cap-h.live) + horizon*m.leaves + reserve
	return max(0, min(horizon*second/float64(h.gap), slots))
}

// show is the share of the called who come.
func (m *mover) show() float64 {
	return max(comeLeast, (comePrior*comeWeight+m.came)/(comeWeight+m.called))
}

// expected counts those called in the last ten seconds who have not knocked and still may. The longer ago, the
// less likely: with the plain count, ghosts would fill the door's eight seconds.
func (m *mover) expected(rt int64, s sight) float64 {
	p, sum := m.show(), 0.0
	for _, sp := range m.spans {
		gone := 1 - math.Exp(-float64(rt-sp.rt)/second/knockDelay)
		still := p * (1 - gone) / (1 - p*gone)
		for k := sp.from; k < sp.to; k++ {
			if s.present(k) && !s.came.get(k-s.base) && k < m.last.next {
				sum += still
			}
		}
	}
	return sum
}

// settle closes the account of spans older than ten seconds: who of the present came?
func (m *mover) settle(rt int64, s sight) {
	for len(m.spans) > 0 && rt-m.spans[0].rt >= stillComes {
		for k := m.spans[0].from; k < m.spans[0].to && k < m.last.next; k++ {
			if s.present(k) {
				m.called++
			}
			if s.came.get(k - s.base) {
				m.came++
			}
		}
		m.spans = m.spans[1:]
	}
}
