package booking

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// endedHold is a hold that its owner released or replaced.
type endedHold struct {
	EventID int64
	HoldID  uuid.UUID
}

// cancelOrdersOf cancels the waiting orders of holds that their owner has just
// released or replaced: an order without its places waits for nothing, and its
// money would have nowhere to go. It runs after the seats are written and before
// the event's version, which is where order rows stand in the lock order, and
// leaves inventory alone: the caller has given it back.
func (e *Engine) cancelOrdersOf(ctx context.Context, tx pgx.Tx, ended []endedHold, now time.Time) error {
	if e.onHoldsEnded == nil || len(ended) == 0 {
		return nil
	}
	return e.onHoldsEnded(ctx, tx, ended, now)
}
