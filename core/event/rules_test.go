package event

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/core/event/eventfile"
	"github.com/ropeline/ropeline/core/pgtest"
)

// ruled is a hall of two rows: an accessible seat with a companion's, blocked seats, a
// class that its seats count in, a presale.
const ruled = `{
  "venue": {"slug": "hall", "name": "Hall", "city": "Bonn", "country": "DE", "width": 100, "height": 50,
    "sections": [{"name": "Stalls", "class": "A", "rows": [
      {"name": "1", "quality": 5, "seats": [["1", 1, 1, "", "accessible"], ["2", 2, 1, "", "companion"], ["3", 3, 1]]},
      {"name": "2", "seats": [["1", 1, 2], ["2", 2, 2], ["3", 3, 2]]}]}]},
  "events": [{
    "slug": "gig", "venue": "hall", "organiser": "Org", "title": "Gig", "place": "Bonn",
    "starts_at": "2127-06-12T20:00", "time_zone": "Europe/Berlin", "currency": "EUR", "on_sale_at": "2127-01-10T10:00",
    "orphan_rule": true, "access_until": "2127-06-01T12:00", "hold_budget": 3,
    "presales": [{"name": "Members", "starts_at": "2127-01-02T10:00"}],
    "blocked": [{"section": "Stalls", "row": "2", "seats": ["1", "3"]}],
    "prices": [{"class": "A", "amount": 4500}],
    "counters": [{"kind": "class", "name": "All", "class": "A", "capacity": 6, "seats": true}]
  }]
}`

func TestTheRulesOfAHoldAreImported(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, ruled)
	seats := func() (s string) {
		t.Helper()
		if err := db.Pool.QueryRow(t.Context(), `SELECT string_agg(format('%s %s %s %s', seat_id, kind, state, counter_id), ', ' ORDER BY seat_id) FROM seat`).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := "1 accessible available 1, 2 companion available 1, 3 standard available 1, 4 standard blocked 1, 5 standard available 1, 6 standard blocked 1"
	if got := seats(); got != want {
		t.Errorf("seats: %s", got)
	}
	var rules string
	if err := db.Pool.QueryRow(t.Context(), `SELECT format('%s %s %s %s %s %s', e.orphan_rule, e.access_until AT TIME ZONE 'UTC', e.hold_budget, e.seats_counted, p.name, p.starts_at AT TIME ZONE 'UTC')
		FROM event e JOIN presale p ON p.event_id = e.id`).Scan(&rules); err != nil || rules != "t 2127-06-01 10:00:00 3 t Members 2127-01-02 09:00:00" {
		t.Errorf("rules: %s, %v", rules, err)
	}
	var at string
	if err := db.Pool.QueryRow(t.Context(), `SELECT string_agg(format('%s/%s/%s', x, y, quality), ' ' ORDER BY seat_id) FROM venue_seat`).Scan(&at); err != nil || at != "1/1/5 2/1/5 3/1/5 1/2/0 2/2/0 3/2/0" {
		t.Errorf("plan: %s, %v", at, err)
	}
	before := dump(t, db.DB)
	if c := mustImport(t, db.DB, ruled); c[1].Did != "unchanged" || dump(t, db.DB) != before {
		t.Errorf("the same again: %v", c)
	}

	// Another seat is blocked, one comes back; a file that does not say leaves them.
	c := mustImport(t, db.DB, strings.Replace(ruled, `["1", "3"]`, `["1", "2"]`, 1))
	if got := fmt.Sprint(c[1].Did, c[1].Seats); got != "updated[{5 true} {6 false}]" {
		t.Errorf("changed: %s", got)
	}
	silent := strings.Replace(ruled, `"blocked": [{"section": "Stalls", "row": "2", "seats": ["1", "3"]}],`, "", 1)
	if c := mustImport(t, db.DB, silent); c[1].Did != "unchanged" {
		t.Errorf("a file that does not name the blocked seats: %v", c)
	}
	db.Owner(t, `UPDATE seat SET state = 'held', hold_id = gen_random_uuid(), held_until = now() + interval '1 minute' WHERE seat_id = 6`)
	db.Owner(t, `UPDATE seat SET state = 'held', hold_id = gen_random_uuid(), held_until = now() - interval '1 minute' WHERE seat_id = 3`)
	refuse(t, db, ruled, "names seat 6, which is held")
	mustImport(t, db.DB, strings.Replace(ruled, `"row": "2", "seats": ["1", "3"]`, `"row": "1", "seats": ["3"]`, 1))
	if got := seats(); !strings.Contains(got, "3 standard blocked") || !strings.Contains(got, "4 standard available") {
		t.Errorf("seats: %s", got)
	}
	db.Owner(t, `UPDATE seat SET held_until = now() WHERE seat_id = 6`)
	refuse(t, db, strings.Replace(ruled, `"row": "2", "seats": ["1", "3"]`, `"row": "9"`, 1), `has no row "9"`)
	refuse(t, db, strings.Replace(ruled, `["1", "3"]`, `["7"]`, 1), `has no seat "7"`)
	refuse(t, db, strings.Replace(ruled, `, "seats": true`, ``, 1), "changes what the seats of event")
	refuse(t, db, strings.Replace(ruled, `"name": "Members"`, `"name": "Fans"`, 1), `no longer has "Members"`)
}

func refuse(t *testing.T, db *pgtest.DB, file, want string) {
	t.Helper()
	_, err := importInto(t, db.DB, file)
	var found eventfile.Findings
	if !errors.As(err, &found) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a finding with %q", err, want)
	}
}

// The plan of a venue that was imported before counts as the one in the file does: the
// overbooking too.
func TestAnAreaIsNotSoldPastItsPlan(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, gig)
	event := `{"events": [{` + strings.SplitN(gig, `"events": [{`, 2)[1]
	mustImport(t, db.DB, event)
	for _, more := range []string{`"capacity": 200, "overbook": 4`, `"capacity": 204`} {
		_, err := importInto(t, db.DB, strings.Replace(event, `"capacity": 200, "overbook": 3`, more, 1))
		if err == nil || !strings.Contains(err.Error(), `past the 203 that area "Floor" may hold; write at most 203`) {
			t.Errorf("%s: %v", more, err)
		}
	}
}
