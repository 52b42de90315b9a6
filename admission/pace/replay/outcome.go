package replay

import (
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/sim"
)

// note keeps what came of a second.
func (p *Past) note(second int, in *pace.Inputs, d *pace.Decision) {
	o := &p.out
	o.Account.Add(in, d)
	o.Last = *d
	if in.Gate.Waiting > 0 {
		o.Emptied = -1
	} else if o.Emptied < 0 {
		o.Emptied = second
	}
	if s := &in.Stock; !s.At.IsZero() {
		if p.origin.total > 0 && o.Sold < 0 && s.Available <= 0 && s.Held <= 0 {
			o.Sold = second
		}
		p.sold = s.Sold
	}
	if n := len(o.Points); n == 0 || second >= o.Points[n-1].Second+step {
		o.Points = append(o.Points, sim.Point{
			Second: second, Rate: d.Rate, Reason: d.Reason, Waiting: in.Gate.Waiting, Inside: in.Gate.Active, Sold: int(p.sold - p.origin.sold),
			Over: o.Account.Over > p.missed,
		})
		p.missed = o.Account.Over
	}
}

// Outcome is what came of the event, in the words of one that is played.
func (p *Past) Outcome() sim.Outcome {
	o := p.out
	o.Joined = p.crowd.joinedBy(p.last)
	o.Admitted = int64(p.crowd.persons)
	o.Buyers = int64(p.sold - p.origin.sold)
	return o
}

// Crowd is who came of those who were let go.
type Crowd struct {
	Released int64
	Came     int64
	Pending  float64 // released in the last minutes and still expected when the log ended
	NoShows  float64 // share of the others who never came
}

// Crowd counts them.
func (p *Past) Crowd() Crowd {
	c := Crowd{Released: p.out.Account.Released(), Came: int64(p.crowd.persons), Pending: p.out.Last.Pending}
	if n := float64(c.Released) - c.Pending; n >= 1 {
		c.NoShows = min(1, max(0, 1-float64(c.Came)/n))
	}
	return c
}

// Stock is what the origin told of its seats when the log began and when it ended; ok is false if it told nothing.
func (p *Past) Stock() (first, last pace.Stock, ok bool) {
	return p.origin.first, p.origin.latest, !p.origin.stockAt.IsZero()
}

// Overridden is one decision of an operator.
type Overridden struct {
	pace.Override
	From, To time.Time // To: as it really ended
}

// Overrides are all, in order.
func (p *Past) Overrides() (list []Overridden) {
	end := p.began.Add(time.Duration(p.last) * time.Second)
	for i, s := range p.said {
		o := s.operator.Override
		if o.Mode == pace.Auto {
			continue
		}
		to := min(s.until, p.last)
		if i+1 < len(p.said) {
			to = min(to, p.said[i+1].second)
		}
		at := Overridden{Override: o, From: p.began.Add(time.Duration(s.second) * time.Second), To: end}
		if to < p.last {
			at.To = p.began.Add(time.Duration(to) * time.Second)
		}
		if n := len(list); n > 0 && list[n-1].Override == o && list[n-1].To.Equal(at.From) {
			list[n-1].To = at.To // the cap or the floor changed meanwhile
			continue
		}
		list = append(list, at)
	}
	return list
}
