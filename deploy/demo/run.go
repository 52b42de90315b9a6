package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ropeline/ropeline/deploy/debian"
	"github.com/ropeline/ropeline/deploy/stack"
)

// The demo's door is slow enough that a person sees the line and fast enough that nobody gets bored.
const (
	demoRate = "1/s"
	demoCap  = "60"
)

// programme is what is on sale. The club is not: its holds last four seconds, for the smoke run.
var programme = []string{"stadium.json", "festival.json", "bus.json", "flight.json"}

// run starts everything, shows where it is, and stops it all when ctx ends or one of the programs does.
func run(ctx context.Context, stop func(), o options, root, state string) error {
	p := stack.Progress{W: os.Stdout}
	fmt.Println("Ropeline demo")
	embedded, err := install(p, o.embedded)
	if err != nil {
		return err
	}
	bin := filepath.Join(root, ".run", "bin") // as `make` has built it
	var events []string
	for _, name := range programme {
		events = append(events, filepath.Join(root, "deploy", "demo", "data", name))
	}
	s, err := stack.Up(ctx, stack.Config{
		Dir: state, Bin: bin, Caddyfile: filepath.Join(root, "deploy", "Caddyfile"), Port: o.port, Public: !o.local, SamePorts: true,
		Embedded: embedded, Events: events, Progress: p,
		EdgeEnv: func(*stack.Stack) []string {
			return []string{"ROPELINE_RATE=" + demoRate, "ROPELINE_CAP=" + demoCap, "ROPELINE_TITLE=Ropeline demo"}
		},
	})
	if err != nil {
		return err
	}
	watch, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := s.Failed(watch)
	var queue *crowd
	if o.crowd {
		queue = startCrowd(watch, s)
	}
	var said bytes.Buffer
	welcome(&said, s, o.local, embedded)
	os.Stdout.Write(said.Bytes())
	if err := os.WriteFile(filepath.Join(state, addressFile), said.Bytes(), 0o644); err != nil {
		return errors.Join(fmt.Errorf("keep the addresses for `make demo-addresses`: %w", err), s.Down())
	}
	select {
	case <-ctx.Done():
		fmt.Println("\nstopping (the data stays; press Ctrl-C again to stop at once)")
	case err = <-failed:
		err = fmt.Errorf("stopping, because a program ended: %w", err)
	}
	stop() // from here on a signal has its usual effect
	cancel()
	start := time.Now()
	queue.wait()
	err = errors.Join(err, s.Down())
	fmt.Printf("all stopped after %.1f s\n", time.Since(start).Seconds())
	return err
}

// install brings PostgreSQL, without which there is nothing to sell, and Redis, without which the line lives in the edge.
func install(p stack.Progress, embedded bool) (bool, error) {
	need, err := debian.ByName("postgresql")
	if err != nil {
		return false, err
	}
	if err := debian.Ensure(p.W, need...); err != nil {
		return false, err
	}
	if embedded {
		return true, nil
	}
	wish, err := debian.ByName("redis")
	if err != nil {
		return false, err
	}
	if err := debian.Ensure(p.W, wish...); err != nil {
		p.Say("without Redis: the line lives in the edge itself (%v)", err)
		return true, nil
	}
	return false, nil
}
