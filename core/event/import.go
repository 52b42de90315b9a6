package event

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event/eventfile"
)

// Change says what an import did to one venue or event.
type Change struct {
	Kind string `json:"kind"` // "venue" or "event"
	Slug string `json:"slug"`
	Did  string `json:"did"`    // "created", "updated" or "unchanged"
	Size int    `json:"places"` // seats of a venue; seats and places of an event

	// Seats that were taken off the sale of an event that is known, or put back on it:
	// whoever commits the import tells the others.
	EventID  int64           `json:"-"`
	Seats    []SeatChange    `json:"-"`
	Counters []CounterChange `json:"-"` // whose limit was changed, or that are new
	Undone   []string        `json:"-"` // limits that others set and that are set back, in words
}

// ImportActor begins the name under which an import of files is on record.
const ImportActor = "import by "

func (c Change) String() string {
	s := fmt.Sprintf("%s %s: %s (%d places)", c.Kind, c.Slug, c.Did, c.Size)
	for _, u := range c.Undone {
		s += "\n  " + u
	}
	return s
}

// Import writes a file inside the caller's transaction. What does not fit what is
// already there comes back as eventfile.Findings and the caller rolls back: an
// import is whole or did not happen.
//
// It is idempotent by slug: the same file again changes nothing. Words, times and
// rules of an event may change, prices too (a hold keeps the price it was given),
// and a capacity may go either way: lowered below what is sold it leaves an excess
// that only shrinks. What people have already bought by may not change: the seats
// of a venue that has events, an event's venue and currency, its classes.
func Import(ctx context.Context, tx pgx.Tx, file *eventfile.File) ([]Change, error) {
	// Two imports at once would race on "is the slug there?". Imports are rare.
	if _, err := tx.Exec(ctx, sqlImportLock); err != nil {
		return nil, fmt.Errorf("wait for other imports: %w", err)
	}
	im := importer{tx: tx, venues: map[string]venueRow{}}
	if file.Venue != nil {
		if err := im.venue(ctx, file.Venue); err != nil {
			return nil, err
		}
	}
	for i := range file.Events {
		if err := im.event(ctx, &file.Events[i]); err != nil {
			return nil, err
		}
	}
	if len(im.findings) > 0 {
		return nil, im.findings
	}
	return im.changes, nil
}

type importer struct {
	tx       pgx.Tx
	venues   map[string]venueRow // by slug, those looked up so far
	changes  []Change
	findings eventfile.Findings
	blocked  []SeatChange    // of the event that is being changed
	limited  []CounterChange // of the same
	undone   []string        // of the same
}

func (im *importer) addf(line int, field, format string, args ...any) {
	im.findings = append(im.findings, &eventfile.Finding{Line: line, Field: field, Text: fmt.Sprintf(format, args...)})
}

func (im *importer) did(kind, slug, did string, size int) {
	im.changes = append(im.changes, Change{Kind: kind, Slug: slug, Did: did, Size: size})
}
