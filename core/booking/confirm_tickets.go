package booking

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
)

// issueTickets writes one ticket a place, in the transaction that sells it. The
// unique index over live tickets of a seat is the last line of defence: a second
// sale of a seat fails here, whatever went wrong before.
func issueTickets(ctx context.Context, tx pgx.Tx, d *dossier, h *hold.Hold) error {
	var (
		ids      []uuid.UUID
		lines    []int16
		units    []int16
		seats    []int32
		counters []int64
		versions []int32
	)
	for _, l := range h.Lines {
		if l.State != hold.LineSold {
			continue
		}
		for unit := range l.Qty {
			ids = append(ids, uuid.New())
			lines, units = append(lines, l.N), append(units, int16(unit+1))
			seats, counters, versions = append(seats, l.Seat), append(counters, l.Counter), append(versions, l.Version)
		}
	}
	if _, err := tx.Exec(ctx, sqlIssueTickets, d.ev.ID, d.order.ID, d.order.AccountID, d.now,
		ids, lines, units, seats, counters, versions); err != nil {
		return fmt.Errorf("issue tickets: %w", err)
	}
	return nil
}
