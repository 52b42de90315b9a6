package line

import (
	"context"
	"math/bits"
)

// Ahead counts the places from X up to place that somebody may hold: those in gaps are nobody's. Of a gap that went into the
// draw nobody knows where it came to lie: its part of all places is taken off, which is an estimate.
func (s Snapshot) Ahead(place int64) int64 {
	n := max(0, place-s.X)
	for _, g := range s.Gaps {
		n -= max(0, min(g[1], place)-max(g[0], s.X, s.drawn()))
	}
	if drawn := max(0, min(place, s.drawn())-s.X); drawn > 0 {
		n -= int64(float64(drawn) * float64(s.drawnGaps()) / float64(s.drawn()))
	}
	return n
}

// drawn is how many places the draw gave; behind it a place is its index.
func (s Snapshot) drawn() int64 {
	if s.N < 0 || !s.Draw.Revealed {
		return 0
	}
	return s.N
}

func (s Snapshot) drawnGaps() (n int64) {
	for _, g := range s.Gaps {
		n += max(0, min(g[1], s.drawn())-g[0])
	}
	return n
}

// Depth is how many people are known to wait behind X. After a loss of the store nobody knows which of the indexes of its last
// moments were given (Gaps): of those, only people count who have shown their tickets since. There may be up to unsure more.
func (s Snapshot) Depth() (people, unsure int64) {
	sure := s.Ahead(s.Next)
	unsure = max(0, s.Next-s.X) - sure
	found := min(s.Found, unsure)
	return sure + found, unsure - found
}

// countAhead measures which share of the places from X on is present, and how many people of gaps have shown themselves.
func (r *Room) countAhead(ctx context.Context, h header, rh *rhythm) error {
	s := Snapshot{X: h.x, Next: h.next, N: h.n, Gaps: rangeList(h.gaps), Draw: h.draw()}
	found := 0.0
	for _, g := range s.Gaps {
		from := max(g[0], s.drawn(), h.x)
		if from < g[1] {
			n, err := r.store.client.ZCount(ctx, r.key("line"), itoa(from), "("+itoa(g[1])).Result()
			if err != nil {
				return wrapStore(err)
			}
			found += float64(n)
		}
		if to := min(g[1], s.drawn()); g[0] < to && h.x < s.drawn() {
			n, err := r.store.client.ZCount(ctx, r.key("line"), itoa(g[0]), "("+itoa(to)).Result()
			if err != nil {
				return wrapStore(err)
			}
			found += float64(n) * float64(s.drawn()-h.x) / float64(s.drawn())
		}
	}
	s.Found, rh.found = int64(found), int64(found)
	depth, _ := s.Depth()
	rh.ahead, rh.waiting = 1, depth+h.door
	if h.rt < h.allUntil || h.next <= h.x {
		return nil
	}
	from := (h.x + 7) / 8
	all, err := r.store.client.GetRange(ctx, r.key("here0"), from, h.next/8).Bytes()
	if err != nil {
		return wrapStore(err)
	}
	other, err := r.store.client.GetRange(ctx, r.key("here1"), from, h.next/8).Bytes()
	if err != nil {
		return wrapStore(err)
	}
	here := bitmap(all)
	here.or(other)
	present := int64(0)
	for _, b := range here {
		present += int64(bits.OnesCount8(b))
	}
	rh.waiting = present + h.door
	if depth > 0 {
		rh.ahead = min(1, float64(present)/float64(depth))
	}
	return nil
}
