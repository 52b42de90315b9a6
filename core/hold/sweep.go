package hold

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// DueCounters finds where lines are due: event to counters. It reads without locks; what it misses is found next time. lag is for
// how long the oldest of them has been due.
func DueCounters(ctx context.Context, q pg.Querier, limit int) (due map[int64][]int64, lag time.Duration, err error) {
	rows, err := q.Query(ctx, sqlDue, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("find due lines: %w", err)
	}
	due = make(map[int64][]int64)
	var event, counter, since int64
	if _, err := pgx.ForEachRow(rows, []any{&event, &counter, &since}, func() error {
		due[event] = append(due[event], counter)
		lag = max(lag, micros(since))
		return nil
	}); err != nil {
		return nil, 0, fmt.Errorf("find due lines: %w", err)
	}
	return due, lag, nil
}

// Sweep gives at most limit due lines of an event's counters back, with the
// statement that every decision begins with, and nothing else. It returns how many.
func Sweep(ctx context.Context, tx pgx.Tx, event int64, counters []int64, limit int) (int, error) {
	s := NewScope()
	for _, c := range counters {
		s.counters[counterKey{event, c}] = struct{}{}
	}
	w := newWorld(time.Time{})
	if err := w.lock(ctx, tx, s, Block); err != nil {
		return 0, err
	}
	swept := 0
	if ce, ci := s.counterArrays(); len(ci) > 0 {
		var e, id int64
		var held, excess, n int
		b := new(batch)
		b.each(sqlReclaim, []any{ce, ci, w.Now, limit}, []any{&e, &id, &held, &excess, &n}, func() { swept += n })
		if err := b.send(ctx, tx, "reclaim"); err != nil {
			return 0, err
		}
	}
	return swept, nil
}
