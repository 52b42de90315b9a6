package gate

import (
	"github.com/ropeline/ropeline/admission/pace"
)

// maxEdges bounds how many edges' counts are remembered.
const maxEdges = 256

// Base is how far one edge's counts had come when they were last taken.
type Base struct {
	Process uint64
	Flown   uint64
	Claims  [pace.Lags]uint64
	Work    [pace.MaxKinds][pace.Ages]uint64
}

// Sum makes one second's pace.Gate out of what the edges say. It is the leader's, and part of what a successor is left: the
// successor takes the difference from there, so that the seconds without a leader are counted too.
type Sum struct {
	Bases map[string]*Base
}

// Edge is one edge's newest text.
type Edge struct {
	Name string
	Saw  *Saw
}

// Gate is what happened since the last call; seconds is how long ago that was. X, Waiting and Active are the caller's.
func (t *Sum) Gate(edges []Edge, seconds float64) (g pace.Gate) {
	if t.Bases == nil {
		t.Bases = map[string]*Base{}
	}
	var long, near histogram
	var failed, nearFailed uint64
	g.Seconds = seconds
	for _, e := range edges {
		s := e.Saw
		long.add(&s.Long)
		near.add(&s.Recent)
		failed, nearFailed = failed+s.LongFailed, nearFailed+s.RecentFailed
		b := t.Bases[e.Name]
		switch {
		case b == nil && len(t.Bases) >= maxEdges:
			continue
		case b == nil: // how long it has counted is not known
			b = &Base{Process: s.Process, Flown: s.Flown, Claims: s.Claims, Work: s.Work}
			t.Bases[e.Name] = b
		case b.Process != s.Process:
			*b = Base{Process: s.Process}
		}
		b.take(s, &g, seconds)
	}
	g.P99, g.RecentP99 = long.quantile(0.99), near.quantile(0.99)
	g.Asked = int64(long.count())
	g.Failed, g.RecentFailed = share(failed, long.count()), share(nearFailed, near.count())
	return g
}

func (b *Base) take(s *Saw, g *pace.Gate, seconds float64) {
	if s.Flown > b.Flown && seconds > 0 {
		g.Flight += float64(s.Flown-b.Flown) / 1000 / seconds
	}
	b.Flown = s.Flown
	for l, n := range s.Claims {
		g.Claims[l] += grown(n, &b.Claims[l])
	}
	for k := range s.Work {
		for a, n := range s.Work[k] {
			g.Work[k][a] += grown(n, &b.Work[k][a])
		}
	}
}

func grown(n uint64, since *uint64) uint32 {
	d := n - min(n, *since)
	*since = n
	return uint32(min(d, 1<<31))
}

func share(part, of uint64) float64 {
	if of == 0 {
		return 0
	}
	return min(1, float64(part)/float64(of))
}

// Forget drops the edges that are not among those named.
func (t *Sum) Forget(keep func(edge string) bool) {
	for name := range t.Bases {
		if !keep(name) {
			delete(t.Bases, name)
		}
	}
}
