package event

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// MaxRecords of one answer of Records.
const MaxRecords = 200

// Act says who makes the changes of this transaction: the triggers that record
// every change of the catalogue write the name beside it.
func Act(ctx context.Context, tx pgx.Tx, who string) error {
	if _, err := tx.Exec(ctx, sqlActor, who); err != nil {
		return fmt.Errorf("say who changes the catalogue: %w", err)
	}
	return nil
}

// Record is one change of the catalogue. Before has only what was changed, and is
// null when the thing was created.
type Record struct {
	ID     int64           `json:"id"`
	At     Time            `json:"at"`
	Actor  string          `json:"actor"`
	Reason *string         `json:"reason"` // null: none was given
	Kind   string          `json:"kind"`   // venue, event, price_level, counter
	Name   string          `json:"name"`   // slug, class of the price, or name of the counter
	Event  *string         `json:"event"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// Records lists changes, newest first: of one event or, with "", of everything;
// before an id, or from the newest with 0.
func Records(ctx context.Context, q pg.Querier, slug string, before int64) ([]Record, error) {
	rows, err := q.Query(ctx, sqlRecords, slug, before, MaxRecords)
	if err != nil {
		return nil, fmt.Errorf("read changes of the catalogue: %w", err)
	}
	list := []Record{}
	var r Record
	_, err = pgx.ForEachRow(rows, []any{&r.ID, &r.At.Time, &r.Actor, &r.Reason, &r.Kind, &r.Name, &r.Event, &r.Before, &r.After}, func() error {
		if r.Before == nil {
			r.Before = json.RawMessage("null")
		}
		list = append(list, r)
		r = Record{}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read changes of the catalogue: %w", err)
	}
	return list, nil
}
