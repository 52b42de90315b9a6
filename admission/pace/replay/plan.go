package replay

import (
	"errors"
	"fmt"
	"math"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/sim"
)

const (
	leastSlow, mostSlow = 0.1, 20.0
	unlimitedSlots      = 1e6
)

// Options change the event that is played.
type Options struct {
	Config    *pace.Config // nil: the one it was run with
	Overrides bool         // what the operator did then is done again
	Seed      uint64
	Gate      bool // the origin has an inner gate
	Most      int  // seconds; 0: as long as the line lasts, a day at most
}

// Plan is the event, ready to be played. notes say what of the log the simulator does not have.
func (p *Past) Plan(o Options) (plan sim.Plan, notes []string, err error) {
	if p.began.IsZero() {
		return plan, nil, errors.New("the log holds no decision")
	}
	cfg := o.Config
	if cfg == nil {
		cfg = p.cfg
	}
	if cfg, err = p.fit(cfg); err != nil {
		return plan, nil, err
	}
	habits, err := p.crowd.habits(p.cfg)
	if err != nil {
		return plan, nil, err
	}
	calm, err := p.origin.calm()
	if err != nil {
		return plan, nil, err
	}
	p.costs(&habits, calm)
	worlds := p.worlds(calm)
	plan = sim.Plan{
		Config: cfg, Habits: habits, Joined: p.crowd.joinedBy, Last: p.last, Seats: int(p.origin.total), Gate: o.Gate, Most: o.Most, Seed: o.Seed,
		At: func(second int) sim.World { return worlds[min(stepOf(second), len(worlds)-1)] },
	}
	if o.Overrides {
		plan.Operator = p.operator
	}
	return plan, p.notes(), nil
}

// fit puts the configuration's resources in the plant's order.
func (p *Past) fit(cfg *pace.Config) (*pace.Config, error) {
	var own origin
	own.find(cfg)
	c := *cfg
	c.Resources = []pace.Resource{cfg.Resources[own.db]}
	if own.pay >= 0 && p.origin.pay >= 0 {
		c.Resources = append(c.Resources, cfg.Resources[own.pay])
	}
	c.Stock = p.origin.total > 0
	if math.IsInf(c.Ceiling, 1) {
		c.Ceiling = 0 // as NewConfig takes it
	}
	fitted, err := pace.NewConfig(c)
	if err != nil {
		return nil, fmt.Errorf("the configuration for the replay: %w", err)
	}
	return fitted, nil
}

// costs are those of the configuration the event was run with, in seconds of its database. The plant knows four kinds;
// everything else that people asked for is put on their pages.
func (p *Past) costs(h *sim.Habits, calm float64) {
	ratio := &p.cfg.Resources[p.origin.db].Cost
	h.Cost = [pace.MaxKinds]float64{}
	for _, k := range []int{pace.Page, pace.Hold, pace.Confirm} {
		h.Cost[k] = ratio[k] * calm
	}
	pages := float64(h.LeastPages) + h.MorePages
	// What a payment costs the database is paid when it is confirmed: there the plant has one request for each.
	h.Cost[pace.Confirm] += ratio[pace.Pay] * calm
	for k := range ratio {
		if k >= pace.Other {
			times, _ := p.crowd.perPerson(k)
			h.Cost[pace.Page] += times * ratio[k] * calm / pages
		}
	}
}

// worlds is the origin step by step.
func (p *Past) worlds(calm float64) []sim.World {
	shows := p.crowd.shows()
	list := make([]sim.World, len(p.origin.list))
	slow, pay := 1.0, 1.2
	first := true
	for i := range list {
		m := &p.origin.list[i]
		w := sim.Calm(max(1, m.Servers))
		if u, ok := p.origin.unit(i); ok && !m.Silent {
			slow = min(mostSlow, max(leastSlow, u/calm))
		}
		if t, ok := p.origin.payTime(i); ok {
			pay = t
			if first {
				for k := range list[:i] {
					list[k].PayTime = t
				}
				first = false
			}
		}
		w.Slow, w.PayTime, w.Slots = slow, pay, m.Slots
		if w.Slots < 1 {
			w.Slots = unlimitedSlots
		}
		w.Telemetry, w.Store, w.Down = !m.Silent, !m.Away, m.Down
		w.Show = shows[min(i, len(shows)-1)]
		list[i] = w
	}
	for i := len(list) - 1; i >= 0; i-- { // before the first reading: as in it
		if i+1 < len(list) && p.origin.list[i].Servers < 1 {
			list[i].Servers, list[i].Slots = list[i+1].Servers, list[i+1].Slots
		}
	}
	return list
}

// operator is what was wanted at a second of the event.
func (p *Past) operator(second int) (o pace.Operator) {
	for i := len(p.said) - 1; i >= 0; i-- {
		if s := &p.said[i]; s.second <= second {
			o = s.operator
			o.Override.Until = sim.Clock(s.until)
			break
		}
	}
	if o.Override.Mode == pace.Shadow {
		o.Override = pace.Override{} // nothing was applied then; here the question is what would have been
	}
	return o
}

func (p *Past) notes() (list []string) {
	for i := range p.cfg.Resources {
		if i != p.origin.db && i != p.origin.pay {
			list = append(list, fmt.Sprintf("resource %s is not in the simulator: what it limited is missing from the replay", p.cfg.Resources[i].Name))
		}
	}
	if p.cut {
		list = append(list, "the log is longer than a day: only its first day is replayed")
	}
	return list
}
