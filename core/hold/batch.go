package hold

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// batch sends statements in one round trip. The server runs them one after the
// other, each with its own snapshot, as if they had come one by one.
type batch struct {
	pgx.Batch
}

func (b *batch) exec(sql string, args ...any) { b.Queue(sql, args...) }

// each scans every row of a statement into dest and calls fn.
func (b *batch) each(sql string, args, dest []any, fn func()) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, dest, func() error { fn(); return nil })
		return err
	})
}

func (b *batch) send(ctx context.Context, tx pgx.Tx, what string) error {
	if b.Len() == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &b.Batch).Close(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
