package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/ropeline/ropeline/admission/pace/replay"
	"github.com/ropeline/ropeline/admission/pace/sim"
	"github.com/ropeline/ropeline/loadtest/event"
)

// list is a flag that may be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(v string) error { *l = append(*l, v); return nil }

// replayCommand plays a recorded event again, once as it was run and once with other settings.
func replayCommand(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	log := logFlags(flags)
	var settings list
	flags.Var(&settings, "set", "another setting to try, e.g. safe_rate=20 or db.headroom=0.8; may be given several times")
	overrides := flags.Bool("overrides", true, "what the operators did then is done again")
	gate := flags.Bool("gate", false, "the origin has an inner gate at hold and pay, as bookingd has")
	seed := flags.Uint64("seed", 1, "chance of the replays")
	page := flags.String("html", "", "file for the same as one page with charts")
	if err := parse(flags, args); err != nil {
		return err
	}
	past, err := log().Past()
	if err != nil {
		return err
	}
	columns := []event.Column{{Title: "as it was", Config: past.Config(), Outcome: past.Outcome()}}
	o := replay.Options{Overrides: *overrides, Gate: *gate, Seed: *seed}
	again, notes, err := played(past, o, "replayed")
	if err != nil {
		return err
	}
	columns = append(columns, again)
	if len(settings) > 0 {
		if o.Config, err = replay.Set(past.Config(), settings...); err != nil {
			return fmt.Errorf("--set: %w", err)
		}
		other, _, err := played(past, o, settings.String())
		if err != nil {
			return err
		}
		columns = append(columns, other)
	}
	for _, n := range notes {
		fmt.Fprintln(os.Stderr, "replay:", n)
	}
	if err := event.Table(os.Stdout, columns); err != nil {
		return err
	}
	return writePage(*page, "The event, replayed", event.Compare(columns))
}

func played(past *replay.Past, o replay.Options, title string) (c event.Column, notes []string, err error) {
	plan, notes, err := past.Plan(o)
	if err != nil {
		return c, nil, err
	}
	out, err := sim.Play(plan)
	return event.Column{Title: title, Config: plan.Config, Outcome: out}, notes, err
}
