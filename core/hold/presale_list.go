package hold

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// PresaleUse is a presale and how far its codes are used.
type PresaleUse struct {
	ID       int16
	Name     string
	StartsAt time.Time
	EndsAt   *time.Time // nil: until the event is on sale to everybody
	Codes    int
	Uses     int64 // of all codes together: how many accounts may come in
	Used     int64
	Accounts int64 // that are in
}

// CodeUse is a code and how far it is used. The code itself is kept nowhere.
type CodeUse struct {
	Mark string // the first digits of its hash: tells codes apart, and opens nothing
	Uses int
	Used int
}

// Presales tells how far an event's presales are used, in the order of their numbers.
func Presales(ctx context.Context, q pg.Querier, event int64) ([]PresaleUse, error) {
	rows, err := q.Query(ctx, sqlPresales, event)
	if err != nil {
		return nil, fmt.Errorf("list presales: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[PresaleUse])
	if err != nil {
		return nil, fmt.Errorf("list presales: %w", err)
	}
	return list, nil
}

// Codes tells of at most limit codes of a presale, in the order of their marks, those
// after one. only, if not "", is a code somebody has in hand: of the others nothing is told.
func Codes(ctx context.Context, q pg.Querier, event int64, presale int16, after, only string, limit int) ([]CodeUse, error) {
	var hash []byte
	if only != "" {
		hash = CodeHash(only)
	}
	rows, err := q.Query(ctx, sqlCodes, event, presale, after, hash, limit)
	if err != nil {
		return nil, fmt.Errorf("list codes: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[CodeUse])
	if err != nil {
		return nil, fmt.Errorf("list codes: %w", err)
	}
	return list, nil
}

// Statements of the lists. A mark has 64 bits: no two of a presale's codes have the same.
const (
	sqlPresales = `
SELECT p.id, p.name, p.starts_at, p.ends_at, c.n, c.uses, c.used, (SELECT count(*) FROM presale_grant g WHERE g.event_id = p.event_id AND g.presale = p.id)
  FROM presale p
 CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(sum(c.uses), 0) AS uses, coalesce(sum(c.used), 0) AS used
                       FROM presale_code c WHERE c.event_id = p.event_id AND c.presale = p.id) AS c
 WHERE p.event_id = $1 ORDER BY p.id`

	sqlCodes = `
SELECT left(encode(code_hash, 'hex'), 16), uses, used FROM presale_code
 WHERE event_id = $1 AND presale = $2 AND left(encode(code_hash, 'hex'), 16) > $3 AND ($4::bytea IS NULL OR code_hash = $4)
 ORDER BY code_hash LIMIT $5`
)
