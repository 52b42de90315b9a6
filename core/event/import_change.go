package event

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event/eventfile"
)

// change brings an existing event to what the file says, within what may change.
// The event's row is locked by its UPDATE or not at all, before any counter: the
// lock order of the core.
func (im *importer) change(ctx context.Context, e *eventfile.Event, id int64, have, want eventRow) (changed bool, err error) {
	if want.state == "" {
		want.state = have.state // a file that is silent does not reopen what staff has closed
	}
	if have.venue != want.venue {
		im.addf(e.Line, e.Path+".venue", "is not the venue event %q was imported with; give the moved event a new slug", e.Slug)
	}
	if have.currency != want.currency {
		im.addf(e.Line, e.Path+".currency", "is %s, but event %q is sold in %s; a currency never changes", want.currency, e.Slug, have.currency)
	}
	if have.seatsCounted != want.seatsCounted {
		im.addf(e.Line, e.Path+".counters", "changes what the seats of event %q count in, which people already bought by", e.Slug)
	}
	if len(im.findings) > 0 {
		return false, nil
	}
	if have != want {
		if _, err := im.tx.Exec(ctx, sqlUpdateEvent, append([]any{e.Slug}, want.args()...)...); err != nil {
			return false, fmt.Errorf("update event %s: %w", e.Slug, err)
		}
		changed = true
	}
	prices, err := im.changePrices(ctx, e, id)
	if err != nil {
		return false, err
	}
	counters, err := im.changeCounters(ctx, e, id)
	if err != nil {
		return false, err
	}
	presales, err := im.presales(ctx, e, id)
	if err != nil {
		return false, err
	}
	refunds, err := im.refunds(ctx, e, id)
	if err != nil {
		return false, err
	}
	blocked, err := im.block(ctx, e, id)
	return changed || prices || counters || presales || refunds || blocked, err
}

// undoes notes a limit that somebody set for a reason and that this import sets back: the
// file wins, since it is what was asked for, but whoever imports it is told.
func (im *importer) undoes(ctx context.Context, id int64, old, want eventfile.Counter) error {
	var actor, reason string
	err := im.tx.QueryRow(ctx, sqlWhoLimited, id, old.Name).Scan(&actor, &reason)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && strings.HasPrefix(actor, ImportActor) {
		return nil
	}
	if err != nil {
		return err
	}
	if reason != "" {
		actor += ", " + strconv.Quote(reason)
	}
	im.undone = append(im.undone, fmt.Sprintf("%s: capacity %d and %d past it (%s) is set back to %d and %d", old.Name, old.Capacity, old.Overbook, actor, want.Capacity, want.Overbook))
	return nil
}

func (im *importer) changePrices(ctx context.Context, e *eventfile.Event, id int64) (changed bool, err error) {
	have := map[string]eventfile.Price{}
	rows, err := im.tx.Query(ctx, sqlPrices, id)
	if err != nil {
		return false, fmt.Errorf("read prices of event %s: %w", e.Slug, err)
	}
	var p eventfile.Price
	if _, err := pgx.ForEachRow(rows, []any{&p.Class, &p.Name, &p.Amount}, func() error { have[p.Class] = p; return nil }); err != nil {
		return false, fmt.Errorf("read prices of event %s: %w", e.Slug, err)
	}
	for _, want := range e.Prices {
		old, known := have[want.Class]
		delete(have, want.Class)
		if known && old == want {
			continue
		}
		sql := sqlUpdatePrice
		if !known {
			sql = sqlInsertPrice
		}
		if _, err := im.tx.Exec(ctx, sql, id, want.Class, want.Name, want.Amount); err != nil {
			return false, fmt.Errorf("write price %s of event %s: %w", want.Class, e.Slug, err)
		}
		changed = true
	}
	for class := range have {
		im.addf(e.Line, e.Path+".prices", "no longer has class %q, which event %q was imported with; a class is never removed", class, e.Slug)
	}
	return changed, nil
}

func (im *importer) changeCounters(ctx context.Context, e *eventfile.Event, id int64) (changed bool, err error) {
	type counter struct {
		id   int64
		want eventfile.Counter
	}
	have := map[string]counter{}
	last := int64(0)
	rows, err := im.tx.Query(ctx, sqlCounters, id)
	if err != nil {
		return false, fmt.Errorf("read counters of event %s: %w", e.Slug, err)
	}
	var c counter
	_, err = pgx.ForEachRow(rows, []any{&c.id, &c.want.Kind, &c.want.Name, &c.want.Class, &c.want.Capacity, &c.want.Overbook, &c.want.Types, &c.want.Seats}, func() error {
		have[c.want.Name], last = c, max(last, c.id)
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("read counters of event %s: %w", e.Slug, err)
	}
	for i, want := range e.Counters {
		path := fmt.Sprintf("%s.counters[%d]", e.Path, i)
		old, known := have[want.Name]
		delete(have, want.Name)
		line := want.Line
		want.Line = 0
		switch {
		case known && old.want == want:
			continue
		case !known && want.Seats, known && old.want.Seats != want.Seats:
			im.addf(line, path+".seats", "changes what the seats of event %q count in, which people already bought by", e.Slug)
			continue
		case known && (old.want.Kind != want.Kind || old.want.Class != want.Class):
			im.addf(line, path, "%q changes its kind or class, which people already bought by; give the new one another name", want.Name)
			continue
		case known:
			if old.want.Capacity != want.Capacity || old.want.Overbook != want.Overbook {
				if err := im.undoes(ctx, id, old.want, want); err != nil {
					return false, fmt.Errorf("who set counter %s of event %s: %w", want.Name, e.Slug, err)
				}
			}
			now := CounterChange{ID: old.id}
			err = im.tx.QueryRow(ctx, sqlUpdateCounter, id, old.id, want.Capacity, want.Overbook, want.Types).Scan(&now.Held, &now.Sold, &now.Available)
			im.limited = append(im.limited, now)
		default:
			last++
			_, err = im.tx.Exec(ctx, sqlInsertCounter, id, last, want.Kind, want.Name, want.Class, want.Capacity, want.Overbook, want.Types)
			im.limited = append(im.limited, CounterChange{ID: last, Available: want.Capacity + want.Overbook})
		}
		if err != nil {
			return false, fmt.Errorf("write counter %s of event %s: %w", want.Name, e.Slug, err)
		}
		changed = true
	}
	for name := range have {
		im.addf(e.Line, e.Path+".counters", "no longer has %q, which event %q was imported with; set its capacity to 0 instead", name, e.Slug)
	}
	return changed, nil
}
