package check

import (
	"context"
	"fmt"
	"time"
)

// TakenOver counts the sold seats of an event (of all for "") that somebody else
// had held before, whose hold ended by time and was never given back: the sale
// took the seat over without any sweeper.
func TakenOver(ctx context.Context, db Querier, event string) (int, error) {
	n, err := collect[struct{ N int32 }](ctx, db, sqlTakenOver, event)
	if err != nil {
		return 0, err
	}
	return int(n[0].N), nil
}

// Sold counts the sold seats of an event (of all for "") and those that are for
// sale at all.
func Sold(ctx context.Context, db Querier, event string) (sold, seats int, err error) {
	n, err := collect[struct{ Sold, Seats int32 }](ctx, db, sqlSold, event)
	if err != nil {
		return 0, 0, err
	}
	return int(n[0].Sold), int(n[0].Seats), nil
}

const quietPoll = 200 * time.Millisecond

// WaitQuiet waits until nothing is on its way any more: no attempt undecided or
// to be captured, voided or refunded, no webhook unread. P1, P3 and L2 speak of
// that moment. Not reaching it in time is an error: a money loop that never ends
// must not be judged in the middle.
func WaitQuiet(ctx context.Context, db Querier, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		n, err := collect[struct{ N int64 }](ctx, db, sqlUnrest)
		if err != nil {
			return err
		}
		if n[0].N == 0 {
			return nil
		}
		select {
		case <-time.After(quietPoll):
		case <-ctx.Done():
			return fmt.Errorf("after %s there are still %d attempts, refunds and webhooks under way", limit, n[0].N)
		}
	}
}
