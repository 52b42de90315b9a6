package ladder

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

const (
	mostSteps = 40
	bisects   = 3   // steps between the last good rate and the first bad one
	rest      = 0.3 // of a step's length, after a bad one
	mostRate  = 20_000.0
)

// Config is a climb.
type Config struct {
	Origin string // http://127.0.0.1:9000
	Visit  Visit
	Header http.Header   // of every request: a secret of the origin, a host name
	From   float64       // people a second; default 1
	Factor float64       // from step to step; default 1.5
	Step   time.Duration // length of a step; default 30 s
	Most   float64       // people a second; default: until it breaks
	P99    time.Duration // objective; default 1 s
	Errors float64       // objective, share; default 0.01
	Seed   uint64
	Late   time.Duration // p99 of how late the driver may send; default 250 ms
	Tell   func(Result)  // after each step; may be nil
}

func (c *Config) check() error {
	u, err := url.Parse(c.Origin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" {
		return fmt.Errorf("origin %q: write its address, for example http://127.0.0.1:9000", c.Origin)
	}
	if len(c.Visit) == 0 {
		return errors.New("a visit has at least one step")
	}
	c.From, c.Factor, c.Step = or(c.From, 1), or(c.Factor, 1.5), or(c.Step, 30*time.Second)
	c.P99, c.Errors, c.Most = or(c.P99, time.Second), or(c.Errors, 0.01), or(c.Most, mostRate)
	c.Late = or(c.Late, 250*time.Millisecond)
	switch {
	case !(c.From > 0) || !(c.Most >= c.From) || c.Most > mostRate:
		return fmt.Errorf("from %g to %g people a second: write rising numbers up to %g", c.From, c.Most, mostRate)
	case !(c.Factor > 1) || c.Factor > 10:
		return fmt.Errorf("factor %g: write more than 1, up to 10", c.Factor)
	case c.Step < time.Second || c.Step > time.Hour:
		return fmt.Errorf("step %s: write 1s to 1h", c.Step)
	case c.P99 <= 0 || !(c.Errors > 0) || c.Errors > 1:
		return fmt.Errorf("objectives %s and %g: write a time and a share", c.P99, c.Errors)
	}
	return nil
}

func or[T comparable](v, otherwise T) T {
	var none T
	if v == none {
		return otherwise
	}
	return v
}

// Climb is what was found.
type Climb struct {
	Steps []Result
	Best  Result // the highest good step
	Broke bool   // a bad one was reached: else Best is only what was tried
}

// Run climbs. It ends with an error when not even the first step was good, or when the driver and not the origin was
// the limit.
func Run(ctx context.Context, c Config) (climb Climb, err error) {
	if err := c.check(); err != nil {
		return climb, err
	}
	if err := c.answers(ctx); err != nil {
		return climb, err
	}
	return c.climb(ctx, newDriver(&c).step)
}

// stepper makes one step at a rate.
type stepper func(ctx context.Context, rate float64, length time.Duration) (Result, error)

func (c *Config) climb(ctx context.Context, step stepper) (climb Climb, err error) {
	bad := 0.0
	for rate := c.From; len(climb.Steps) < mostSteps; {
		r, err := c.try(ctx, step, rate)
		if err != nil {
			return climb, err
		}
		climb.Steps = append(climb.Steps, r)
		if c.Tell != nil {
			c.Tell(r)
		}
		switch {
		case r.Good:
			climb.Best = r
		case climb.Best.Rate == 0:
			return climb, fmt.Errorf("already %g people a second are too many: %s; begin lower, or mend the origin first", rate, r.Verdict)
		default:
			climb.Broke, bad = true, rate
		}
		next, more := c.next(climb.Best.Rate, bad, len(climb.Steps)-good(climb.Steps))
		if !more {
			return climb, nil
		}
		if !r.Good && !sleep(ctx, time.Duration(rest*float64(c.Step))) {
			return climb, ctx.Err()
		}
		rate = next
	}
	return climb, nil
}

func good(steps []Result) (n int) {
	for _, r := range steps {
		if !r.Good {
			break
		}
		n++
	}
	return n
}

// next is the rate after this one: up by the factor until a step was bad, then halfway between; since is how many steps
// were made from the first bad one on.
func (c *Config) next(best, bad float64, since int) (rate float64, more bool) {
	if bad == 0 {
		rate = min(c.Most, best*c.Factor)
		return rate, rate > best
	}
	return (best + bad) / 2, since <= bisects
}

// try makes one step and judges it.
func (c *Config) try(ctx context.Context, step stepper, rate float64) (Result, error) {
	r, err := step(ctx, rate, c.Step)
	if err != nil {
		return r, err
	}
	switch {
	case r.Asked < tellsAny:
		return r, fmt.Errorf("only %d answers in a step of %s: too few to judge by; make steps longer or begin higher", r.Asked, c.Step)
	case r.Late > c.Late && r.P99 <= c.P99:
		return r, fmt.Errorf("at %.3g people a second this machine sends %s late: it is the limit and not the origin; drive from another machine, or from a larger one", rate, r.Late.Round(time.Millisecond))
	case r.Failed > c.Errors:
		r.Verdict = fmt.Sprintf("%.1f%% failed (%s)", 100*r.Failed, r.Why)
	case r.P99 > c.P99:
		r.Verdict = fmt.Sprintf("p99 is %s", r.P99.Round(time.Millisecond))
	default:
		r.Good, r.Verdict = true, "good"
	}
	return r, nil
}
