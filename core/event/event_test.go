package event

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event/eventfile"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pgtest"
	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/seatmap"
	"github.com/ropeline/ropeline/seatmap/readpath"
)

// gig has two rows of seats and a floor.
const gig = `{
  "venue": {"slug": "hall", "name": "Hall", "city": "Bonn", "country": "DE", "width": 100, "height": 50,
    "sections": [{"name": "Stalls", "class": "A", "rows": [
      {"name": "1", "seats": [["1", 1.5, 1], ["2", 2, 1, "B"]]},
      {"name": "2", "seats": [["1", 1, 2], ["2", 2, 2], ["3", 3, 2]]}]}],
    "areas": [{"name": "Floor", "x": 0, "y": 10, "w": 20, "h": 5, "capacity": 203}]},
  "events": [{
    "slug": "gig", "venue": "hall", "organiser": "Org", "title": "Gig", "place": "Bonn",
    "starts_at": "2127-06-12T20:00", "time_zone": "Europe/Berlin", "currency": "EUR", "hold_ttl": "90s",
    "prices": [{"class": "A", "name": "Front", "amount": 4500}, {"class": "B", "amount": 4000}, {"class": "C", "amount": 3000}],
    "counters": [{"kind": "area", "name": "Floor", "class": "C", "capacity": 200, "overbook": 3}]
  }]
}`

func importInto(t *testing.T, db *pg.DB, file string) ([]Change, error) {
	t.Helper()
	parsed, err := eventfile.Parse([]byte(file))
	if err != nil {
		return nil, err
	}
	var changes []Change
	err = db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		changes, err = Import(ctx, tx, parsed)
		return err
	})
	return changes, err
}

func mustImport(t *testing.T, db *pg.DB, file string) []Change {
	t.Helper()
	changes, err := importInto(t, db, file)
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	return changes
}

// dump is everything an import writes, for comparing before and after.
func dump(t *testing.T, db *pg.DB) string {
	t.Helper()
	var all string
	err := db.Pool.QueryRow(t.Context(), `SELECT concat_ws(E'\n',
		(SELECT string_agg(v::text, E'\n' ORDER BY id) FROM venue v), (SELECT string_agg(s::text, E'\n' ORDER BY venue_id, seat_id) FROM venue_seat s),
		(SELECT string_agg(e::text, E'\n' ORDER BY id) FROM event e), (SELECT string_agg(p::text, E'\n' ORDER BY event_id, class) FROM price_level p),
		(SELECT string_agg(c::text, E'\n' ORDER BY event_id, id) FROM counter c), (SELECT string_agg(s::text, E'\n' ORDER BY event_id, seat_id) FROM seat s),
		(SELECT string_agg(v::text, E'\n' ORDER BY event_id) FROM event_version v))`).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// told is what people are told of an import.
func told(cs []Change) []Change {
	for i := range cs {
		cs[i].EventID, cs[i].Seats, cs[i].Counters = 0, nil, nil
	}
	return cs
}

func TestImportTwiceChangesNothing(t *testing.T) {
	db := pgtest.New(t)
	want := []Change{{Kind: "venue", Slug: "hall", Did: "created", Size: 5}, {Kind: "event", Slug: "gig", Did: "created", Size: 205}}
	if diff := cmp.Diff(want, told(mustImport(t, db.DB, gig))); diff != "" {
		t.Errorf("first import (-want +got):\n%s", diff)
	}
	before := dump(t, db.DB)
	for i := range want {
		want[i].Did = "unchanged"
	}
	if diff := cmp.Diff(want, told(mustImport(t, db.DB, gig))); diff != "" {
		t.Errorf("second import (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, dump(t, db.DB)); diff != "" {
		t.Errorf("the second import changed (-before +after):\n%s", diff)
	}
}

func TestWhatMayChangeChanges(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, gig)
	changed := strings.NewReplacer(`"title": "Gig"`, `"title": "Gig (late show)"`, `"amount": 4500`, `"amount": 4600`,
		`"capacity": 200, "overbook": 3`, `"capacity": 150`, `"hold_ttl": "90s"`, `"hold_ttl": "2m", "on_sale_at": "2126-01-01T10:00"`).Replace(gig)
	got := mustImport(t, db.DB, changed)
	want := []Change{{Kind: "venue", Slug: "hall", Did: "unchanged", Size: 5}, {Kind: "event", Slug: "gig", Did: "updated", Size: 155}}
	if diff := cmp.Diff(want, told(got)); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
	d, err := NewCatalogue(db.Pool, nil).Get(t.Context(), "gig")
	if err != nil {
		t.Fatal(err)
	}
	if d.Title != "Gig (late show)" || d.Levels[0].Amount != 4600 || d.Counters[0].Available != 150 || d.HoldSeconds != 120 || d.OnSaleAt == nil {
		t.Errorf("after the change the event is %+v", d)
	}
}

// A file that does not say "state" must not reopen what staff has closed meanwhile.
func TestImportDoesNotReopenAClosedSale(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, gig)
	db.Owner(t, `UPDATE event SET state = 'closed'`)
	mustImport(t, db.DB, gig)
	if d, err := NewCatalogue(db.Pool, nil).Get(t.Context(), "gig"); err != nil || d.State != "closed" {
		t.Errorf("state %v (%v), want closed", d, err)
	}
}

func TestLoweredLimitLeavesAnExcess(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, gig)
	db.Owner(t, `UPDATE counter SET sold = 180`)
	mustImport(t, db.DB, strings.Replace(gig, `"capacity": 200, "overbook": 3`, `"capacity": 100`, 1))
	var excess int
	if err := db.Pool.QueryRow(t.Context(), `SELECT excess FROM counter`).Scan(&excess); err != nil || excess != 80 {
		t.Errorf("excess %d (%v), want 80", excess, err)
	}
	d, err := NewCatalogue(db.Pool, nil).Get(t.Context(), "gig")
	if err != nil || d.Counters[0].Available != 0 {
		t.Errorf("available %+v (%v), want 0", d, err)
	}
}

func TestRefusedImportsLeaveNothingBehind(t *testing.T) {
	second := func(old, new string) string {
		const two = `, {"slug": "gig-2", "organiser": "Org", "title": "Gig", "place": "Bonn", "starts_at": "2127-06-13T20:00", "time_zone": "Europe/Berlin",
			"currency": "EUR", "prices": [{"class": "A", "amount": 1}], "counters": [{"name": "Door", "class": "A", "capacity": 5}]}]`
		i := strings.LastIndex(gig, "]")
		return strings.Replace(gig[:i]+two+gig[i+1:], old, new, 1)
	}
	for name, c := range map[string]struct{ file, want string }{
		"a seat moved":      {second(`["1", 1.5, 1]`, `["1", 1.6, 1]`), `line 2: venue: "hall" differs from the plan that 1 events already use, and people have places on it; give the changed venue a new slug`},
		"another currency":  {second(`"EUR"`, `"PLN"`), `line 7: events[0].currency: is PLN, but event "gig" is sold in EUR; a currency never changes`},
		"another venue":     {second(`"venue": "hall", `, ``), `line 7: events[0].venue: is not the venue event "gig" was imported with; give the moved event a new slug`},
		"unknown venue":     {second(`"venue": "hall", `, `"venue": "barn", `), `line 7: events[0].venue: no venue "barn" is known; put it into this file or import it first`},
		"a counter renamed": {second(`"name": "Floor", "class"`, `"name": "Flor", "class"`), `line 7: events[0].counters: no longer has "Floor", which event "gig" was imported with; set its capacity to 0 instead`},
		"a class changed":   {second(`"name": "Floor", "class": "C"`, `"name": "Floor", "class": "B"`), `line 11: events[0].counters[0]: "Floor" changes its kind or class, which people already bought by; give the new one another name`},
	} {
		t.Run(name, func(t *testing.T) {
			db := pgtest.New(t)
			mustImport(t, db.DB, gig)
			before := dump(t, db.DB)
			_, err := importInto(t, db.DB, c.file)
			var fs eventfile.Findings
			if !errors.As(err, &fs) {
				t.Fatalf("import: %v, want findings", err)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, dump(t, db.DB)); diff != "" {
				t.Errorf("something of the refused file was applied (-before +after):\n%s", diff)
			}
		})
	}
}

func TestPlanWithoutEventsMayBeRedrawn(t *testing.T) {
	db := pgtest.New(t)
	venueOnly := gig[:strings.Index(gig, `,
  "events"`)] + "}"
	mustImport(t, db.DB, venueOnly)
	redrawn := strings.Replace(venueOnly, `, ["3", 3, 2]`, ``, 1)
	if got := mustImport(t, db.DB, redrawn); got[0].Did != "updated" || got[0].Size != 4 {
		t.Errorf("redrawn venue: %v", got)
	}
	var seats int
	if err := db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM venue_seat`).Scan(&seats); err != nil || seats != 4 {
		t.Errorf("%d seats (%v), want 4", seats, err)
	}
}

// The stadium of the demo, as the application's role.
func TestStadiumImports(t *testing.T) {
	file, err := os.ReadFile("../../deploy/demo/data/stadium.json")
	if err != nil {
		t.Fatal(err)
	}
	db := pgtest.NewWith(t, pg.Options{StatementTimeout: time.Minute})
	mustImport(t, db.DB, string(file))
	f, err := NewMaps(db.Pool).Load(t.Context(), "night-of-lights")
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Seats) != 60_000 || slices.ContainsFunc(f.Seats, func(s readpath.Seat) bool { return s.State != seatmap.Available }) || f.Geometry == (seatmap.Geometry{}) {
		t.Errorf("%d seats of %x, want 60,000 free ones", len(f.Seats), f.Geometry)
	}
}

func TestUnknownSlugAndHashAreNotFound(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, strings.Replace(gig, `"slug": "gig"`, `"slug": "gig", "state": "draft"`, 1))
	c := NewCatalogue(db.Pool, nil)
	for name, ask := range map[string]func() error{
		"event":    func() error { _, err := c.Get(t.Context(), "nope"); return err },
		"draft":    func() error { _, err := c.Get(t.Context(), "gig"); return err },
		"geometry": func() error { _, err := c.Geometry(t.Context(), strings.Repeat("0", 64)); return err },
	} {
		if err := ask(); !errors.Is(err, problem.NotFound) {
			t.Errorf("%s: %v, want not_found", name, err)
		}
	}
}
