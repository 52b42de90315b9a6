package booking

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/gauge"
	"github.com/ropeline/ropeline/core/pg"
)

// crew runs claimed work in the background, at most so many at once.
type crew struct {
	slots chan struct{}
	wg    sync.WaitGroup
	busy  gauge.Busy // the slots at which work is done; one that is only reserved is none
}

func newCrew(n int) *crew { return &crew{slots: make(chan struct{}, n)} }

// reserve takes a slot; false: all are taken.
func (c *crew) reserve() bool {
	select {
	case c.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

// giveUp gives a reserved slot back; some may have waited for it.
func (c *crew) giveUp(e *Engine, kick *chan struct{}) {
	full := len(c.slots) == cap(c.slots)
	<-c.slots
	if full {
		e.kick(kick)
	}
}

// work counts a slot as busy until what it returns is called.
func (c *crew) work() (end func()) {
	c.busy.Start(time.Now(), false)
	return func() { c.busy.End(time.Now()) }
}

// start sets a worker with a reserved slot on x, if the loops run: the worker's work is
// theirs, and ends with them. Otherwise x waits until its claim runs out.
func (c *crew) start(e *Engine, x claimed, do func(context.Context, claimed) error) {
	e.running.RLock()
	defer e.running.RUnlock()
	ctx := e.runs
	if ctx == nil {
		c.giveUp(e, &e.kicks.payments)
		return
	}
	c.wg.Go(func() {
		defer c.giveUp(e, &e.kicks.payments)
		defer c.work()()
		if err := do(ctx, x); err != nil && ctx.Err() == nil {
			e.log.Error("a payment could not be attended", "payment", Ref{x.order.event, x.attempt}, "err", err)
		}
	})
}

// claim takes as many due rows as there are free workers. A claim pushes next_at
// into the future in a transaction of its own: whoever else looks, in this process
// or another, passes the row by.
func (c *crew) claim(ctx context.Context, e *Engine, sql string, kick *chan struct{}, do func(context.Context, claimed) error) (bool, error) {
	free := 0
	for free < maxClaim && c.reserve() {
		free++
	}
	if free == 0 {
		return false, nil
	}
	used := 0
	defer func() {
		for ; used < free; free-- {
			<-c.slots
		}
	}()
	var list []claimed
	err := e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql, free, paymentLease.Seconds())
		if err != nil {
			return fmt.Errorf("claim: %w", err)
		}
		list, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (c claimed, err error) {
			return c, r.Scan(&c.order.event, &c.order.id, &c.attempt)
		})
		return err
	})
	if err != nil {
		return false, fmt.Errorf("claim: %w", err)
	}
	ctx = pg.ForBuyers(ctx) // what was found is somebody's payment
	for _, x := range list {
		used++
		c.wg.Go(func() {
			defer c.giveUp(e, kick)
			defer c.work()()
			if err := do(ctx, x); err != nil && ctx.Err() == nil {
				// The claim runs out and somebody tries again: nothing is lost.
				e.log.Error("a payment could not be attended", "payment", Ref{x.order.event, x.attempt}, "err", err)
			}
		})
	}
	return len(list) == maxClaim, nil
}
