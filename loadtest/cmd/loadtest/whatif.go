package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/admission/pace/replay"
	"github.com/ropeline/ropeline/admission/pace/sim"
	"github.com/ropeline/ropeline/loadtest/event"
)

// what-if without a log asks about the ordinary shop of the simulator: these are its numbers.
const (
	wonderedServers = 24.0
	wonderedPeople  = 30_000
)

// wonder is what somebody wants to know about.
type wonder struct {
	people   int64
	over     time.Duration // in which they come
	seats    int
	servers  float64
	capacity float64 // factor
	noShow   share
	payment  time.Duration
	settings list
	seed     uint64
}

// share is written 0.3 or 30%; set says whether it was.
type share struct {
	value float64
	set   bool
}

func (s *share) String() string {
	if !s.set {
		return ""
	}
	return strconv.FormatFloat(100*s.value, 'g', 4, 64) + "%"
}

func (s *share) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || v < 0 || v >= 1 {
		return errors.New("write a share from 0% to less than 100%, for example 15%")
	}
	s.value, s.set = v, true
	return nil
}

// whatIfCommand plays an event that did not happen: a recorded one, or the ordinary shop, with something changed.
func whatIfCommand(_ context.Context, args []string) error {
	flags := flag.NewFlagSet("what-if", flag.ContinueOnError)
	log := logFlags(flags)
	var w wonder
	flags.Int64Var(&w.people, "people", 0, fmt.Sprintf("people in line (default: as recorded, else %d)", wonderedPeople))
	flags.DurationVar(&w.over, "over", 0, "without a log: they come evenly over this time, not all at once")
	flags.IntVar(&w.seats, "seats", -1, "seats to sell; 0: more than can be sold (default: as recorded, else 0)")
	flags.Float64Var(&w.servers, "servers", 0, fmt.Sprintf("database servers or connections (default: as recorded, else %g)", wonderedServers))
	flags.Float64Var(&w.capacity, "capacity", 1, "all of the origin's capacity times this, e.g. 0.5")
	flags.Var(&w.noShow, "no-show", "share of those called who never come, e.g. 30% (default: as recorded, else 15%)")
	flags.DurationVar(&w.payment, "payment", 0, "time that a payment takes, e.g. 4s (default: as recorded, else 1.2s)")
	flags.Var(&w.settings, "set", "another setting of the controller, e.g. safe_rate=20; may be given several times")
	flags.Uint64Var(&w.seed, "seed", 1, "chance")
	page := flags.String("html", "", "file for the same as one page with charts")
	keep := flags.String("write-log", "", "file for the decision log that this event would have left, for report and replay")
	if err := parse(flags, args); err != nil {
		return err
	}
	if err := w.sane(); err != nil {
		return err
	}
	base, err := w.base(log())
	if err != nil {
		return err
	}
	columns := make([]event.Column, 0, 2)
	if log().Files[0] != "" {
		out, err := sim.Play(base)
		if err != nil {
			return err
		}
		columns = append(columns, event.Column{Title: "as recorded, replayed", Config: base.Config, Outcome: out})
	}
	if err := w.change(&base); err != nil {
		return err
	}
	out, err := playInto(*keep, base)
	if err != nil {
		return err
	}
	columns = append(columns, event.Column{Title: "what if", Config: base.Config, Outcome: out})
	if err := event.Table(os.Stdout, columns); err != nil {
		return err
	}
	return writePage(*page, "What if", event.Compare(columns))
}

// playInto plays a plan and writes its decision log, if a file was asked for.
func playInto(path string, p sim.Plan) (out sim.Outcome, err error) {
	if path == "" {
		return sim.Play(p)
	}
	f, err := os.Create(path)
	if err != nil {
		return out, fmt.Errorf("--write-log: %w", err)
	}
	buf := bufio.NewWriter(f)
	w := event.NewWriter(buf, "what-if", p.Config)
	p.Watch = w.Add
	out, err = sim.Play(p)
	if err = errors.Join(err, w.Err(), buf.Flush(), f.Close()); err != nil {
		return out, fmt.Errorf("--write-log %s: %w", path, err)
	}
	return out, nil
}

func (w *wonder) sane() error {
	switch {
	case w.people < 0 || w.people > 10_000_000:
		return fmt.Errorf("--people %d: write 1 to 10,000,000", w.people)
	case w.over < 0 || w.over > sim.MostSeconds*time.Second:
		return fmt.Errorf("--over %s: write up to 24h", w.over)
	case w.servers < 0 || w.servers > 100_000:
		return fmt.Errorf("--servers %g: write 1 to 100,000", w.servers)
	case !(w.capacity > 0) || w.capacity > 1000:
		return fmt.Errorf("--capacity %g: write a factor above 0, for example 0.5", w.capacity)
	case w.payment < 0 || w.payment > 10*time.Minute:
		return fmt.Errorf("--payment %s: write up to 10m", w.payment)
	case w.seats < -1:
		return fmt.Errorf("--seats %d: write 0 or more", w.seats)
	}
	return nil
}

// base is the event before anything is changed.
func (w *wonder) base(log event.Log) (sim.Plan, error) {
	if log.Files[0] != "" {
		past, err := log.Past()
		if err != nil {
			return sim.Plan{}, err
		}
		plan, notes, err := past.Plan(replay.Options{Overrides: true, Seed: w.seed})
		for _, n := range notes {
			fmt.Fprintln(os.Stderr, "what-if:", n)
		}
		return plan, err
	}
	servers, people := wonderedServers, int64(wonderedPeople)
	if w.servers > 0 {
		servers = w.servers
	}
	if w.people > 0 {
		people = w.people
	}
	last := int(w.over.Seconds())
	return sim.Plan{
		Config: sim.Shop(&sim.Scenario{Servers: servers, Safe: 1, Guess: 1, Seats: max(0, w.seats)}), Habits: sim.Usual(), Seed: w.seed, Last: last,
		At: func(int) sim.World { return sim.Calm(servers) },
		Joined: func(second int) int64 {
			if last == 0 {
				return people
			}
			return people * int64(min(second, last)) / int64(last)
		},
	}, nil
}

// change is the question itself.
func (w *wonder) change(p *sim.Plan) error {
	at, joined := p.At, p.Joined
	all := joined(p.Last)
	if w.people > 0 && all > 0 {
		p.Joined = func(second int) int64 { return int64(float64(joined(second)) / float64(all) * float64(w.people)) }
	}
	if w.seats >= 0 {
		p.Seats = w.seats
	}
	p.At = func(second int) sim.World {
		v := at(second)
		if w.servers > 0 {
			v.Servers = w.servers
		}
		v.Servers, v.Slots = v.Servers*w.capacity, v.Slots*w.capacity
		if v.Servers < 1 { // less than one server is a slower one
			v.Slow, v.Servers = v.Slow/v.Servers, 1
		}
		if w.noShow.set {
			v.Show = 1 - w.noShow.value
		}
		if w.payment > 0 {
			v.PayTime = w.payment.Seconds()
		}
		return v
	}
	if len(w.settings) == 0 && p.Config.Stock == (p.Seats > 0) {
		return nil
	}
	c := *p.Config
	c.Stock = p.Seats > 0
	cfg, err := replay.Set(&c, w.settings...)
	if err != nil {
		return fmt.Errorf("--set: %w", err)
	}
	p.Config = cfg
	return nil
}
