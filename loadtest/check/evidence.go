package check

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/loadtest/history"
	"github.com/ropeline/ropeline/loadtest/record"
)

// Querier is what the checks need of PostgreSQL; a pool or a connection.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Evidence is everything a sale left behind. What is nil was not collected.
type Evidence struct {
	DB       Querier
	Payments []Payment                    // the provider's whole list
	Grants   []GrantEvent                 // of one room, in the store's order
	History  []history.Span               //
	Requests []record.Request             //
	Keys     map[string]ed25519.PublicKey // pass keys by kid
	Room     string                       // audience of the passes
	Ungated  []string                     // paths the edge forwards without a pass, "*" at the end matches a prefix
}

// collect runs a query and turns each row into a value by field position.
func collect[T any](ctx context.Context, db Querier, sql string, args ...any) ([]T, error) {
	if db == nil {
		return nil, errors.New("no database; give --database")
	}
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	if err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	return all, nil
}
