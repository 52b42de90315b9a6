package hold

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/problem"
)

// LockEvent reads an event and keeps its state as it is until the transaction
// ends: the first lock of every transaction that sells.
func LockEvent(ctx context.Context, tx pgx.Tx, id int64) (*Event, error) {
	ev := new(Event)
	err := tx.QueryRow(ctx, sqlLockEvent, []int64{id}).Scan(ev.fields()...)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, problem.NotFound
	}
	if err != nil {
		return nil, fmt.Errorf("lock event: %w", err)
	}
	return ev, nil
}

// fields are where a row of eventColumns goes.
func (e *Event) fields() []any {
	return []any{&e.ID, &e.Slug, &e.Title, &e.Organiser, &e.State, &e.Currency, &e.OnSaleAt, &e.OffSaleAt, &e.MaxPerAccount,
		micros{&e.TTL}, &e.Extend, micros{&e.ExtendBy}, micros{&e.Cap}, &e.LatePolicy, &e.FeeBP}
}
