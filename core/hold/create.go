package hold

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// Sizes in bytes of a row in a COPY, for the first allocation.
const (
	copiedAccount = 50
	copiedHold    = 140
	copiedLine    = 130
)

// writeNewAccounts adds the rows of those who have taken something for the first time. Who
// is second to write one runs again, and finds what the first has done.
func (w *World) writeNewAccounts(ctx context.Context, tx pgx.Tx) error {
	var list []*Account
	for a := range w.was.accounts {
		if a.New && a.Used {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b *Account) int { return cmp.Or(cmp.Compare(a.EventID, b.EventID), cmp.Compare(a.ID, b.ID)) })
	rows := pg.NewCopy(len(list) * copiedAccount)
	for _, a := range list {
		rows.Row(5).Int64(a.EventID).Int64(a.ID).Int32(int32(a.Sold)).OrNull(!a.Since.IsZero()).Time(a.Since).OrNull(a.Budget >= 0).Int32(int32(a.Budget))
	}
	if err := rows.Send(ctx, tx, sqlCopyAccounts); err != nil {
		return fmt.Errorf("add accounts: %w", err)
	}
	return nil
}

// Begun says which of these accounts, found without a row before, have one by now.
func Begun(ctx context.Context, q pg.Querier, list []AccountRef) (map[AccountRef]bool, error) {
	events, ids := make([]int64, len(list)), make([]int64, len(list))
	for i, a := range list {
		events[i], ids[i] = a.Event, a.ID
	}
	rows, err := q.Query(ctx, sqlAccountsThere, events, ids)
	if err != nil {
		return nil, fmt.Errorf("look for accounts again: %w", err)
	}
	there := make(map[AccountRef]bool)
	var a AccountRef
	if _, err := pgx.ForEachRow(rows, []any{&a.Event, &a.ID}, func() error { there[a] = true; return nil }); err != nil {
		return nil, fmt.Errorf("look for accounts again: %w", err)
	}
	return there, nil
}

// Begin takes the row of an account that has none, waiting for whoever is about to write it.
// It is not the caller's when that one has.
func Begin(ctx context.Context, q pg.Querier, a AccountRef) (mine bool, err error) {
	tag, err := q.Exec(ctx, sqlBeginAccount, a.Event, a.ID)
	if err != nil {
		return false, fmt.Errorf("take an account's row: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

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
