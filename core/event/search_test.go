package event

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ropeline/ropeline/core/pgtest"
)

func trip(slug, title, place, from, to, zone, startsAt string) string {
	route := ""
	if from != "" {
		route = fmt.Sprintf(`"route": {"from": %q, "to": %q},`, from, to)
	}
	return fmt.Sprintf(`{"slug": %q, "organiser": "Org", "title": %q, "place": %q, %s "starts_at": %q, "time_zone": %q,
		"currency": "EUR", "prices": [{"class": "A", "amount": 1000}, {"class": "B", "amount": 900}],
		"counters": [{"kind": "class", "name": "Saver", "class": "A", "capacity": 20}]}`, slug, title, place, route, startsAt, zone)
}

func TestSearch(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, `{"events": [`+
		trip("bus", "Night bus 100% electric", "Berlin ZOB", "Berlin", "Praha", "Europe/Berlin", "2127-05-14T00:15")+","+
		trip("flight", "RL 204", "Lisbon", "Lisbon", "Tokyo", "Europe/Lisbon", "2127-05-13T23:30")+","+
		trip("auckland", "Harbour Lights", "Auckland", "", "", "Pacific/Auckland", "2127-05-14T20:00")+","+
		trip("honolulu", "Ukulele_Night", "Honolulu", "", "", "Pacific/Honolulu", "2127-05-14T20:00")+`]}`)
	mustImport(t, db.DB, gig)

	for name, c := range map[string]struct {
		q    Query
		want []string
	}{
		// By start: Lisbon 22:30Z and Berlin 22:15Z of the 13th, Auckland 08:00Z of the 14th, Honolulu 06:00Z of the 15th.
		"all, by start":                   {Query{}, []string{"bus", "flight", "auckland", "honolulu", "gig"}},
		"word of a title, any case":       {Query{Text: "hArBoUr"}, []string{"auckland"}},
		"word of the venue":               {Query{Text: "hall"}, []string{"gig"}},
		"route":                           {Query{From: "berlin", To: "praha"}, []string{"bus"}},
		"route the other way":             {Query{From: "praha", To: "berlin"}, []string{}},
		"place":                           {Query{Place: "bonn"}, []string{"gig"}},
		"the day of Berlin, not of UTC":   {Query{Date: "2127-05-14"}, []string{"bus", "auckland", "honolulu"}},
		"the day of Lisbon":               {Query{Date: "2127-05-13"}, []string{"flight"}},
		"a day of UTC that nobody has":    {Query{Date: "2127-05-15"}, []string{}},
		"route and date":                  {Query{From: "Lisbon", Date: "2127-05-13"}, []string{"flight"}},
		"a percent sign is a percent":     {Query{Text: "100%"}, []string{"bus"}},
		"and no pattern":                  {Query{Text: "100%elec"}, []string{}},
		"an underscore is an underscore":  {Query{Text: "e_n"}, []string{"honolulu"}},
		"SQL is data (AB26)":              {Query{Text: `'; DROP TABLE event; --`, Place: `" OR 1=1`, From: `\`, To: `$1`}, []string{}},
		"SQL is data, each field (AB26) ": {Query{Text: `' OR '1'='1`}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := NewCatalogue(db.Pool, nil).Search(t.Context(), c.q)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, s := range found {
				got = append(got, s.ID)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSummarySaysWhatAListShows(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, `{"events": [`+trip("flight", "RL 204", "Lisbon", "Lisbon", "Tokyo", "Europe/Lisbon", "2127-05-14T10:40")+`]}`)
	mustImport(t, db.DB, gig)
	c := NewCatalogue(db.Pool, nil)
	found, err := c.Search(t.Context(), Query{})
	if err != nil {
		t.Fatal(err)
	}
	flight := found[0]
	if flight.Kind != Trip || *flight.Route != (Route{"Lisbon", "Tokyo"}) || flight.LocalTime != "2127-05-14T10:40:00+01:00" ||
		flight.SeatsTotal != 20 || flight.PriceFrom.Minor != 900 || flight.OnSaleAt != nil {
		t.Errorf("flight: %+v", flight)
	}
	if g := found[1]; g.Kind != Seated || g.Route != nil || g.SeatsTotal != 205 || g.State != "on_sale" {
		t.Errorf("gig: %+v", g)
	}
}
