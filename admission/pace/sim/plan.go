package sim

import (
	"errors"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/account"
)

const (
	// MostSeconds is the longest event that is played: what is kept of it grows with it.
	MostSeconds = 24 * 3600
	quietEnd    = 300 // seconds after the line is empty: those inside have bought or gone
	soldEnd     = 30  // seconds after everything is sold
	pointEvery  = 10  // seconds
)

// Plan is one event played under package pace alone: one that was recorded, or one that somebody wonders about.
type Plan struct {
	Config   *pace.Config // resource 0 is the database, 1 (if there is one) the payment provider
	Habits   Habits
	At       func(second int) World
	Joined   func(second int) int64         // people who have joined the line by then
	Last     int                            // second after which nobody joins any more
	Operator func(second int) pace.Operator // nil: nobody intervenes; its times are Clock's
	Seats    int                            // 0: more than can be sold
	Gate     bool                           // the origin's inner gate
	Most     int                            // seconds; 0: MostSeconds
	Seed     uint64
	Watch    func(in *pace.Inputs, d *pace.Decision) // sees each second, if set
}

// Point is a moment of an event.
type Point struct {
	Second  int
	Rate    float64
	Reason  pace.Limit
	Waiting int64
	Inside  int64
	Sold    int
	Over    bool // the objectives were missed in one of the seconds since the last point
}

// Outcome is what came of it.
type Outcome struct {
	Account  account.Account
	Joined   int64
	Admitted int64
	Buyers   int64
	Emptied  int // second at which the last in line was let go; -1: people still waited at the end
	Sold     int // second at which everything was sold; -1: never
	Points   []Point
	Last     pace.Decision
}

// Play plays a plan to its end: the line is empty and those inside are done, or everything is sold, or the time is over.
func Play(p Plan) (Outcome, error) {
	switch {
	case p.Config == nil || p.At == nil || p.Joined == nil:
		return Outcome{}, errors.New("a plan needs a configuration, a world and arrivals")
	case !p.Habits.sane():
		return Outcome{}, errors.New("nobody behaves like that: shares are 0 to 1, times are seconds, holds last less than two hours, and at least one page costs something")
	case p.Most < 0 || p.Most > MostSeconds:
		return Outcome{}, errors.New("more than 24 hours cannot be played: ask about a shorter event")
	}
	if p.Most == 0 {
		p.Most = MostSeconds
	}
	w := p.At(0)
	r := &player{Plan: p, ours: ours{config: p.Config, state: pace.New(p.Config), lost: -1}}
	r.out.Emptied, r.out.Sold = -1, -1
	story := &Scenario{Name: "plan", Seconds: p.Most, Servers: w.Servers, Seats: p.Seats, Gate: p.Gate, plan: r}
	score := Run(story, p.Seed, r)
	r.out.Admitted, r.out.Buyers = int64(score.Admitted), int64(score.Buyers)
	return r.out, nil
}

// player is the controller of package pace under a plan, and takes notes.
type player struct {
	Plan
	ours
	out     Outcome
	missed  int // seconds over the objectives before the last point
	ended   int // seconds since the line was empty
	soldOut int // seconds since everything was sold
}

// Tick implements Controller.
func (r *player) Tick(p *plant, in *pace.Inputs) int64 {
	second := int(p.now)
	in.Operator = pace.Operator{}
	if r.Operator != nil {
		in.Operator = r.Operator(second)
	}
	x := r.decide(p, in, clock(p.now))
	r.note(p, in, second)
	if r.Watch != nil {
		r.Watch(in, &r.ours.last)
	}
	return x
}

func (r *player) note(p *plant, in *pace.Inputs, second int) {
	o, d := &r.out, &r.ours.last
	o.Account.Add(in, d)
	o.Joined, o.Last = in.Gate.X+in.Gate.Waiting, *d
	if in.Gate.Waiting > 0 {
		o.Emptied, r.ended = -1, 0
	} else {
		if o.Emptied < 0 {
			o.Emptied = second
		}
		r.ended++
	}
	if p.stock.total > 0 && p.stock.sold >= p.stock.total {
		if o.Sold < 0 {
			o.Sold = second
		}
		r.soldOut++
	}
	if second%pointEvery == 0 {
		o.Points = append(o.Points, Point{
			Second: second, Rate: d.Rate, Reason: d.Reason, Waiting: in.Gate.Waiting, Inside: in.Gate.Active, Sold: p.stock.sold,
			Over: o.Account.Over > r.missed,
		})
		r.missed = o.Account.Over
	}
}

func (r *player) over(second int) bool {
	return second > r.Last && (r.ended > quietEnd || r.soldOut > soldEnd)
}

// waiting is the line from x on. The scenarios' is never at its end.
func (s *Scenario) waiting(second int, x int64) int64 {
	if s.plan == nil {
		return 1 << 40
	}
	return max(0, s.plan.Joined(second)-x)
}

// Clock is the moment of a second of virtual time.
func Clock(second int) time.Time { return clock(float64(second)) }

// Calm is the world of a shop with so many database servers in which nothing is wrong.
func Calm(servers float64) World { return calm(servers) }
