package event

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pgtest"
)

// Three thousand trips: a list begins at the index over starts, a day is a range of it.
func TestSearchesOfManyTripsUseTheIndex(t *testing.T) {
	db := pgtest.New(t)
	db.Owner(t, `INSERT INTO event (slug, organiser, title, place, route_from, route_to, starts_at, time_zone, currency)
		SELECT 'trip-' || n, 'Lines', 'Bus ' || n, 'Berlin ZOB', 'City ' || n % 40, 'City ' || n / 40 % 40, '2127-01-01T05:00Z'::timestamptz + n % 300 * interval '1 day',
		       'Europe/Berlin', 'EUR' FROM generate_series(1, 3000) n`)
	db.Owner(t, `INSERT INTO price_level SELECT id, 'A', 'A', 1900 FROM event`)
	db.Owner(t, `INSERT INTO counter (event_id, id, kind, name, class, capacity) SELECT id, 1, 'class', 'S', 'A', 40 FROM event`)
	db.Owner(t, `ANALYZE`)
	for name, c := range map[string]struct {
		q    Query
		want string // in the plan
	}{
		"all, by start": {Query{}, "Index Scan using event_by_start"},
		"a day":         {Query{Date: "2127-01-15"}, "event_by_start"},
		"a route, day":  {Query{From: "city 7", To: "city 3", Date: "2127-01-15"}, "event_by_start"},
	} {
		// Simple protocol: the plan of these very values.
		rows, err := db.Pool.Query(t.Context(), "EXPLAIN "+sqlSearch, pgx.QueryExecModeSimpleProtocol, c.q.Text, c.q.Place, c.q.From, c.q.To, zeroIsNull(c.q.Date), MaxResults)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if plan := strings.Join(lines, "\n"); !strings.Contains(plan, c.want) {
			t.Errorf("%s is not found by the index:\n%s", name, plan)
		}
	}
	found, err := NewCatalogue(db.Pool, nil).Search(t.Context(), Query{Date: "2127-01-15"})
	if err != nil || len(found) != 10 {
		t.Errorf("%d trips of a day (%v), want 10", len(found), err)
	}
}
