package event

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event/eventfile"
)

// presalesOf reads an event's presales in the order they were made.
func presalesOf(ctx context.Context, tx pgx.Tx, id int64) ([]eventfile.Presale, error) {
	rows, err := tx.Query(ctx, sqlPresales, id)
	if err != nil {
		return nil, fmt.Errorf("read presales: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p eventfile.Presale, err error) {
		return p, row.Scan(&p.Name, &p.StartsAt, &p.EndsAt)
	})
	if err != nil {
		return nil, fmt.Errorf("read presales: %w", err)
	}
	return list, nil
}

// presales brings an event's presales to what the file says. They are known by their
// names; one that has given out codes is not removed, but its window may be closed.
func (im *importer) presales(ctx context.Context, e *eventfile.Event, id int64) (changed bool, err error) {
	have, err := presalesOf(ctx, im.tx, id)
	if err != nil {
		return false, err
	}
	for _, want := range e.Presales {
		i := slices.IndexFunc(have, func(p eventfile.Presale) bool { return p.Name == want.Name })
		if i >= 0 && have[i].StartsAt.Equal(want.StartsAt) && orZero(have[i].EndsAt).Equal(orZero(want.EndsAt)) {
			continue
		}
		if _, err := im.tx.Exec(ctx, sqlPutPresale, id, want.Name, want.StartsAt, want.EndsAt); err != nil {
			return false, fmt.Errorf("write presale %s of event %s: %w", want.Name, e.Slug, err)
		}
		changed = true
	}
	for _, old := range have {
		if !slices.ContainsFunc(e.Presales, func(p eventfile.Presale) bool { return p.Name == old.Name }) {
			im.addf(e.Line, e.Path+".presales", "no longer has %q, which event %q was imported with; give it an ends_at instead", old.Name, e.Slug)
		}
	}
	return changed, nil
}

// SeatChange is a seat that an import took off the sale or put on it.
type SeatChange struct {
	Seat    int32
	Blocked bool
}

// CounterChange is a counter's sums after an import changed what it may sell.
type CounterChange struct {
	ID        int64
	Held      int
	Sold      int
	Available int
}

// block takes the seats that the file names off the sale and puts those on it that it
// does not name any more. What somebody holds or has bought is not blocked.
func (im *importer) block(ctx context.Context, e *eventfile.Event, id int64) (changed bool, err error) {
	if !e.BlockedSaid {
		return false, nil
	}
	want := map[int32]int{} // seat -> line of the file
	for i, b := range e.Blocked {
		ids, err := im.seatsOf(ctx, e, i, b, id)
		if err != nil {
			return false, err
		}
		for _, s := range ids {
			want[s] = b.Line
		}
	}
	named := make([]int32, 0, len(want))
	for s := range want {
		named = append(named, s)
	}
	rows, err := im.tx.Query(ctx, sqlLockBlocked, id, named)
	if err != nil {
		return false, fmt.Errorf("lock seats of event %s: %w", e.Slug, err)
	}
	var (
		seat  int32
		state string
		until *time.Time
		now   time.Time
		made  []SeatChange
	)
	_, err = pgx.ForEachRow(rows, []any{&seat, &state, &until, &now}, func() error {
		line, block := want[seat]
		switch {
		case block && (state == "sold" || state == "held" && until.After(now)):
			im.addf(line, e.Path+".blocked", "names seat %d, which is %s; a seat is blocked when nobody has it", seat, state)
		case block != (state == "blocked"):
			made = append(made, SeatChange{seat, block})
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("lock seats of event %s: %w", e.Slug, err)
	}
	if len(made) == 0 || len(im.findings) > 0 {
		return false, nil
	}
	var ids [2][]int32 // to put on the sale, to take off it
	for _, c := range made {
		i := 0
		if c.Blocked {
			i = 1
		}
		ids[i] = append(ids[i], c.Seat)
	}
	if _, err := im.tx.Exec(ctx, sqlBlock, id, ids[1], ids[0]); err != nil {
		return false, fmt.Errorf("block seats of event %s: %w", e.Slug, err)
	}
	im.blocked = made
	return true, nil
}

// seatsOf finds the seats that one entry of "blocked" names.
func (im *importer) seatsOf(ctx context.Context, e *eventfile.Event, i int, b eventfile.Blocked, id int64) (ids []int32, err error) {
	rows, err := im.tx.Query(ctx, sqlSeatsOfRow, id, b.Section, b.Row)
	if err != nil {
		return nil, fmt.Errorf("find seats of event %s: %w", e.Slug, err)
	}
	numbers := map[string]int32{}
	var number string
	var seat int32
	if _, err := pgx.ForEachRow(rows, []any{&seat, &number}, func() error { numbers[number] = seat; ids = append(ids, seat); return nil }); err != nil {
		return nil, fmt.Errorf("find seats of event %s: %w", e.Slug, err)
	}
	path := fmt.Sprintf("%s.blocked[%d]", e.Path, i)
	if len(ids) == 0 {
		im.addf(b.Line, path, "venue %q has no row %q in section %q", e.Venue, b.Row, b.Section)
	}
	if len(b.Seats) == 0 {
		return ids, nil
	}
	ids = ids[:0]
	for _, n := range b.Seats {
		if s, ok := numbers[n]; ok {
			ids = append(ids, s)
		} else if len(numbers) > 0 {
			im.addf(b.Line, path+".seats", "section %q row %q has no seat %q", b.Section, b.Row, n)
		}
	}
	return ids, nil
}

// Statements of presales and blocked seats.
const (
	sqlPresales   = `SELECT name, starts_at, ends_at FROM presale WHERE event_id = $1 ORDER BY id`
	sqlPutPresale = `INSERT INTO presale (event_id, id, name, starts_at, ends_at)
		SELECT $1, coalesce(max(id), 0) + 1, $2, $3, $4 FROM presale WHERE event_id = $1
		ON CONFLICT (event_id, name) DO UPDATE SET starts_at = excluded.starts_at, ends_at = excluded.ends_at`

	sqlSeatsOfRow = `SELECT s.seat_id, v.number FROM event e JOIN venue_seat v ON v.venue_id = e.venue_id AND v.section = $2 AND v.row_name = $3
		JOIN seat s ON s.event_id = e.id AND s.seat_id = v.seat_id WHERE e.id = $1 ORDER BY s.seat_id`
	sqlLockBlocked = `SELECT seat_id, state, held_until, clock_timestamp() FROM seat
		WHERE event_id = $1 AND (seat_id = ANY($2::int[]) OR state = 'blocked') ORDER BY seat_id FOR NO KEY UPDATE`
	sqlBlock = `UPDATE seat SET state = CASE WHEN seat_id = ANY($2::int[]) THEN 'blocked' ELSE 'available' END, hold_id = NULL, held_until = NULL
		WHERE event_id = $1 AND seat_id = ANY($2::int[] || $3::int[])`
)

var ruleStatements = map[string]string{"presales": sqlPresales, "put presale": sqlPutPresale, "seats of row": sqlSeatsOfRow,
	"lock blocked": sqlLockBlocked, "block": sqlBlock, "count seats": sqlCountSeats}
