package hold

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// RaiseVersions gives each event its next map version. It is the last lock of a
// transaction: commits of one event happen in the order of its versions, so deltas
// have no holes.
func RaiseVersions(ctx context.Context, tx pgx.Tx, events []int64) (map[int64]int64, error) {
	return versions(ctx, tx, sqlRaiseVersions, events)
}

// Versions reads the present map versions, 0 for an event in which nothing has
// been held yet.
func Versions(ctx context.Context, q pg.Querier, events []int64) (map[int64]int64, error) {
	return versions(ctx, q, sqlVersions, events)
}

func versions(ctx context.Context, q pg.Querier, sql string, events []int64) (map[int64]int64, error) {
	out := make(map[int64]int64, len(events))
	if len(events) == 0 {
		return out, nil
	}
	rows, err := q.Query(ctx, sql, events)
	if err != nil {
		return nil, fmt.Errorf("map versions: %w", err)
	}
	var id, v int64
	if _, err := pgx.ForEachRow(rows, []any{&id, &v}, func() error { out[id] = v; return nil }); err != nil {
		return nil, fmt.Errorf("map versions: %w", err)
	}
	return out, nil
}
