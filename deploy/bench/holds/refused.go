package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// shortQueue is what may wait in a lane here: at twice what the engine can do it is always full.
const shortQueue = 128

// refusals asks an engine for twice what it can do, and measures how soon those are told to come again for whom there is no
// room: from when they asked, on a machine that is busy with everybody else.
func (b *bench) refusals(ctx context.Context, _ int) error {
	most, err := b.ours(ctx, "what there is to overload", walk("arena", arenaSeats), b.inFlight)
	if err != nil {
		return err
	}
	db, err := pg.Open(ctx, b.database, pg.Options{MaxConns: engineConns})
	if err != nil {
		return err
	}
	defer db.Close()
	e, err := booking.New(booking.Config{QueueLimit: shortQueue}, db, booking.Deps{})
	if err != nil {
		return err
	}
	var (
		mu  sync.Mutex
		got []time.Duration
		ask = inProcess(ctx, e, walk("arena", arenaSeats))
		l   = load{warm: b.window() / 4, window: b.window(), rate: 2 * most.perSecond()}
	)
	t := drive(ctx, l, times(b.inFlight, func(n int64) (verdict, error) {
		begin := time.Now()
		v, err := ask(n)
		if errors.Is(err, problem.Overloaded) {
			mu.Lock()
			got = append(got, time.Since(begin))
			mu.Unlock()
			return refused, nil
		}
		return v, err
	}))
	if err := t.sound("at twice what there is"); err != nil {
		return err
	}
	if len(got) < 100 {
		return fmt.Errorf("only %d of %d requests were refused: nothing was overloaded", len(got), t.committed+t.refused)
	}
	slices.Sort(got)
	p99 := got[len(got)*99/100]
	b.Note("at twice what there is: %.0f committed/s, %d refused, p50 %s, p99 %s", t.perSecond(), len(got), got[len(got)/2].Round(time.Microsecond), p99.Round(time.Microsecond))
	b.Value("holds.refused_ms_p99", float64(p99)/float64(time.Millisecond))
	return nil
}
