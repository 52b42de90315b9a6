package sim

import (
	"math"

	"github.com/ropeline/ropeline/admission/pace"
)

// The kinds of event.
const (
	evClaim uint8 = iota
	evThought
	evAnswer
	evPaid
	evAgain
	evFormed
	evHoldEnds
	evSeatAgain
)

// idleLease is after how many seconds without a request the gate ends a session.
const idleLease = 600

// plant is one run.
type plant struct {
	story   *Scenario
	habits  *Habits
	world   World
	fates   chance
	now     float64
	events  queue
	people  []person
	free    []int32
	next    int // change
	db      database
	pay     payment
	stock   stock
	signal  telemetry
	seen    latencies
	in      pace.Inputs
	x       int64
	inside  int64 // sessions at the gate
	idle    [idleLease + 2]int64
	flights float64 // integral of requests under way at the gate
	flying  float64
	flownAt float64
	score   Score
	work    float64 // useful, this second
	vain    float64
	wish    float64
	late    float64
	ages    [pace.Ages * pace.AgeBucket]float64 // claims by second, newest first
	open    [pace.Lags]float64                  // released and unclaimed, who will come or not
	said    pace.StockState
}

// Controller says up to which place people are released, once a second. It may look at what a gate can know (in), and an
// oracle at everything.
type Controller interface {
	Tick(p *plant, in *pace.Inputs) (x int64)
}

// telling is a controller that also says something about the stock.
type telling interface{ says() pace.StockState }

// Run plays one scenario with one seed under one controller.
func Run(story *Scenario, seed uint64, decide Controller) Score {
	p := &plant{story: story, habits: &usual, world: calm(story.Servers), fates: chance(mix(seed * 0x9e3779b97f4a7c15))}
	if story.plan != nil {
		p.habits = &story.plan.Habits
	}
	p.stock.open(story.Seats)
	p.signal.fates = p.fates
	for second := 0; second <= story.Seconds; second++ {
		t := float64(second)
		for len(p.events) > 0 && p.events[0].at <= t {
			e := p.events.pop()
			p.expire(e.at)
			p.now = e.at
			p.happen(e)
		}
		p.expire(t)
		p.now = t
		if story.plan != nil {
			p.world = story.plan.At(second)
			p.serve()
			p.cash()
		}
		for p.next < len(story.changes) && story.changes[p.next].at <= t {
			story.changes[p.next].do(&p.world)
			p.next++
			p.serve()
			p.cash()
		}
		p.tick(second, decide)
		if story.plan != nil && story.plan.over(second) {
			break
		}
	}
	return p.finish()
}

func (p *plant) tick(second int, decide Controller) {
	in := &p.in
	p.fly(0)
	p.inside -= p.idle[second%len(p.idle)]
	p.idle[second%len(p.idle)] = 0
	in.Gate.X, in.Gate.Waiting, in.Gate.Active = p.x, p.story.waiting(second, p.x), p.inside
	in.Gate.Flight = p.flights
	in.Gate.P99, in.Gate.Failed, in.Gate.Asked = p.seen.turn()
	in.Gate.RecentP99, in.Gate.RecentFailed = p.seen.recentP99, p.seen.recentFailed
	in.Gate.Away = !p.world.Store
	p.signal.sample(p, second)
	p.signal.deliver(p)
	p.judge(second)
	x := decide.Tick(p, in)
	if t, ok := decide.(telling); ok {
		p.said = t.says()
		if p.said == pace.SoldOut && p.stock.sold < p.stock.total {
			p.score.SoldLie++
		}
	}
	if p.world.Leader { // else the edges keep their counts for the next one
		in.Gate.Claims = [pace.Lags]uint32{}
		in.Gate.Work = [pace.MaxKinds][pace.Ages]uint32{}
		in.Gate.Seconds = 0
	}
	in.Gate.Seconds++
	p.flights, p.work = 0, 0
	copy(p.ages[1:], p.ages[:len(p.ages)-1])
	p.ages[0] = 0
	copy(p.open[1:], p.open[:len(p.open)-1])
	p.open[0] = 0
	if x < p.x {
		p.score.Disorder += float64(p.x - x)
	}
	if x > p.x && p.world.Store {
		p.release(x)
	}
}

// release lets the places up to x claim, evenly over the coming second.
func (p *plant) release(x int64) {
	n := float64(x - p.x)
	for k := p.x; k < x; k++ {
		p.open[0]++
		if p.fates.uniform(k, showsUp) >= p.world.Show {
			continue
		}
		at := p.now + float64(k-p.x)/n
		wait := p.habits.delay(p.fates, k)
		p.events.push(event{at + wait, evClaim, p.born(k), int32(p.now)})
	}
	p.x = x
}

func (p *plant) judge(second int) {
	if second > 0 && (p.in.Gate.P99 > 1 || p.in.Gate.Failed > 0.01) && p.in.Gate.Asked >= 20 {
		p.score.Over++
	}
	p.score.Work += p.work
	p.score.series = append(p.score.series, p.work)
	if p.stock.total > 0 && p.score.Sold95 == 0 && float64(p.stock.sold) >= 0.95*float64(p.stock.total) {
		p.score.Sold95 = p.now
	}
}

func (p *plant) finish() Score {
	s := &p.score
	s.Over /= float64(p.story.Seconds)
	s.Vain = p.vain / max(1, s.Admitted)
	s.Deferred = p.late / max(1, p.wish)
	s.Sway = sway(s.series[len(s.series)*2/3:])
	if p.stock.total > 0 && s.Sold95 == 0 {
		s.Sold95 = math.Inf(1)
	}
	return *s
}

// sway is the coefficient of variation of 30 s means.
func sway(series []float64) float64 {
	const span = 30
	n, sum, squares := 0.0, 0.0, 0.0
	for i := 0; i+span <= len(series); i += span {
		mean := 0.0
		for _, v := range series[i : i+span] {
			mean += v / span
		}
		n, sum, squares = n+1, sum+mean, squares+mean*mean
	}
	if sum <= 0 {
		return 0
	}
	mean := sum / n
	return math.Sqrt(max(0, squares/n-mean*mean)) / mean
}
