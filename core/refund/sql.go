package refund

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// Read reads an event's policy.
func Read(ctx context.Context, q pg.Querier, event int64) (p Policy, err error) {
	if err := q.QueryRow(ctx, sqlPolicy, event).Scan(&p.StartsAt, &p.ApprovalOver); err != nil {
		return p, fmt.Errorf("read refund policy: %w", err)
	}
	rows, err := q.Query(ctx, sqlTiers, event)
	if err != nil {
		return p, fmt.Errorf("read refund tiers: %w", err)
	}
	p.Tiers, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Tier, err error) {
		var hours int
		err = row.Scan(&hours, &t.FeeBP, &t.FeePerPlace)
		t.Before = time.Duration(hours) * time.Hour
		return t, err
	})
	if err != nil {
		return p, fmt.Errorf("read refund tiers: %w", err)
	}
	return p, nil
}

const (
	sqlPolicy = `
SELECT e.starts_at, coalesce(p.approval_over, 50000) FROM event e LEFT JOIN refund_policy p ON p.event_id = e.id WHERE e.id = $1`

	sqlTiers = `SELECT hours_before, fee_bp, fee_per_place FROM refund_tier WHERE event_id = $1 ORDER BY hours_before DESC`
)

// statements are all statements of the package, for the test that prepares them.
var statements = map[string]string{"policy": sqlPolicy, "tiers": sqlTiers}
