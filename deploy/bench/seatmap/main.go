package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/ropeline/ropeline/deploy/bench/figures"
	"github.com/ropeline/ropeline/deploy/stack"
)

// bench is what the sections work with.
type bench struct {
	*figures.Figures
	seconds, runs, connections int
	only                       map[string]bool
}

func (b *bench) window() time.Duration { return time.Duration(b.seconds) * time.Second }

// sections of the benchmark. They share a shop; with is what it has to have beside the demo's stadium.
var sections = []struct {
	name string
	with []fill
	run  func(*bench, context.Context, *shop) error
}{{"fresh", nil, (*bench).fresh}, {"browser", nil, (*bench).browser}, {"many", withTrips, (*bench).many},
	{"serve", withStadiums, (*bench).serve}, {"behind", withStadiums, (*bench).behind}, {"database", withStadiums, (*bench).database}}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "seatmap:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) (err error) {
	b := &bench{Figures: figures.New(os.Stdout), only: map[string]bool{}}
	names := []string{"codec"}
	for _, s := range sections {
		names = append(names, s.name)
	}
	f := flag.NewFlagSet("seatmap", flag.ContinueOnError)
	f.IntVar(&b.seconds, "seconds", 5, "length of one measurement")
	f.IntVar(&b.runs, "runs", 3, "times each is measured; the median is printed")
	f.IntVar(&b.connections, "connections", 64, "kept connections of the client")
	only := f.String("only", "", "sections to run, of: "+strings.Join(names, ","))
	if err := f.Parse(args); err != nil {
		return err
	}
	if b.seconds < 1 || b.runs < 1 || b.connections < 1 || f.NArg() > 0 {
		return errors.New("want positive numbers and no other words; see -h")
	}
	for _, word := range strings.FieldsFunc(*only, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !strings.Contains(","+strings.Join(names, ",")+",", ","+word+",") {
			return fmt.Errorf("-only: %q is not one of %s", word, strings.Join(names, ", "))
		}
		b.only[word] = true
	}
	if err := stack.Adopt(); err != nil {
		return err
	}
	if b.wants("codec") {
		if err := b.codec(ctx); err != nil {
			return err
		}
	}
	var s *shop
	for _, section := range sections {
		if !b.wants(section.name) {
			continue
		}
		if s == nil {
			if s, err = openShop(ctx); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.close()) }()
		}
		if err := s.fill(ctx, section.with); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
		if err := section.run(b, ctx, s); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	return nil
}

func (b *bench) wants(section string) bool { return len(b.only) == 0 || b.only[section] }
