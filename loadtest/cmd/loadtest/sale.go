package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ropeline/ropeline/loadtest/buyer"
	"github.com/ropeline/ropeline/loadtest/check"
	"github.com/ropeline/ropeline/loadtest/history"
	"github.com/ropeline/ropeline/loadtest/record"
)

// saleOptions are what a sale needs beside the crowd.
type saleOptions struct {
	crowd    buyer.Config
	history  string
	listen   string // of the recorder; "" runs without
	origin   string
	record   string
	database string // "" samples nothing
	limit    time.Duration
}

func (o *saleOptions) register(f *flag.FlagSet) {
	c := &o.crowd
	f.StringVar(&c.Edge, "edge", "http://127.0.0.1:8080", "address of the edge")
	f.StringVar(&c.Room, "room", "boxoffice", "name of the waiting room")
	f.StringVar(&c.Event, "event", "", "slug of the event to buy")
	f.StringVar(&c.Page, "page", "", "path of the event's page (default /events/<event>)")
	f.IntVar(&c.Buyers, "buyers", 200, "how many people come")
	f.Uint64Var(&c.Seed, "seed", 1, "the same seed gives the same people")
	f.Float64Var(&c.Early, "early", 0.8, "share of people who come before the opening")
	f.DurationVar(&c.EarlyFor, "early-for", 20*time.Second, "over how long the early ones come, at most until the opening")
	f.DurationVar(&c.LateFor, "late-for", 8*time.Second, "over how long after the opening the others come")
	f.DurationVar(&c.Patience, "patience", 20*time.Second, "how long somebody inside waits for seats that others hold")
	f.Float64Var(&c.Shares.Decline, "decline", 0.1, "share of payers whose first card is declined")
	f.Float64Var(&c.Shares.Duplicate, "duplicate", 0.1, "share of people who send hold, order and pay twice at once")
	f.Float64Var(&c.Shares.WalkAway, "walk-away", 0.05, "share of holders who go away without releasing")
	f.IntVar(&c.WalkAway, "walk-aways", 0, "at most so many walk away (0: any number)")
	f.Float64Var(&c.Shares.Release, "release", 0.05, "share of holders who give their seats back and choose others")
	f.Float64Var(&c.Shares.LatePay, "late-pay", 0, "share of those who order and pay when the hold is over")
	f.Float64Var(&c.Shares.Ghost, "ghost", 0.02, "share of people who join the line and never knock")
	f.StringVar(&o.history, "history", "history.jsonl", "file for what the buyers see")
	f.StringVar(&o.listen, "record", "", "address for the recording proxy, which the edge has as its origin, e.g. 127.0.0.1:9002")
	f.StringVar(&o.origin, "origin", "", "address of the real origin behind the recording proxy, e.g. http://127.0.0.1:9000")
	f.StringVar(&o.record, "record-file", "record.jsonl", "file of the recording proxy")
	f.StringVar(&o.database, "database", "", "PostgreSQL URL; looks for double sales each second while the sale runs")
	f.DurationVar(&o.limit, "for", 5*time.Minute, "the sale ends after this, whoever still waits")
}

func saleCommand(ctx context.Context, args []string) error {
	var o saleOptions
	flags := flag.NewFlagSet("sale", flag.ContinueOnError)
	o.register(flags)
	if err := parse(flags, args); err != nil {
		return err
	}
	report, err := o.run(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

// run lets the crowd buy, between a recorder that starts before it and a sampler,
// and leaves history and recorder's file complete behind.
func (o *saleOptions) run(ctx context.Context) (report buyer.Report, err error) {
	if (o.listen == "") != (o.origin == "") {
		return report, errors.New("--record and --origin go together: where the edge finds its origin, and where that really is")
	}
	if err := o.crowd.Validate(); err != nil {
		return report, err
	}
	w, err := history.Create(o.history)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if o.listen != "" {
		proxy, startErr := record.Start(o.listen, o.origin, o.record)
		if startErr != nil {
			return report, startErr
		}
		defer func() { err = errors.Join(err, proxy.Stop()) }()
	}
	if o.database != "" {
		pool, dbErr := connect(ctx, o.database)
		if dbErr != nil {
			return report, dbErr
		}
		defer pool.Close()
		sampler := check.StartSampler(pool, w)
		defer sampler.Stop()
	}
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	o.crowd.History = w
	return buyer.Run(ctx, o.crowd)
}

// connect opens a small pool: the checks must not take connections from a sale.
func connect(ctx context.Context, address string) (*pgxpool.Pool, error) {
	const few = 2
	if address == "" {
		return nil, errors.New("--database is missing: the PostgreSQL URL of the booking core")
	}
	conf, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	conf.MaxConns = few
	pool, err := pgxpool.NewWithConfig(ctx, conf)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("--database: %w", err)
	}
	return pool, nil
}
