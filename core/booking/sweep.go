package booking

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
)

const (
	sweepBatch  = 500 // lines of one transaction: short enough to be in nobody's way
	purgeBatch  = 2000
	purgeEvery  = 10 * time.Minute
	sweepRounds = 8 // counters looked at per event and step
)

// sweep gives back what expired holds still count, a bounded number of lines per
// event and step. Every decision reclaims for itself, so a sweeper that is late or
// off changes no outcome, only how fresh the counters look to readers.
func (e *Engine) sweep(ctx context.Context) (again bool, err error) {
	due, lag, err := hold.DueCounters(ctx, e.db.Pool, sweepRounds)
	if err != nil {
		return false, err
	}
	e.metrics.sweepLag.Set(lag.Seconds())
	var failed []error
	for _, event := range slices.Sorted(maps.Keys(due)) {
		n := 0
		err := e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
			n, err = hold.Sweep(ctx, tx, event, due[event], sweepBatch)
			return err
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("sweep event %d: %w", event, err))
			continue
		}
		e.metrics.expired.Add(float64(n))
		again = again || n >= sweepBatch || len(due[event]) >= sweepRounds && n > 0
	}
	return again, errors.Join(failed...)
}

// purge forgets idempotency keys that nobody repeats any more, old tries of codes, and
// webhooks whose time is over.
func (e *Engine) purge(ctx context.Context) (again bool, err error) {
	if err := e.dropKeys(ctx); err != nil {
		return false, err
	}
	err = e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := hold.ForgetTries(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sqlPurgeWebhooks, webhookDays, purgeBatch)
		again = tag.RowsAffected() >= purgeBatch
		return err
	})
	if err != nil {
		return false, fmt.Errorf("purge: %w", err)
	}
	return again, nil
}
