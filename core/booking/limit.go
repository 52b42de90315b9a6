package booking

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
)

// LimitRequest sets what a counter may sell.
type LimitRequest struct {
	Counter            int64
	Capacity, Overbook int
	Actor              string // who wants it, for the record
}

// MaxCapacity of a counter.
const MaxCapacity = 1_000_000

// SetLimit changes a limit of an event, during the sale too. It waits for the batch
// that has the counter, and the next batch sees it.
func (e *Engine) SetLimit(ctx context.Context, slug string, r LimitRequest) error {
	if r.Capacity < 0 || r.Capacity > MaxCapacity || r.Overbook < 0 || r.Overbook > r.Capacity {
		return hold.ErrInvalidHold.Say("A capacity is 0 to %d, and what is sold past it no more than itself.", MaxCapacity)
	}
	id, err := e.EventID(ctx, slug)
	if err != nil {
		return err
	}
	return e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := hold.LockEvent(ctx, tx, id); err != nil {
			return err
		}
		changed, err := hold.SetLimit(ctx, tx, id, r.Counter, r.Capacity, r.Overbook, r.Actor)
		if err != nil {
			return err
		}
		if _, err := publish(ctx, tx, []hold.Changes{changed}); err != nil {
			return fmt.Errorf("set limit: %w", err)
		}
		return nil
	})
}

// DeniedBoarding names who has no place in an overbooked class if everybody comes.
func (e *Engine) DeniedBoarding(ctx context.Context, slug string, counter int64) ([]hold.Unseated, error) {
	id, err := e.EventID(ctx, slug)
	if err != nil {
		return nil, err
	}
	return hold.DeniedBoarding(ctx, e.db.Pool, id, counter)
}
