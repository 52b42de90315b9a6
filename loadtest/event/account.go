package event

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/replay"
)

const clockFormat = "15:04:05"

// Tell writes the report after an event.
func Tell(w io.Writer, p *replay.Past) error {
	t := &teller{w: w}
	o := p.Outcome()
	end := p.Began().Add(time.Duration(p.Seconds()) * time.Second)
	t.line("The event from %s to %s, %s.", p.Began().UTC().Format("2006-01-02 "+clockFormat), end.UTC().Format(clockFormat+" UTC"), Duration(o.Account.Span()))
	t.line("")
	t.line("%s people stood in line and %s were let go; the longest wait was %s.", Count(o.Joined), Count(o.Account.Released()), Duration(o.Account.Longest))
	c := p.Crowd()
	t.line("%s came; %.1f%% of those let go never did (%.0f were still expected at the end).", Count(c.Came), 100*c.NoShows, c.Pending)
	t.stock(p)
	t.line("The objectives were missed for %s of %s minutes.", minutes(seconds(o.Account.Over)), minutes(seconds(o.Account.Seconds)))
	t.line("")
	for _, s := range Losses(p) {
		t.line("%s", s)
	}
	t.overrides(p)
	t.line("")
	return t.err
}

// teller keeps the first error.
type teller struct {
	w   io.Writer
	err error
}

func (t *teller) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format+"\n", args...)
	}
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

func (t *teller) stock(p *replay.Past) {
	first, last, ok := p.Stock()
	if !ok {
		t.line("The origin did not tell what it sold.")
		return
	}
	text := fmt.Sprintf("%s of %s seats were sold in this time", Count(int64(last.Sold-first.Sold)), Count(int64(first.Total-first.Sold)))
	if at := p.Outcome().Sold; at >= 0 {
		text += ", the last after " + Duration(seconds(at))
	} else {
		text += fmt.Sprintf("; %s are free and %s in baskets", Count(int64(last.Available)), Count(int64(last.Held)))
	}
	t.line("%s.", text)
}

// Losses are sentences on what kept people waiting, the dearest limit first.
func Losses(p *replay.Past) (list []string) {
	o, cfg := p.Outcome(), p.Config()
	var by []pace.Limit
	for l := range pace.Limits {
		if o.Account.Limits[l].Seconds > 0 {
			by = append(by, l)
		}
	}
	slices.SortStableFunc(by, func(a, b pace.Limit) int {
		return o.Account.Limits[b].Seconds - o.Account.Limits[a].Seconds
	})
	slices.SortStableFunc(by, func(a, b pace.Limit) int { return int(o.Account.Lost(b) - o.Account.Lost(a)) })
	if len(by) == 0 {
		return []string{"Nobody ever waited."}
	}
	list = append(list, fmt.Sprintf("People waited for %s minutes; at its best the event let in %s people a second. What decided the rate meanwhile:",
		minutes(seconds(o.Account.Waiting)), Rate(o.Account.Fastest)))
	for _, l := range by {
		list = append(list, fmt.Sprintf("  %-12s decided for %6s min and cost %6s min: %s", cfg.Name(l), minutes(seconds(o.Account.Limits[l].Seconds)),
			minutes(o.Account.Lost(l)), meaning(cfg, l)))
	}
	return list
}

// meaning is what one would do about a limit.
func meaning(cfg *pace.Config, l pace.Limit) string {
	if int(l) < len(cfg.Resources) {
		return "more " + cfg.Resources[l].Name + " would have let more people in"
	}
	switch l {
	case pace.ByStock:
		return "there were no seats for more people"
	case pace.ByCap:
		return "the room was full: its cap"
	case pace.BySlew:
		return "the rate was rising: a higher safe_rate or an earlier event's knowledge begins higher"
	case pace.ByConfidence:
		return "nothing was known yet: safe_rate"
	case pace.ByStale:
		return "the origin's telemetry was silent"
	case pace.ByBrake:
		return "the origin failed and had to recover"
	case pace.ByCeiling:
		return "the configured ceiling"
	case pace.ByFloor:
		return "the floor let in more than the limits would have"
	case pace.ByPin, pace.ByPause, pace.ByDrain:
		return "an operator's decision, see below"
	case pace.ByStore:
		return "the line's store was out of reach"
	}
	return "see the decision log"
}

func (t *teller) overrides(p *replay.Past) {
	list := p.Overrides()
	t.line("")
	if len(list) == 0 {
		t.line("No operator intervened.")
		return
	}
	t.line("Operators intervened %d times:", len(list))
	for _, o := range list {
		what := o.Mode.String()
		if o.Mode == pace.Pin {
			what += " to " + Rate(o.Rate) + "/s"
		}
		t.line("  %s to %s  %-14s by %s: %s", o.From.UTC().Format(clockFormat), o.To.UTC().Format(clockFormat), what, o.Who, o.Why)
	}
}
