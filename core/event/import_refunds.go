package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event/eventfile"
)

// refundsOf reads an event's policy as a file says it; nil: the default one.
func refundsOf(ctx context.Context, tx pgx.Tx, id int64) (*eventfile.Refunds, error) {
	r := &eventfile.Refunds{Tiers: []eventfile.RefundTier{}}
	err := tx.QueryRow(ctx, sqlRefundPolicy, id).Scan(&r.ApprovalOver)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read refund policy: %w", err)
	}
	rows, err := tx.Query(ctx, sqlRefundTiers, id)
	if err != nil {
		return nil, fmt.Errorf("read refund tiers: %w", err)
	}
	tiers, err := pgx.CollectRows(rows, pgx.RowToStructByPos[eventfile.RefundTier])
	if err != nil {
		return nil, fmt.Errorf("read refund tiers: %w", err)
	}
	r.Tiers = append(r.Tiers, tiers...)
	return r, nil
}

// refunds brings the policy to what the file says. It holds for orders that were made
// before, too: what a buyer is offered is computed when it is asked for.
func (im *importer) refunds(ctx context.Context, e *eventfile.Event, id int64) (changed bool, err error) {
	if e.Refunds == nil {
		return false, nil
	}
	have, err := refundsOf(ctx, im.tx, id)
	if err != nil {
		return false, err
	}
	want := slices.Clone(e.Refunds.Tiers)
	slices.SortFunc(want, func(a, b eventfile.RefundTier) int { return cmp.Compare(b.HoursBefore, a.HoursBefore) })
	if have != nil && have.ApprovalOver == e.Refunds.ApprovalOver && slices.Equal(have.Tiers, want) {
		return false, nil
	}
	if _, err := im.tx.Exec(ctx, sqlPutRefundPolicy, id, e.Refunds.ApprovalOver); err != nil {
		return false, fmt.Errorf("write refund policy of event %s: %w", e.Slug, err)
	}
	if _, err := im.tx.Exec(ctx, sqlDropRefundTiers, id); err != nil {
		return false, fmt.Errorf("write refund policy of event %s: %w", e.Slug, err)
	}
	for _, t := range want {
		if _, err := im.tx.Exec(ctx, sqlPutRefundTier, id, t.HoursBefore, t.FeeBP, t.FeePerPlace); err != nil {
			return false, fmt.Errorf("write refund tier of event %s: %w", e.Slug, err)
		}
	}
	return true, nil
}

const (
	sqlRefundPolicy    = `SELECT approval_over FROM refund_policy WHERE event_id = $1`
	sqlRefundTiers     = `SELECT hours_before, fee_bp, fee_per_place FROM refund_tier WHERE event_id = $1 ORDER BY hours_before DESC`
	sqlPutRefundPolicy = `INSERT INTO refund_policy VALUES ($1, $2) ON CONFLICT (event_id) DO UPDATE SET approval_over = excluded.approval_over`
	sqlDropRefundTiers = `DELETE FROM refund_tier WHERE event_id = $1`
	sqlPutRefundTier   = `INSERT INTO refund_tier VALUES ($1, $2, $3, $4)`
)

var refundStatements = map[string]string{"refund policy": sqlRefundPolicy, "refund tiers": sqlRefundTiers, "put refund policy": sqlPutRefundPolicy,
	"drop refund tiers": sqlDropRefundTiers, "put refund tier": sqlPutRefundTier}
