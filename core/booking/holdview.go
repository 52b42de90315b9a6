package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/problem"
)

// HoldView reads a hold of an account without a lock: what is shown, not what
// decides. Another account's hold is not found.
func (e *Engine) HoldView(ctx context.Context, account int64, slug string, id uuid.UUID) (HoldView, error) {
	eventID, err := e.EventID(ctx, slug)
	if err != nil {
		return HoldView{}, err
	}
	var (
		h       = hold.Hold{EventID: eventID, ID: id}
		now     time.Time
		version int64
	)
	err = e.db.Pool.QueryRow(ctx, sqlHoldView, eventID, id, account).
		Scan(&h.State, &h.HeldUntil, &h.Amount, &h.Currency, &now, &version)
	if errors.Is(err, pgx.ErrNoRows) {
		return HoldView{}, problem.NotFound.Say("You have no such hold.")
	}
	if err != nil {
		return HoldView{}, fmt.Errorf("read hold: %w", err)
	}
	v := HoldView{
		ID: id, Event: slug, State: h.StateAt(now).String(), Amount: h.Amount, Currency: h.Currency,
		ExpiresAt: Stamp(h.HeldUntil), ServerTime: Stamp(now), Version: version, Lines: []LineView{},
	}
	rows, err := e.db.Pool.Query(ctx, sqlHoldViewLines, eventID, id)
	if err != nil {
		return HoldView{}, fmt.Errorf("read lines of hold: %w", err)
	}
	var (
		l                                hold.Line
		section, row, number, counterTag string
	)
	_, err = pgx.ForEachRow(rows, []any{&l.N, &l.Seat, &l.Counter, &l.Class, &l.Qty, &l.Price, &section, &row, &number, &counterTag}, func() error {
		label := counterTag
		if l.Seat != 0 {
			label = hold.Label(section, row, number)
		}
		c := l // viewLine points into the line it is given
		v.Lines = append(v.Lines, viewLine(&c, label))
		return nil
	})
	if err != nil {
		return HoldView{}, fmt.Errorf("read lines of hold: %w", err)
	}
	return v, nil
}
