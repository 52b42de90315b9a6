package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/ropeline/ropeline/loadtest/ladder"
)

// ladderCommand climbs until the origin's answers get bad and prints what to write into the configuration.
func ladderCommand(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("ladder", flag.ContinueOnError)
	c := ladder.Config{Header: http.Header{}}
	flags.StringVar(&c.Origin, "origin", "", "address of the origin itself, e.g. http://127.0.0.1:9000; never that of a waiting room")
	visit := flags.String("visit", "", "file with what a person does, one step a line: page GET /events/summer 14s (default: --page six times)")
	page := flags.String("page", "/", "path of the page that is looked at without --visit")
	var headers list
	flags.Var(&headers, "header", "header of every request, e.g. 'Host-Secret: abc'; may be given several times")
	flags.Float64Var(&c.From, "from", 1, "people a second in the first step")
	flags.Float64Var(&c.Most, "most", 0, "people a second that are never exceeded (default: until it breaks)")
	flags.Float64Var(&c.Factor, "factor", 1.5, "from one step to the next")
	flags.DurationVar(&c.Step, "step", 30*time.Second, "length of a step")
	flags.DurationVar(&c.P99, "p99", time.Second, "objective for the slowest hundredth of the answers")
	flags.Float64Var(&c.Errors, "errors", 0.01, "objective for the share of failures")
	flags.Uint64Var(&c.Seed, "seed", 1, "chance")
	resource := flags.String("resource", "origin", "what the origin is measured as in the block: the name its telemetry uses, else origin")
	out := flags.String("out", "", "file for the block (default: standard output)")
	if err := parse(flags, args); err != nil {
		return err
	}
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return fmt.Errorf("--header %q: write name: value", h)
		}
		c.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if c.Visit = ladder.Look(*page); !strings.HasPrefix(*page, "/") {
		return fmt.Errorf("--page %q: begin it with /", *page)
	}
	if *visit != "" {
		f, err := os.Open(*visit)
		if err != nil {
			return fmt.Errorf("--visit: %w", err)
		}
		c.Visit, err = ladder.Read(f, *visit)
		f.Close()
		if err != nil {
			return fmt.Errorf("--visit: %w", err)
		}
	}
	c.Tell = func(r ladder.Result) {
		fmt.Fprintf(os.Stderr, "%8.3g people/s  %8.1f requests/s  p99 %8s  failed %5.2f%%  %s\n", r.Rate, r.Requests, r.P99.Round(time.Millisecond), 100*r.Failed, r.Verdict)
	}
	plan, err := c.Plan()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, plan)
	climb, err := ladder.Run(ctx, c)
	if err != nil {
		return err
	}
	text := climb.Snippet(c.Visit, *resource)
	if *out == "" {
		fmt.Print(text)
		return nil
	}
	if err := os.WriteFile(*out, []byte(text), 0o644); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}
