package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ropeline/ropeline/deploy/bench/figures"
	"github.com/ropeline/ropeline/deploy/stack"
)

// options are the flags.
type options struct {
	seconds, runs, connections int
	people                     int // of the big room
	lossPeople                 int
	only                       map[string]bool // sections; empty: all
	profile                    string          // directory for CPU profiles of the edge
	bin                        string
}

func (o options) window() time.Duration { return time.Duration(o.seconds) * time.Second }

// bench is what the sections work with.
type bench struct {
	options
	*figures.Figures
	dir string // temporary; each section has its own below
}

// sections, in the order in which they are measured.
var sections = []struct {
	name string
	run  func(*bench, context.Context, string) error
}{
	{"waiting", (*bench).waiting}, {"inside", (*bench).inside}, {"size", (*bench).size}, {"loss", (*bench).loss},
	{"spike", (*bench).spike}, {"ghosts", (*bench).ghosts}, {"verify", (*bench).verify},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "edge:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := stack.Adopt(); err != nil {
		return err
	}
	if o.bin == "" {
		root, err := stack.Repository()
		if err != nil {
			return err
		}
		if err := stack.Build(ctx, stack.Progress{W: os.Stderr}, root, filepath.Join(root, ".run", "bin"), "./caddymodule/cmd/ropeline"); err != nil {
			return err
		}
		o.bin = filepath.Join(root, ".run", "bin", "ropeline")
	}
	dir, err := os.MkdirTemp("", "ropeline-edge-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, Figures: figures.New(os.Stdout), dir: dir}
	for _, s := range sections {
		if len(o.only) > 0 && !o.only[s.name] {
			continue
		}
		own := filepath.Join(dir, s.name)
		if err := os.Mkdir(own, 0o755); err != nil {
			return err
		}
		if err := s.run(b, ctx, own); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func parse(args []string) (options, error) {
	o := options{only: map[string]bool{}}
	f := flag.NewFlagSet("edge", flag.ContinueOnError)
	f.IntVar(&o.seconds, "seconds", 3, "length of one measurement")
	f.IntVar(&o.runs, "runs", 3, "times each ratio is measured; the median is printed")
	f.IntVar(&o.connections, "connections", 64, "kept connections to either side")
	f.IntVar(&o.people, "people", 1_000_000, "waiting in the big room")
	f.IntVar(&o.lossPeople, "loss-people", 100_000, "waiting when Redis loses everything")
	f.StringVar(&o.profile, "profile", "", "directory for CPU profiles of the edge, one a ratio")
	f.StringVar(&o.bin, "bin", "", "a ropeline binary to measure; default: this repository's, built now")
	names := make([]string, len(sections))
	for i, s := range sections {
		names[i] = s.name
	}
	only := f.String("only", "", "sections to run, of: "+strings.Join(names, ","))
	if err := f.Parse(args); err != nil {
		return o, err
	}
	for _, word := range strings.FieldsFunc(*only, func(r rune) bool { return r == ',' || r == ' ' }) {
		known := false
		for _, name := range names {
			known = known || name == word
		}
		if !known {
			return o, fmt.Errorf("-only: %q is not one of %s", word, strings.Join(names, ", "))
		}
		o.only[word] = true
	}
	if o.seconds < 1 || o.runs < 1 || o.connections < 1 || o.people < 10_000 || o.lossPeople < 1000 || f.NArg() > 0 {
		return o, errors.New("want positive numbers (10,000 people, 1,000 loss-people at least) and no other words; see -h")
	}
	return o, nil
}
