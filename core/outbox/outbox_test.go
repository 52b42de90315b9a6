package outbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/outbox"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pgtest"
)

func TestRowsAreThereExactlyIfTheTransactionIs(t *testing.T) {
	db := pgtest.New(t)
	row := func(seq int64) outbox.Row {
		return outbox.Row{Aggregate: "event:7", Seq: seq, Kind: "seats_changed", Payload: map[string]any{"n": seq}}
	}
	appending := func(end error, rows ...outbox.Row) error {
		return db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
			return errors.Join(outbox.Append(ctx, tx, rows...), end)
		})
	}
	if err := appending(nil, row(1), row(2)); err != nil {
		t.Fatal(err)
	}
	if err := appending(errors.New("rolled back"), row(3)); err == nil {
		t.Fatal("no error")
	}
	if err := appending(nil); err != nil {
		t.Errorf("no rows: %v", err)
	}
	if err := appending(nil, row(2)); pg.Constraint(err) != "outbox_pkey" {
		t.Errorf("a repeated seq: %v", err)
	}
	var n int
	var lane int16
	var sum float64
	if err := db.Pool.QueryRow(t.Context(), `SELECT count(*), min(lane), sum((payload->>'n')::int) FROM outbox WHERE state = 0`).Scan(&n, &lane, &sum); err != nil {
		t.Fatal(err)
	}
	if n != 2 || sum != 3 || lane != outbox.Lane("event:7") {
		t.Errorf("%d rows in lane %d, payloads sum to %v", n, lane, sum)
	}
}

// An aggregate's lane is part of its order: it must never change between builds.
func TestLanesAreFixed(t *testing.T) {
	for aggregate, want := range map[string]int16{"event:1": 10, "event:2": 55, "order:1:00000000-0000-0000-0000-000000000000": 52} {
		if got := outbox.Lane(aggregate); got != want {
			t.Errorf("%s is in lane %d, was always in %d", aggregate, got, want)
		}
	}
	seen := make(map[int16]bool)
	for i := range 4000 {
		l := outbox.Lane("event:" + string(rune('a'+i%26)) + string(rune('0'+i%10)) + string(rune('A'+i/400)))
		if l < 0 || l >= outbox.Lanes {
			t.Fatalf("lane %d", l)
		}
		seen[l] = true
	}
	if len(seen) != outbox.Lanes {
		t.Errorf("only %d lanes are used", len(seen))
	}
}
