package outbox

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// Message is a row as it was written.
type Message struct {
	Seq     int64
	Payload []byte
}

// Since reads what came to an aggregate after seq, oldest first, at most limit rows:
// for readers inside the core that follow one aggregate. Rows are purged some days
// after their publication, so a gap after seq means "build anew".
func Since(ctx context.Context, q pg.Querier, aggregate string, seq int64, limit int) ([]Message, error) {
	rows, err := q.Query(ctx, sqlSince, aggregate, seq, limit)
	if err != nil {
		return nil, fmt.Errorf("read outbox of %s: %w", aggregate, err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Message])
	if err != nil {
		return nil, fmt.Errorf("read outbox of %s: %w", aggregate, err)
	}
	return out, nil
}
