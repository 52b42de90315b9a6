package event

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event/eventfile"
)

type venueRow struct {
	id                  int64
	name, city, country string
	hash                string
	seats               int
	events              int
}

// lookup finds a venue by slug; found is false if there is none.
func (im *importer) lookup(ctx context.Context, slug string) (row venueRow, found bool, err error) {
	if row, found = im.venues[slug]; found {
		return row, true, nil
	}
	err = im.tx.QueryRow(ctx, sqlVenueBySlug, slug).Scan(&row.id, &row.name, &row.city, &row.country, &row.hash, &row.seats, &row.events)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return row, false, nil
	case err != nil:
		return row, false, fmt.Errorf("look for venue %s: %w", slug, err)
	}
	im.venues[slug] = row
	return row, true, nil
}

func (im *importer) venue(ctx context.Context, v *eventfile.Venue) error {
	doc, hash := geometryDocument(v)
	row, found, err := im.lookup(ctx, v.Slug)
	if err != nil {
		return err
	}
	want := venueRow{id: row.id, name: v.Name, city: v.City, country: v.Country, hash: hash, seats: v.SeatCount(), events: row.events}
	switch {
	case !found:
		if err := im.tx.QueryRow(ctx, sqlInsertVenue, v.Slug, v.Name, v.City, v.Country, hash, doc, want.seats).Scan(&want.id); err != nil {
			return fmt.Errorf("insert venue %s: %w", v.Slug, err)
		}
		im.did("venue", v.Slug, "created", want.seats)
	case row == want:
		im.did("venue", v.Slug, "unchanged", want.seats)
		return nil
	case row.hash != hash && row.events > 0:
		im.addf(v.Line, "venue", "%q differs from the plan that %d events already use, and people have places on it; give the changed venue a new slug", v.Slug, row.events)
		return nil
	default:
		if _, err := im.tx.Exec(ctx, sqlUpdateVenue, row.id, v.Name, v.City, v.Country, hash, doc, want.seats); err != nil {
			return fmt.Errorf("update venue %s: %w", v.Slug, err)
		}
		im.did("venue", v.Slug, "updated", want.seats)
	}
	im.venues[v.Slug] = want
	if found && row.hash == hash {
		return nil
	}
	return im.copySeats(ctx, want.id, v)
}

// copySeats uses COPY: 60,000 single INSERTs take a minute, COPY half a second.
func (im *importer) copySeats(ctx context.Context, venue int64, v *eventfile.Venue) error {
	if _, err := im.tx.Exec(ctx, sqlDeleteVenueSeats, venue); err != nil {
		return fmt.Errorf("replace seats of venue %s: %w", v.Slug, err)
	}
	rows := make([][]any, 0, v.SeatCount())
	for _, s := range v.Sections {
		for _, r := range s.Rows {
			for _, seat := range r.Seats {
				rows = append(rows, []any{venue, int32(len(rows) + 1), s.Name, r.Name, seat.Number, seat.Class, float32(seat.X), float32(seat.Y), orStandard(seat.Kind), r.Quality})
			}
		}
	}
	_, err := im.tx.CopyFrom(ctx, pgx.Identifier{"venue_seat"},
		[]string{"venue_id", "seat_id", "section", "row_name", "number", "class", "x", "y", "kind", "quality"}, pgx.CopyFromRows(rows))
	if err != nil {
		return fmt.Errorf("copy seats of venue %s: %w", v.Slug, err)
	}
	return nil
}

func orStandard(kind string) string {
	if kind == "" {
		return "standard"
	}
	return kind
}

// facts are what an event is checked against when its venue is not in the file.
func (im *importer) facts(ctx context.Context, venue int64) (classes, areas map[string]int, err error) {
	rows, err := im.tx.Query(ctx, sqlVenueClasses, venue)
	if err != nil {
		return nil, nil, fmt.Errorf("read the classes of a venue: %w", err)
	}
	classes = map[string]int{}
	var class string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&class, &n}, func() error { classes[class] = n; return nil }); err != nil {
		return nil, nil, fmt.Errorf("read the classes of a venue: %w", err)
	}
	var doc []byte
	if err := im.tx.QueryRow(ctx, sqlVenueGeometry, venue).Scan(&doc); err != nil {
		return nil, nil, fmt.Errorf("read the geometry of a venue: %w", err)
	}
	areas, err = areasOf(doc)
	return classes, areas, err
}
