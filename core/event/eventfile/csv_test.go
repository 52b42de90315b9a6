package eventfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMistakesInTablesAreNamedWithLineColumnAndCure(t *testing.T) {
	files, err := filepath.Glob("testdata/csv/*.csv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".csv"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = ParseCSV(data)
			if err == nil {
				t.Fatal("accepted")
			}
			golden, got := strings.TrimSuffix(file, ".csv")+".txt", err.Error()+"\n"
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

// A table and a JSON file that say the same are the same, but for the lines.
func TestATableIsTheSameAsAFile(t *testing.T) {
	const table = "\xef\xbb\xbfslug;title;organiser;place;from;to;starts_at;time_zone;currency;class;price_name;amount;counter;kind;capacity;overbook;types;orphan_rule\n" +
		"bus-1;Night bus;Lines;Berlin;Berlin;Praha;2027-05-14T00:15;Europe/Berlin;EUR;saver;Saver;1900;Saver;class;20;2;child|senior;true\n" +
		"bus-1;;;;;;;;;child;Child;900;;;;;;\n" +
		"bus-1;;;;;;;;;senior;;1500;;;;;;\n" +
		";;;;;;;;;;;;;;;;;\n" +
		"bus-2;Day bus;Lines;Berlin;Berlin;Praha;2027-05-14T10:15;Europe/Berlin;EUR;saver;;1900;Saver;class;20;;;\n" +
		"bus-2;;;;;;;;;saver;;1900;Upper deck;class;5;;;\n"
	const file = `{"events": [
		{"slug": "bus-1", "title": "Night bus", "organiser": "Lines", "place": "Berlin", "route": {"from": "Berlin", "to": "Praha"}, "starts_at": "2027-05-14T00:15",
		 "time_zone": "Europe/Berlin", "currency": "EUR", "orphan_rule": true,
		 "prices": [{"class": "saver", "name": "Saver", "amount": 1900}, {"class": "child", "name": "Child", "amount": 900}, {"class": "senior", "amount": 1500}],
		 "counters": [{"kind": "class", "name": "Saver", "class": "saver", "capacity": 20, "overbook": 2, "types": ["child", "senior"]}]},
		{"slug": "bus-2", "title": "Day bus", "organiser": "Lines", "place": "Berlin", "route": {"from": "Berlin", "to": "Praha"}, "starts_at": "2027-05-14T10:15",
		 "time_zone": "Europe/Berlin", "currency": "EUR", "prices": [{"class": "saver", "amount": 1900}],
		 "counters": [{"kind": "class", "name": "Saver", "class": "saver", "capacity": 20}, {"kind": "class", "name": "Upper deck", "class": "saver", "capacity": 5}]}]}`
	sameFile(t, table, file)
}

// What an editor puts before the first brace is no mistake, as it is none before a table.
func TestAFileMayBeginWithAByteOrderMark(t *testing.T) {
	want, err := Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse([]byte("\xef\xbb\xbf" + small))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with the mark (-without +with):\n%s", diff)
	}
}

func TestATableOfSeatsIsTheSameAsAPlan(t *testing.T) {
	sameFile(t, "venue,name,city,country,width,height,section,row,number,x,y,class,kind\n"+
		"hall,Hall,Bonn,DE,100,50,Stalls,1,1,10,1,A,\n,,,,,,Stalls,1,2,20.5,1,A,accessible\n,,,,,,Stalls,2,1,10,2,B,\n,,,,,,Gallery,1,1,10,40,B,\n",
		`{"venue": {"slug": "hall", "name": "Hall", "city": "Bonn", "country": "DE", "width": 100, "height": 50, "sections": [
			{"name": "Stalls", "rows": [{"name": "1", "seats": [["1", 10, 1, "A"], ["2", 20.5, 1, "A", "accessible"]]}, {"name": "2", "seats": [["1", 10, 2, "B"]]}]},
			{"name": "Gallery", "rows": [{"name": "1", "seats": [["1", 10, 40, "B"]]}]}]}}`)
}

func sameFile(t *testing.T, table, file string) {
	t.Helper()
	got, err := ParseCSV([]byte(table))
	if err != nil {
		t.Fatal(err)
	}
	want, err := Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	noLines := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Line" }, cmp.Ignore())
	if diff := cmp.Diff(want, got, noLines); diff != "" {
		t.Errorf("the table (-file +table):\n%s", diff)
	}
}

func FuzzParseCSV(f *testing.F) {
	files, _ := filepath.Glob("testdata/csv/*.csv")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := ParseCSV(data); err != nil && err.Error() == "" {
			t.Fatal("refused without a word")
		}
	})
}
