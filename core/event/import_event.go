package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event/eventfile"
)

// eventRow is an event as the file says it and as the database has it, in one
// comparable shape.
type eventRow struct {
	venue                               int64 // 0: none
	organiser, title, description       string
	place, from, to, timeZone, currency string
	startsAt, onSale, offSale           time.Time // UTC; zero: none
	maxPerAccount, feeBP                int
	holdTTL, extendBy, holdCap, mapLife time.Duration
	extend, latePolicy, state           string
	orphanRule, seatsCounted            bool
	accessUntil                         time.Time // zero: none
	holdBudget                          int
}

func rowOf(e *eventfile.Event, venue int64) eventRow {
	return eventRow{venue: venue, organiser: e.Organiser, title: e.Title, description: e.Description,
		place: e.Place, from: e.RouteFrom, to: e.RouteTo, timeZone: e.TimeZone, currency: e.Currency,
		startsAt: e.StartsAt.UTC(), onSale: orZero(e.OnSaleAt), offSale: orZero(e.OffSaleAt), maxPerAccount: e.MaxPerAccount, feeBP: e.FeeBP,
		holdTTL: e.HoldTTL, extendBy: e.ExtendBy, holdCap: e.HoldCap, extend: e.Extend, latePolicy: e.LatePolicy, state: e.State,
		orphanRule: e.OrphanRule, seatsCounted: slices.ContainsFunc(e.Counters, func(c eventfile.Counter) bool { return c.Seats }),
		accessUntil: orZero(e.AccessUntil), holdBudget: e.HoldBudget, mapLife: e.MapLife}
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// args are the parameters $2.. of sqlInsertEvent and sqlUpdateEvent.
func (r eventRow) args() []any {
	return []any{zeroIsNull(r.venue), r.organiser, r.title, r.description, r.place, zeroIsNull(r.from), zeroIsNull(r.to),
		r.startsAt, r.timeZone, r.currency, r.state, zeroIsNull(r.onSale), zeroIsNull(r.offSale), r.maxPerAccount,
		r.holdTTL, r.extend, r.extendBy, r.holdCap, r.latePolicy, r.feeBP,
		r.orphanRule, zeroIsNull(r.accessUntil), r.holdBudget, r.seatsCounted, r.mapLife}
}

func zeroIsNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func (im *importer) event(ctx context.Context, e *eventfile.Event) error {
	venue, ok, err := im.venueOf(ctx, e)
	if err != nil || !ok {
		return err
	}
	want := rowOf(e, venue.id)
	id, have, found, err := im.eventBySlug(ctx, e.Slug)
	if err != nil {
		return err
	}
	size := venue.seats
	for _, c := range e.Counters {
		size += c.Capacity
	}
	if !found {
		if err := im.create(ctx, e, want); err != nil {
			return err
		}
		im.did("event", e.Slug, "created", size)
		im.blocked, im.limited = nil, nil // nobody has seen it otherwise
		return nil
	}
	changed, err := im.change(ctx, e, id, have, want)
	if err != nil {
		return err
	}
	did := "unchanged"
	if changed {
		did = "updated"
	}
	im.did("event", e.Slug, did, size)
	last := &im.changes[len(im.changes)-1]
	last.EventID, last.Seats, last.Counters, last.Undone = id, im.blocked, im.limited, im.undone
	im.blocked, im.limited, im.undone = nil, nil, nil
	return nil
}

// venueOf finds the event's venue and checks the event against it; ok is false
// when a finding says why it cannot be used. No venue is a venue without seats.
func (im *importer) venueOf(ctx context.Context, e *eventfile.Event) (row venueRow, ok bool, err error) {
	if e.Venue == "" {
		return venueRow{}, true, nil
	}
	row, found, err := im.lookup(ctx, e.Venue)
	if err != nil {
		return row, false, err
	}
	if !found {
		im.addf(e.Line, e.Path+".venue", "no venue %q is known; put it into this file or import it first", e.Venue)
		return row, false, nil
	}
	classes, areas, err := im.facts(ctx, row.id)
	if err != nil {
		return row, false, err
	}
	if fs := e.CheckAgainst(classes, areas); len(fs) > 0 {
		im.findings = append(im.findings, fs...)
		return row, false, nil
	}
	if row.seats == 0 && len(e.Counters) == 0 {
		im.addf(e.Line, e.Path, "has nothing to sell: venue %q has no seats, and there are no \"counters\"", e.Venue)
		return row, false, nil
	}
	return row, true, nil
}

func (im *importer) eventBySlug(ctx context.Context, slug string) (id int64, r eventRow, found bool, err error) {
	var startsAt time.Time
	var onSale, offSale, accessUntil *time.Time
	err = im.tx.QueryRow(ctx, sqlEventBySlug, slug).Scan(&id, &r.venue, &r.organiser, &r.title, &r.description, &r.place, &r.from, &r.to,
		&startsAt, &r.timeZone, &r.currency, &r.state, &onSale, &offSale, &r.maxPerAccount,
		&r.holdTTL, &r.extend, &r.extendBy, &r.holdCap, &r.latePolicy, &r.feeBP,
		&r.orphanRule, &accessUntil, &r.holdBudget, &r.seatsCounted, &r.mapLife)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, r, false, nil
	case err != nil:
		return 0, r, false, fmt.Errorf("look for event %s: %w", slug, err)
	}
	r.startsAt, r.onSale, r.offSale, r.accessUntil = startsAt.UTC(), orZero(onSale), orZero(offSale), orZero(accessUntil)
	return id, r, true, nil
}

func (im *importer) create(ctx context.Context, e *eventfile.Event, want eventRow) error {
	if want.state == "" {
		want.state = "on_sale"
	}
	var id int64
	if err := im.tx.QueryRow(ctx, sqlInsertEvent, append([]any{e.Slug}, want.args()...)...).Scan(&id); err != nil {
		return fmt.Errorf("insert event %s: %w", e.Slug, err)
	}
	for _, p := range e.Prices {
		if _, err := im.tx.Exec(ctx, sqlInsertPrice, id, p.Class, p.Name, p.Amount); err != nil {
			return fmt.Errorf("insert price %s of event %s: %w", p.Class, e.Slug, err)
		}
	}
	for i, c := range e.Counters {
		if _, err := im.tx.Exec(ctx, sqlInsertCounter, id, i+1, c.Kind, c.Name, c.Class, c.Capacity, c.Overbook, c.Types); err != nil {
			return fmt.Errorf("insert counter %s of event %s: %w", c.Name, e.Slug, err)
		}
	}
	if _, err := im.tx.Exec(ctx, sqlInsertSeats, id); err != nil {
		return fmt.Errorf("insert seats of event %s: %w", e.Slug, err)
	}
	for i, c := range e.Counters {
		if !c.Seats {
			continue
		}
		if _, err := im.tx.Exec(ctx, sqlCountSeats, id, i+1, c.Class); err != nil {
			return fmt.Errorf("count seats of event %s: %w", e.Slug, err)
		}
	}
	if _, err := im.presales(ctx, e, id); err != nil {
		return err
	}
	if _, err := im.refunds(ctx, e, id); err != nil {
		return err
	}
	if _, err := im.block(ctx, e, id); err != nil {
		return err
	}
	if _, err := im.tx.Exec(ctx, sqlInsertVersion, id); err != nil {
		return fmt.Errorf("insert version of event %s: %w", e.Slug, err)
	}
	return nil
}
