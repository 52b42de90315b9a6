package event

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/seatmap/readpath"
)

const (
	// Life is how old an answer may be. The sale's page is honest about it.
	Life = time.Second
	// MaxResults of one search; whoever needs more narrows it.
	MaxResults = 200

	maxSearches   = 1024
	maxEvents     = 4096
	maxGeometries = 32
)

// Catalogue answers reads. It is safe for concurrent use.
type Catalogue struct {
	db         pg.Querier
	searches   *cache[[]Summary]
	details    *cache[*Detail]
	geometries *cache[*readpath.Body]
}

// NewCatalogue reads from db; now is the clock of the caches, nil for the real one.
func NewCatalogue(db pg.Querier, now func() time.Time) *Catalogue {
	if now == nil {
		now = time.Now
	}
	return &Catalogue{
		db:       db,
		searches: newCache[[]Summary](Life, maxSearches, now),
		details:  newCache[*Detail](Life, maxEvents, now),
		// Named by their hash they never change; kept for an hour, since a few are large.
		geometries: newCache[*readpath.Body](time.Hour, maxGeometries, now),
	}
}

// Query is a search. Empty fields do not restrict. Words are found anywhere,
// whatever their case.
type Query struct {
	Text  string // in title, description, organiser, place or venue
	Place string // in place, or the venue's name or city
	From  string // in the start of a route
	To    string // in its end
	Date  string // "2027-06-12": the day in the event's own time zone
}

func (q Query) key() string {
	return fmt.Sprintf("%q %q %q %q %q", q.Text, q.Place, q.From, q.To, q.Date)
}

// Search lists events that have not begun more than a day ago, by start. Drafts
// are not shown.
func (c *Catalogue) Search(ctx context.Context, q Query) ([]Summary, error) {
	return c.searches.get(ctx, q.key(), func(ctx context.Context) ([]Summary, error) {
		rows, err := c.db.Query(ctx, sqlSearch, q.Text, q.Place, q.From, q.To, zeroIsNull(q.Date), MaxResults)
		if err != nil {
			return nil, fmt.Errorf("search events: %w", err)
		}
		found := []Summary{}
		defer rows.Close()
		for rows.Next() {
			var r summaryRow
			if err := rows.Scan(r.fields()...); err != nil {
				return nil, fmt.Errorf("search events: %w", err)
			}
			found = append(found, r.summary())
		}
		return found, wrap("search events", rows.Err())
	})
}

// lately is how old an answer may be that stands in for one nobody has the time to look up.
const lately = 5 * time.Minute

// Lately is the last answer to a search, if there is one that is not too old. It asks nobody.
func (c *Catalogue) Lately(q Query) (found []Summary, ok bool) {
	return c.searches.last(q.key(), lately)
}

// Get returns one event by its slug, or problem.NotFound.
func (c *Catalogue) Get(ctx context.Context, slug string) (*Detail, error) {
	return c.details.get(ctx, slug, func(ctx context.Context) (*Detail, error) { return c.detail(ctx, slug) })
}

func (c *Catalogue) detail(ctx context.Context, slug string) (*Detail, error) {
	var r summaryRow
	var d Detail
	var id int64
	var hold time.Duration
	var venue, city, hash *string
	var presale *time.Time
	dest := append(r.fields(), &id, &d.Description, &d.Organiser, &d.MaxPerAccount, &hold, &venue, &city, &hash, &presale)
	if err := c.db.QueryRow(ctx, sqlDetail, slug).Scan(dest...); err != nil {
		return nil, notFoundOr("read event "+slug, err)
	}
	d.Summary = r.summary()
	if presale != nil {
		d.PresaleAt = &Time{*presale}
	}
	d.HoldSeconds = int(hold / time.Second)
	d.Seats = "/v1/events/" + d.ID + "/seats"
	if venue != nil {
		d.Venue = &Venue{Name: *venue, City: *city}
		if r.seats > 0 {
			path := "/v1/geometry/" + *hash
			d.Geometry = &path
		}
	}
	var err error
	if d.Levels, err = collect[Level](ctx, c.db, sqlPrices, id); err != nil {
		return nil, wrap("read prices of "+slug, err)
	}
	if d.Counters, err = collect[Counter](ctx, c.db, sqlCountersNow, id); err != nil {
		return nil, wrap("read counters of "+slug, err)
	}
	return &d, nil
}

// Geometry returns a venue's immutable plan by the hash of its bytes.
func (c *Catalogue) Geometry(ctx context.Context, hash string) (*readpath.Body, error) {
	return c.geometries.get(ctx, hash, func(ctx context.Context) (*readpath.Body, error) {
		var plan []byte
		if err := c.db.QueryRow(ctx, sqlGeometry, hash).Scan(&plan); err != nil {
			return nil, notFoundOr("read geometry", err)
		}
		return readpath.NewBody("application/json", plan, hash), nil
	})
}

// summaryRow is what sqlSummary selects.
type summaryRow struct {
	s         Summary
	from, to  *string
	startsAt  time.Time
	onSaleAt  *time.Time
	priceFrom *int64
	seats     int
	places    int
}

func (r *summaryRow) fields() []any {
	return []any{&r.s.ID, &r.s.Title, &r.s.Place, &r.from, &r.to, &r.startsAt, &r.s.TimeZone, &r.s.State, &r.s.Currency,
		&r.onSaleAt, &r.priceFrom, &r.seats, &r.places}
}

func (r *summaryRow) summary() Summary {
	s := r.s
	s.StartsAt = Time{r.startsAt}
	s.Kind, s.SeatsTotal = Area, r.seats+r.places
	if r.seats > 0 {
		s.Kind = Seated
	}
	if r.from != nil && r.to != nil {
		s.Kind, s.Route = Trip, &Route{From: *r.from, To: *r.to}
	}
	if r.onSaleAt != nil {
		s.OnSaleAt = &Time{*r.onSaleAt}
	}
	if r.priceFrom != nil {
		from := money.Of(*r.priceFrom, money.Currency(s.Currency))
		s.PriceFrom = &from
	}
	s.LocalTime = r.startsAt.UTC().Format(time.RFC3339)
	if zone, err := time.LoadLocation(s.TimeZone); err == nil {
		s.LocalTime = r.startsAt.In(zone).Format(time.RFC3339)
	}
	return s
}

// collect reads rows into structs by position, an empty list when there are none.
func collect[T any](ctx context.Context, db pg.Querier, sql string, args ...any) ([]T, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]T{}, rows, pgx.RowToStructByPos[T])
}

func notFoundOr(doing string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return problem.NotFound.Say("There is no such event or plan.")
	}
	return wrap(doing, err)
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
