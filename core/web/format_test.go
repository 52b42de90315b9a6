package web

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestAnEventSaysWhetherItCanBeBought(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	for _, c := range []struct {
		name string
		e    Event
		want sale
	}{
		{"open", Event{State: "on_sale", StartsAt: later}, sale{"open", "On sale"}},
		{"soon", Event{State: "on_sale", StartsAt: now.AddDate(0, 1, 0), OnSaleAt: &later, TimeZone: "Europe/Berlin"}, sale{"soon", "On sale Mon 30 Nov, 14:00"}},
		{"at the instant", Event{State: "on_sale", StartsAt: later, OnSaleAt: &now}, sale{"open", "On sale"}},
		{"closed", Event{State: "closed", StartsAt: later}, sale{"closed", "Not on sale"}},
		{"cancelled", Event{State: "cancelled", StartsAt: now.Add(-time.Hour)}, sale{"cancelled", "Cancelled"}},
		{"over", Event{State: "on_sale", StartsAt: now.Add(-time.Hour)}, sale{"over", "Already started"}},
	} {
		if got := saleOf(speeches["en"], c.e, now); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestTimesAreShownInTheEventsOwnZone(t *testing.T) {
	e := Event{StartsAt: time.Date(2027, 5, 14, 1, 40, 0, 0, time.UTC), TimeZone: "Asia/Tokyo"}
	if got := e.local().Format("15:04"); got != "10:40" {
		t.Errorf("%s, want 10:40", got)
	}
	e.TimeZone = "Not/AZone"
	if got := e.local().Format("15:04 MST"); got != "01:40 UTC" {
		t.Errorf("%s, want 01:40 UTC", got)
	}
}

func TestSearchIsReadWithinItsLimits(t *testing.T) {
	s := readSearch(url.Values{"q": {"  light  "}, "place": {strings.Repeat("ä", 300)}, "date": {"tomorrow"}, "to": {"Prague"}})
	if s.Q != "light" || len([]rune(s.Place)) != maxSearch || s.Date != "" || !s.Trip() || !s.Active() {
		t.Errorf("%+v", s)
	}
	if (search{}).Active() || (search{}).query() != "" {
		t.Error("an empty search is one")
	}
	if got := (search{Q: "a&b", Date: "2027-01-02"}).query(); got != "?date=2027-01-02&q=a%26b" {
		t.Errorf("query %q", got)
	}
}

func TestAPosterIsAlwaysTheSame(t *testing.T) {
	for _, kind := range []string{"seated", "area", "trip"} {
		a, b := posterOf(Event{ID: "x", Kind: kind}), posterOf(Event{ID: "x", Kind: kind})
		if len(a.Lines) < 8 || strings.Join(a.Lines, "") != strings.Join(b.Lines, "") || a.Hue >= posterHues {
			t.Errorf("%s: %d lines, hue %d", kind, len(a.Lines), a.Hue)
		}
		if strings.Join(a.Lines, "") == strings.Join(posterOf(Event{ID: "y", Kind: kind}).Lines, "") {
			t.Errorf("%s: two events have the same picture", kind)
		}
	}
}

func briefIn(e Event, now time.Time) string {
	return funcsIn(speeches["en"])["brief"].(func(Event, time.Time) string)(e, now)
}

func TestAnEventIsNamedWithItsYearAndATripWithItsZone(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	trip := Event{StartsAt: time.Date(2027, 5, 14, 9, 40, 0, 0, time.UTC), TimeZone: "Europe/Lisbon", Route: &Route{"Lisbon", "Tokyo"}}
	evening := Event{StartsAt: time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC), TimeZone: "Europe/Berlin"}
	for want, e := range map[string]Event{"Fri 14 May 2027, 10:40 Lisbon time": trip, "Fri 1 Jan 2027, 00:30": evening} {
		if got := briefIn(e, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := briefIn(trip, now.AddDate(1, 0, 0)); got != "Fri 14 May, 10:40 Lisbon time" {
		t.Errorf("this year: %q", got)
	}
}

// What a price buys ("Saver, no changes") and where a coach leaves are part of the offer, also before any script runs.
func TestPagesNameThePriceAndThePlaceOfDeparture(t *testing.T) {
	h := Handler(Options{API: catalogue(concert("bus", map[string]any{
		"kind": "trip", "geometry": nil, "venue": nil, "place": "Berlin, central bus station", "route": map[string]any{"from": "Berlin", "to": "Prague"},
		"levels":   []any{map[string]any{"class": "s", "name": "Saver, no changes", "amount": 1490}, map[string]any{"class": "child", "name": "Child", "amount": 500}},
		"counters": []any{map[string]any{"id": 1, "kind": "class", "name": "Saver", "class": "s", "types": []string{"child"}}},
	}))})
	for path, wants := range map[string][]string{"/": {"from Berlin, central bus station", "<bdi>Berlin</bdi>"}, "/events/bus": {"Departs from Berlin, central bus station", `<b dir="auto">Saver</b><span class="muted" dir="auto">no changes<`, `<b dir="auto">Saver, Child</b><span class="muted">€5<`}} {
		_, body := get(t, h, path)
		for _, want := range wants {
			if body, _, _ = strings.Cut(body, `id="page-data"`); !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
	}
}
