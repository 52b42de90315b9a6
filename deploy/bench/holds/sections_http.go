package main

import (
	"context"
	"time"
)

// calm is the part of the greatest rate at which the wait is measured.
const calm = 0.7

// warmHTTP is how long a process is asked before it is measured: it checks each buyer's token and pass once.
const warmHTTP = 3 * time.Second

func (b *bench) throughHTTP(ctx context.Context, _ int) error {
	ref, err := b.theirs(ctx, "one_by_one.sql")
	if err != nil {
		return err
	}
	defer b.counter.stopChildren()
	first, err := b.counter.start(ctx)
	if err != nil {
		return err
	}
	one, err := b.knock(ctx, "HTTP, one process", []string{first}, b.connections, 0)
	if err != nil {
		return err
	}
	b.Ratio("holds.http_vs_one_by_one", one.perSecond(), ref)
	steady, err := b.knock(ctx, "HTTP at 70 %", []string{first}, b.connections, calm*one.perSecond())
	if err != nil {
		return err
	}
	p99 := steady.percentile(0.99)
	b.Note("HTTP at 70 %%: p50 %s, p99 %s", steady.percentile(0.5).Round(100*time.Microsecond), p99.Round(100*time.Microsecond))
	b.Value("holds.p99_ms", float64(p99)/float64(time.Millisecond))

	second, err := b.counter.start(ctx)
	if err != nil {
		return err
	}
	two, err := b.knock(ctx, "HTTP, two processes", []string{first, second}, b.connections, 0)
	b.Ratio("holds.two_processes_vs_one", two.perSecond(), one.perSecond())
	return err
}

func (b *bench) knock(ctx context.Context, what string, addresses []string, connections int, rate float64) (tally, error) {
	crowd, err := b.counter.crowd()
	if err != nil {
		return tally{}, err
	}
	shooters, hangUp, err := overHTTP(addresses, connections, crowd, walk("arena", arenaSeats))
	if err != nil {
		return tally{}, err
	}
	defer hangUp()
	t := drive(ctx, load{warm: warmHTTP, window: b.window(), rate: rate}, shooters)
	b.Note("%s: %.0f committed/s, %.0f decided/s", what, t.perSecond(), t.decided())
	return t, t.sound(what)
}
