package eventfile

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata/errors")

// What people write is answered with what they read: one golden file per mistake.
func TestMistakesAreNamedWithLineFieldAndCure(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse(data)
			if err == nil {
				t.Fatal("accepted")
			}
			golden := strings.TrimSuffix(file, ".json") + ".txt"
			got := err.Error() + "\n"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

const small = `{
  "venue": {"slug": "hall", "name": "Hall", "city": "Bonn", "country": "DE", "width": 100, "height": 50,
    "sections": [{"name": "Stalls", "class": "A", "rows": [
      {"name": "1", "seats": [["1", 1.5, 1], ["2", 2, 1, "B"], ["3", 3, 1, "", "accessible"]], "quality": 7},
      {"name": "2", "class": "C", "seats": [["1", 1, 2]]}]}],
    "areas": [{"name": "Floor", "x": 0, "y": 10, "w": 20, "h": 5, "capacity": 203}]},
  "events": [{
    "slug": "gig", "venue": "hall", "organiser": "Org", "title": "Gig", "place": "Bonn",
    "starts_at": "2027-06-12T20:00", "time_zone": "Europe/Berlin", "currency": "EUR",
    "on_sale_at": "2027-01-10T10:00:00Z", "hold_ttl": "4s", "extend": "never", "fee_bp": 0,
    "orphan_rule": true, "access_until": "2027-06-01T12:00", "hold_budget": 5,
    "presales": [{"name": "Members", "starts_at": "2027-01-01T10:00", "ends_at": "2027-01-05T10:00"}],
    "blocked": [{"section": "Stalls", "row": "1", "seats": ["2"]}, {"section": "Stalls", "row": "2"}],
    "prices": [{"class": "A", "name": "Front", "amount": 4500}, {"class": "B", "amount": 4000}, {"class": "C", "amount": 1}],
    "counters": [{"kind": "area", "name": "Floor", "class": "C", "capacity": 200, "overbook": 3, "types": ["A", "B"]}]
  }]
}`

func TestEveryFieldArrives(t *testing.T) {
	file, err := Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	onSale := time.Date(2027, 1, 10, 10, 0, 0, 0, time.UTC)
	until, presaleEnd := time.Date(2027, 6, 1, 10, 0, 0, 0, time.UTC), time.Date(2027, 1, 5, 9, 0, 0, 0, time.UTC)
	want := &File{
		Venue: &Venue{Line: 2, Slug: "hall", Name: "Hall", City: "Bonn", Country: "DE", Width: 100, Height: 50,
			Sections: []Section{{"Stalls", []Row{
				{"1", []Seat{{"1", 1.5, 1, "A", ""}, {"2", 2, 1, "B", ""}, {"3", 3, 1, "A", "accessible"}}, 7},
				{"2", []Seat{{"1", 1, 2, "C", ""}}, 0},
			}}},
			Areas: []Area{{"Floor", 0, 10, 20, 5, 203}}},
		Events: []Event{{Line: 7, Path: "events[0]", Slug: "gig", Venue: "hall", Organiser: "Org", Title: "Gig", Place: "Bonn",
			StartsAt: time.Date(2027, 6, 12, 18, 0, 0, 0, time.UTC), TimeZone: "Europe/Berlin", Currency: "EUR",
			OnSaleAt: &onSale, MaxPerAccount: 6, HoldTTL: 4 * time.Second, ExtendBy: 2 * time.Minute, HoldCap: 20 * time.Minute, MapLife: time.Second,
			Extend: "never", LatePolicy: "refund", OrphanRule: true, AccessUntil: &until, HoldBudget: 5,
			Presales:    []Presale{{Line: 12, Name: "Members", StartsAt: time.Date(2027, 1, 1, 9, 0, 0, 0, time.UTC), EndsAt: &presaleEnd}},
			BlockedSaid: true, Blocked: []Blocked{{13, "Stalls", "1", []string{"2"}}, {13, "Stalls", "2", nil}},
			Prices:   []Price{{"A", "Front", 4500}, {"B", "B", 4000}, {"C", "C", 1}},
			Counters: []Counter{{Line: 15, Kind: "area", Name: "Floor", Class: "C", Capacity: 200, Overbook: 3, Types: "A\x1fB"}}}},
	}
	if diff := cmp.Diff(want, file); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestReportIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"events": [`)
	for i := range 30 {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n%d", i)
	}
	b.WriteString("]}")
	_, err := Parse([]byte(b.String()))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != MaxFindings+1 || lines[MaxFindings] != "and 10 more" {
		t.Errorf("%d lines, the last one %q; want %d and a count of the rest", len(lines), lines[len(lines)-1], MaxFindings+1)
	}
}

// Strangers' files must never bring the importer down, and whatever it accepts is sound.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	files, _ := filepath.Glob("testdata/errors/*.json")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("refused without a word")
			}
			return
		}
		for _, e := range file.Events {
			if e.Slug == "" || e.StartsAt.IsZero() || len(e.Prices) == 0 || e.HoldTTL <= 0 {
				t.Fatalf("accepted an event that cannot be sold: %+v", e)
			}
		}
	})
}
