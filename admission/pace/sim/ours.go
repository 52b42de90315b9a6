package sim

import (
	"math"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

const (
	saveEvery  = 10 // seconds
	leaderless = 15.0
)

// ours is the controller of package pace as production runs it.
type ours struct {
	config *pace.Config
	state  pace.State
	last   pace.Decision
	saved  []byte
	lost   float64 // when the leader went
	credit float64
	Trace  func(second int, s *pace.State, d *pace.Decision)
}

// Shop is the configuration for every size of this plant: costs as ratios that are roughly right, and guesses.
func Shop(story *Scenario) *pace.Config {
	w := calm(story.Servers)
	nominal := pace.Headroom(w.Servers) * w.Servers / w.perPerson()
	c, err := pace.NewConfig(pace.Config{
		Resources: []pace.Resource{
			{Name: "db", Cost: [pace.MaxKinds]float64{pace.Page: 1, pace.Hold: 4, pace.Confirm: 5}, Work: 10 * story.Guess},
			{Name: "payment", Cost: [pace.MaxKinds]float64{pace.Pay: 1}, Work: 0.5 * story.Guess, WorkAge: 130, Headroom: 0.85},
		},
		SafeRate: nominal / 10 * story.Safe,
		Stock:    story.Seats > 0,
	})
	if err != nil {
		panic(err) // a scenario is a constant
	}
	return c
}

func newOurs(story *Scenario) Controller {
	c := Shop(story)
	return &ours{config: c, state: pace.New(c), lost: -1}
}

func (o *ours) Tick(p *plant, in *pace.Inputs) int64 {
	now := clock(p.now)
	if !p.world.Leader {
		if o.lost < 0 {
			o.lost = p.now
		}
		// Any edge's tick keeps the last pace for a while; then the floor.
		release := o.last.Release
		if p.now-o.lost > leaderless {
			release = o.config.Floor
		}
		o.credit += release
		n := math.Floor(o.credit)
		o.credit -= n
		return p.x + int64(n)
	}
	if o.lost >= 0 {
		s, err := pace.Restore(o.config, o.saved, now)
		if err != nil {
			panic(err)
		}
		o.state, o.lost = s, -1
	}
	in.Operator = pace.Operator{}
	if p.pinned() {
		in.Operator.Override = pace.Override{Mode: pace.Pin, Rate: p.nominal() / 2, Who: "ops", Why: "a look at half the rate", Until: clock(p.story.Pin[1])}
	}
	return o.decide(p, in, now)
}

// decide is what the leader does each second.
func (o *ours) decide(p *plant, in *pace.Inputs, now time.Time) int64 {
	o.state, o.last = pace.Next(o.state, in, now)
	if int(p.now)%saveEvery == 0 && hasLeaderChange(p.story) {
		b, err := o.state.Save()
		if err != nil {
			panic(err)
		}
		o.saved = b
	}
	if o.Trace != nil {
		o.Trace(int(p.now), &o.state, &o.last)
	}
	return o.last.X
}

func (o *ours) says() pace.StockState { return o.last.Stock }

// pinned is whether the operator has pinned the rate to half of the nominal one.
func (p *plant) pinned() bool { return p.now >= p.story.Pin[0] && p.now < p.story.Pin[1] }

func (p *plant) nominal() float64 {
	w := calm(p.story.Servers)
	return pace.Headroom(w.Servers) * w.Servers / w.perPerson()
}

// hasLeaderChange spares the runs that never restore the cost of saving.
func hasLeaderChange(s *Scenario) bool {
	for _, c := range s.changes {
		w := calm(s.Servers)
		if c.do(&w); !w.Leader {
			return true
		}
	}
	return false
}
