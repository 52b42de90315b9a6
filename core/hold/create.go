package hold

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// Sizes in bytes of a row in a COPY, for the first allocation.
const (
	copiedHold = 140
	copiedLine = 130
)

// writeCreated adds the holds that were taken, and their lines. Nobody else can know
// their keys yet, so nothing is locked and nothing waits.
func (w *World) writeCreated(ctx context.Context, tx pgx.Tx) error {
	if len(w.created) == 0 {
		return nil
	}
	holds, lines := pg.NewCopy(len(w.created)*copiedHold), pg.NewCopy(2*len(w.created)*copiedLine)
	for _, h := range w.created {
		places := 0
		for _, l := range h.Lines {
			places += l.Qty
			lines.Row(12).Int64(h.EventID).UUID(h.ID).Int16(l.N).Int64(h.AccountID)
			lines.OrNull(l.Seat != 0).Int32(l.Seat).OrNull(l.Counter != 0).Int64(l.Counter).OrNull(l.Class != "").Text(l.Class)
			lines.Int32(l.Version).Int32(int32(l.Qty)).Int64(l.Price).Int16(int16(l.State)).Time(l.HeldUntil)
		}
		holds.Row(10).Int64(h.EventID).UUID(h.ID).Int64(h.AccountID).Int16(int16(h.State)).Time(h.CreatedAt).Time(h.FirstHeldAt).Time(h.HeldUntil)
		holds.Int64(h.Amount).Text(string(h.Currency)).Int32(int32(places))
	}
	if err := holds.Send(ctx, tx, sqlCopyHolds); err != nil {
		return fmt.Errorf("add holds: %w", err)
	}
	if err := lines.Send(ctx, tx, sqlCopyLines); err != nil {
		return fmt.Errorf("add lines: %w", err)
	}
	return nil
}
