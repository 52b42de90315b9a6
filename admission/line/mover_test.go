package line

import "testing"

func full(n int64) bitmap {
	var b bitmap
	for i := range n {
		b.set(i)
	}
	return b
}

// The mover's answer to situations one can check by hand: rate 10/s, so 80 entries in eight seconds.
func TestMoverProposes(t *testing.T) {
	base := header{exists: true, gap: 100_000, cap: 1000, next: 10_000, rt: 100 * second}
	for name, c := range map[string]struct {
		h        header
		s        sight
		from, to int64
	}{
		"nobody has joined":            {header{exists: true, gap: 1, cap: 1}, sight{all: true}, 0, 0},
		"rate 0":                       {header{exists: true, cap: 1, next: 9}, sight{all: true}, 0, 0},
		"cap 0":                        {header{exists: true, gap: 1, next: 9}, sight{all: true}, 0, 0},
		"all present, 85 % come":       {base, sight{all: true}, 90, 100},
		"nobody present: to the limit": {base, sight{}, 10_000, 10_080},
		"every place present":          {base, sight{here: full(10_000)}, 90, 100},
		"the door is full":             {with(base, func(h *header) { h.door = 80 }), sight{all: true}, 0, 0},
		"one slot free, some reserve":  {with(base, func(h *header) { h.live = 999 }), sight{all: true}, 12, 14},
		"beyond the line's end":        {with(base, func(h *header) { h.next, h.x = 5, 5 }), sight{all: true}, 85, 85},
		"a gap is nobody's":            {with(base, func(h *header) { h.next, h.x = 10_026, 54 }), sight{all: true, gaps: [][2]int64{{54, 10_000}}}, 10_026, 10_100},
		"but for who shows up in it":   {base, sight{all: true, here: full(60), gaps: [][2]int64{{0, 10_000}}}, 10_000, 10_030},
		"far beyond it already":        {with(base, func(h *header) { h.next, h.x = 5, 85 }), sight{all: true}, 85, 85},
	} {
		var m mover
		m.heard(c.h)
		if x := m.propose(c.h, c.s); x < c.from || x > c.to {
			t.Errorf("%s: X %d, want %d to %d", name, x, c.from, c.to)
		}
	}
}

func with(h header, f func(*header)) header {
	f(&h)
	return h
}

// Those just called are expected and not called twice; after ten seconds of silence they are not expected any more,
// and fewer of the next ones are.
func TestMoverLearnsWhoComes(t *testing.T) {
	var m mover
	h := header{exists: true, gap: 100_000, cap: 1000, next: 10_000, rt: 100 * second}
	m.heard(h)
	s := sight{all: true}
	h.x = m.propose(h, s)
	h.ticks, h.rt = 1, h.rt+second
	m.heard(h)
	if more := m.propose(h, s) - h.x; more > 40 {
		t.Errorf("called %d more while %d are on their way", more, h.x)
	}
	before := m.show()
	h.ticks, h.rt = 2, h.rt+12*second
	m.heard(h)
	next := m.propose(h, s)
	if m.show() >= before || next-h.x < 90 {
		t.Errorf("after silence: %.2f come (before %.2f), X goes %d further", m.show(), before, next-h.x)
	}
}
