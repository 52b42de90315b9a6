// Package outbox writes the facts that others are told: a row in the transaction
// of the effect, so that a fact is announced exactly if it was committed.
//
// (aggregate, seq) is the identity of a row. seq is the aggregate's version,
// raised under the aggregate's own row lock, so the order of commits is the order
// of seq. Aggregates hash to Lanes lanes; a relay owns a lane and publishes each
// aggregate in order.
package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Lanes is the number of rows of outbox_lane. Changing it reorders: a row would be
// in another lane than its predecessors.
const Lanes = 64

// Row is one fact.
type Row struct {
	Aggregate string // "event:<id>", "order:<event>:<uuid>"
	Seq       int64  // the aggregate's version, already raised
	Kind      string // past tense: "seats_changed", "order_confirmed"
	Payload   any    // becomes JSON
}

// Lane is where an aggregate's rows go.
func Lane(aggregate string) int16 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(aggregate))
	return int16(h.Sum32() % Lanes)
}

type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Append writes rows with one INSERT. A second row with the same aggregate and
// seq is a bug and refused by the primary key.
func Append(ctx context.Context, tx execer, rows ...Row) error {
	if len(rows) == 0 {
		return nil
	}
	var (
		lanes      = make([]int16, len(rows))
		aggregates = make([]string, len(rows))
		seqs       = make([]int64, len(rows))
		kinds      = make([]string, len(rows))
		payloads   = make([]string, len(rows))
	)
	for i, r := range rows {
		b, err := json.Marshal(r.Payload)
		if err != nil {
			return fmt.Errorf("outbox payload of %s %d: %w", r.Aggregate, r.Seq, err)
		}
		lanes[i], aggregates[i], seqs[i], kinds[i], payloads[i] = Lane(r.Aggregate), r.Aggregate, r.Seq, r.Kind, string(b)
	}
	if _, err := tx.Exec(ctx, sqlAppend, lanes, aggregates, seqs, kinds, payloads); err != nil {
		return fmt.Errorf("append to the outbox: %w", err)
	}
	return nil
}

var _ execer = pgx.Tx(nil)
