package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pg/cluster"
	"github.com/ropeline/ropeline/core/pg/migrate"
	"github.com/ropeline/ropeline/deploy/bench/figures"
	"github.com/ropeline/ropeline/deploy/stack"
)

// options are the flags.
type options struct {
	seconds, runs         int
	clients               []int
	inFlight, connections int
	only                  map[string]bool // sections; empty: all
	profile               string          // file for a CPU profile of the engine's part
	dir                   string          // of the server, kept; "": a temporary one
	settings              map[string]string
}

func (o options) window() time.Duration { return time.Duration(o.seconds) * time.Second }

// bench is what the sections work with.
type bench struct {
	options
	*figures.Figures
	ref      *reference
	owner    *pgx.Conn
	engine   *booking.Engine
	counter  *counter
	database string // the application's URL
	dir      string
}

// patience of the lanes: here the loop that asks is the bound on what waits.
const patience = 10 * time.Second

// gcPercent is bookingd's.
const gcPercent = 400

// engineConns is bookingd's default pool.
const engineConns = 16

func open(ctx context.Context, o options, f *figures.Figures) (*bench, func(), error) {
	var undo []func()
	closeAll := func() {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
	}
	b, err := build(ctx, o, f, func(fn func()) { undo = append(undo, fn) })
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	return b, closeAll, nil
}

func build(ctx context.Context, o options, f *figures.Figures, undo func(func())) (*bench, error) {
	root, err := stack.Repository()
	if err != nil {
		return nil, err
	}
	bin := filepath.Join(root, ".run", "bin")
	if err := stack.Build(ctx, stack.Progress{W: os.Stderr}, root, bin, "./core/cmd/bookingd"); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ropeline-bench-")
	if err != nil {
		return nil, err
	}
	undo(func() { _ = os.RemoveAll(dir) })
	server, err := cluster.Start(ctx, cluster.Options{Dir: o.dir, MaxConns: 200, Settings: o.settings})
	if err != nil {
		return nil, err
	}
	undo(server.Stop)
	for _, name := range []string{"reference", "ropeline"} {
		if err := server.CreateDatabase(ctx, name); err != nil {
			return nil, err
		}
	}
	b := &bench{options: o, Figures: f, dir: dir, database: server.URL("ropeline_app", "ropeline")}
	if b.ref, err = newReference(ctx, server.OwnerURL("reference"), dir, o.seconds); err != nil {
		return nil, err
	}
	if _, err := migrate.Up(ctx, server.OwnerURL("ropeline")); err != nil {
		return nil, err
	}
	if b.owner, err = pgx.Connect(ctx, server.OwnerURL("ropeline")); err != nil {
		return nil, err
	}
	undo(func() { _ = b.owner.Close(context.WithoutCancel(ctx)) })
	if err := b.durable(ctx); err != nil {
		return nil, err
	}
	if err := stock(ctx, b.owner); err != nil {
		return nil, err
	}
	debug.SetGCPercent(gcPercent)
	db, err := pg.Open(ctx, b.database, pg.Options{MaxConns: engineConns})
	if err != nil {
		return nil, err
	}
	undo(db.Close)
	if b.engine, err = booking.New(booking.Config{QueueWait: patience}, db, booking.Deps{}); err != nil {
		return nil, err
	}
	if b.counter, err = newCounter(dir, bin, b.database); err != nil {
		return nil, err
	}
	undo(b.counter.stop)
	return b, nil
}

// durable refuses to measure a server that does not wait for its disk.
func (b *bench) durable(ctx context.Context) error {
	var version, fsync, commit string
	if err := b.owner.QueryRow(ctx, `SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')`).
		Scan(&version, &fsync, &commit); err != nil {
		return fmt.Errorf("ask the server for its settings: %w", err)
	}
	if fsync != "on" || commit != "on" {
		return fmt.Errorf("fsync is %s and synchronous_commit %s: both must be on", fsync, commit)
	}
	b.Note("PostgreSQL %s, fsync %s, synchronous_commit %s, %d s a measurement", version, fsync, commit, b.seconds)
	return nil
}

// ours drives the engine in this process and gives what it counted.
func (b *bench) ours(ctx context.Context, what string, w wish, inFlight int) (tally, error) {
	t := drive(ctx, load{warm: b.window() / 4, window: b.window()}, times(inFlight, inProcess(ctx, b.engine, w)))
	b.Note("%s: %.0f committed/s, %.0f decided/s", what, t.perSecond(), t.decided())
	return t, t.sound(what)
}

func (b *bench) theirs(ctx context.Context, file string) (float64, error) {
	v, err := b.ref.measure(ctx, file, b.clients)
	if err == nil {
		b.Note("%s: %.0f/s with %d clients", file, v, b.ref.best[file])
	}
	return v, err
}
