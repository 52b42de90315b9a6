package sim

import (
	"math"

	"github.com/ropeline/ropeline/admission/pace"
)

// gradient2 is the limiter of that name: a limit on what is inside, moved by long-term over present latency.
type gradient2 struct {
	limit, long             float64
	least, most, queue      float64
	smoothing, window, slop float64
}

func gradientDefault() *gradient2 {
	return &gradient2{limit: 20, least: 20, most: 200, queue: 4, smoothing: 0.2, window: 600, slop: 1.5}
}

// gradientTuned may reach any size, and its queue is a share of the limit: found by trial on the tuning seeds.
func gradientTuned(servers float64) *gradient2 {
	return &gradient2{limit: 60 * servers, least: 20, most: 1e6, queue: 0, smoothing: 0.02, window: 600, slop: 1.2}
}

func (g *gradient2) Tick(p *plant, in *pace.Inputs) int64 {
	if rtt := meanAnswer(p); rtt > 0 {
		if g.long == 0 {
			g.long = rtt
		}
		g.long += (rtt - g.long) / g.window
		if g.long/rtt > 2 {
			g.long *= 0.95
		}
		queue := g.queue
		if queue == 0 {
			queue = 0.05 * g.limit
		}
		gradient := max(0.5, min(1, g.slop*g.long/rtt))
		next := g.limit*gradient + queue
		if float64(in.Gate.Active) >= g.limit/2 { // an idle limit does not grow
			g.limit = max(g.least, min(g.most, g.limit*(1-g.smoothing)+g.smoothing*next))
		}
	}
	if !p.world.Store {
		return p.x
	}
	room := g.limit - float64(in.Gate.Active)
	for _, n := range p.open[:20] {
		room -= n * calm(p.story.Servers).Show
	}
	return p.x + int64(max(0, room))
}

// meanAnswer is by Little's law: requests under way over requests a second.
func meanAnswer(p *plant) float64 {
	if p.in.Gate.Asked < 10 {
		return 0
	}
	return p.in.Gate.Flight / (float64(p.in.Gate.Asked) / window)
}

// bbr takes the highest delivery of the last minute for the bottleneck's rate and probes around it in cycles.
type bbr struct {
	releaser
	delivered [60]float64
	grown     float64
	flat      int
	steady    bool
}

const bbrPhase = 20 // seconds

func (b *bbr) Tick(p *plant, in *pace.Inputs) int64 {
	second := int(p.now)
	now := float64(in.Gate.Asked) / window * (1 - in.Gate.Failed)
	b.delivered[second%60] = now
	best := 0.0
	for _, v := range b.delivered {
		best = max(best, v)
	}
	w := calm(p.story.Servers)
	requests := leastPages + morePages + wantsSeat*(1+(1-walksAway))
	bottleneck := max(0.05*w.Servers/w.perPerson(), best/requests)
	gains := [8]float64{1.25, 0.75, 1, 1, 1, 1, 1, 1}
	gain := gains[second/bbrPhase%8]
	if !b.steady {
		gain = 2 / math.Ln2
		if second%60 == 0 {
			if best < 1.25*b.grown {
				b.flat++
			} else {
				b.flat = 0
			}
			b.grown = best
			b.steady = b.flat >= 2
		}
	}
	return b.to(p, gain*bottleneck)
}
