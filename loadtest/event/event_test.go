package event

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/sim"
)

// staged plays an event with a pin in it and writes its log.
func staged(t *testing.T, room string) (log []byte, out sim.Outcome) {
	t.Helper()
	cfg := sim.Shop(&sim.Scenario{Servers: 24, Safe: 1, Guess: 1, Seats: 2000})
	var b bytes.Buffer
	w := NewWriter(&b, room, cfg)
	out, err := sim.Play(sim.Plan{Config: cfg, Habits: sim.Usual(), Seats: 2000, Seed: 3, Watch: w.Add, Most: 900,
		Joined: func(int) int64 { return 6000 }, At: func(int) sim.World { return sim.Calm(24) },
		Operator: func(second int) (o pace.Operator) {
			if second >= 60 && second < 120 {
				o.Override = pace.Override{Mode: pace.Pin, Rate: 2, Who: "ops", Why: "a look", Until: sim.Clock(120)}
			}
			return o
		}})
	if err = errors.Join(err, w.Err()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), out
}

func save(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A log comes in parts; together they are the event, in whatever number of parts.
func TestPartsAreOneEvent(t *testing.T) {
	log, out := staged(t, "main")
	lines := bytes.SplitAfter(log, []byte("\n"))
	join := func(from, to int) []byte { return bytes.Join(lines[from:to], nil) }
	dir := save(t, map[string][]byte{"whole": log, "d": join(600, len(lines)), "d.1": join(300, 600), "d.2": join(0, 300)})
	whole, err := Log{Files: []string{filepath.Join(dir, "whole")}}.Past()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := Log{Files: []string{filepath.Join(dir, "d")}}.Past()
	if err != nil {
		t.Fatal(err)
	}
	was, is := whole.Outcome(), parts.Outcome()
	if a, b := was.Account.Released(), is.Account.Released(); a != b || a != out.Account.Released() {
		t.Errorf("%d let go, by the parts %d, in the event %d", a, b, out.Account.Released())
	}
	list := parts.Overrides()
	if len(list) != 1 || list[0].Who != "ops" || list[0].To.Sub(list[0].From) != time.Minute {
		t.Errorf("overrides: %+v", list)
	}
	var text strings.Builder
	if err := Tell(&text, parts); err != nil || !strings.Contains(text.String(), "pin to 2/s     by ops: a look") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// The losses are sorted by what they cost, and a pin is charged to the pin.
func TestLossesAreSorted(t *testing.T) {
	log, out := staged(t, "main")
	dir := save(t, map[string][]byte{"d": log})
	p, err := Log{Files: []string{filepath.Join(dir, "d")}}.Past()
	if err != nil {
		t.Fatal(err)
	}
	if n := p.Outcome().Account.Limits[pace.ByPin].Seconds; n != 60 || out.Account.Limits[pace.ByPin].Seconds != 60 {
		t.Errorf("pinned for %d s", n)
	}
	o := p.Outcome()
	if lost := o.Account.Lost(pace.ByPin); lost < 30*time.Second || lost > 60*time.Second {
		t.Errorf("a minute at 2 of some 40 a second cost %v", lost)
	}
	list := Losses(p)
	last := time.Duration(1 << 62)
	for _, s := range list[1:] {
		name := strings.Fields(s)[0]
		for l := range pace.Limits {
			if p.Config().Name(l) == name {
				if now := o.Account.Lost(l); now > last {
					t.Errorf("not sorted: %v", list)
				} else {
					last = now
				}
			}
		}
	}
}

func TestSeveralRoomsOrEpochsNeedAChoice(t *testing.T) {
	a, _ := staged(t, "a")
	b, _ := staged(t, "b")
	anew := bytes.ReplaceAll(a, []byte(`"epoch":1`), []byte(`"epoch":2`))
	dir := save(t, map[string][]byte{"rooms": append(append([]byte{}, a...), b...), "epochs": append(append([]byte{}, a...), anew...),
		"costs": append(append([]byte{}, a...), bytes.ReplaceAll(a, []byte(`"Cost":[1,4`), []byte(`"Cost":[1,9`))...)})
	for _, c := range []struct {
		log  Log
		want string
	}{
		{Log{Files: []string{"rooms"}}, "choose one with --room"}, {Log{Files: []string{"rooms"}, Room: "b"}, ""},
		{Log{Files: []string{"epochs"}}, "--epoch 1 or --epoch 2"}, {Log{Files: []string{"epochs"}, Epoch: 2}, ""},
		{Log{Files: []string{"costs"}}, "costs changed"},
	} {
		c.log.Files[0] = filepath.Join(dir, c.log.Files[0])
		if _, err := c.log.Past(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.log, err, c.want)
		}
	}
}

func TestWordsOfPeopleAreText(t *testing.T) {
	var b strings.Builder
	if err := Page(&b, "<b>", Content{Text: "<script>alert(1)</script>", Charts: []Chart{{Title: "<i>", Bands: []Band{{Name: "<u>"}}}}}); err != nil {
		t.Fatal(err)
	}
	for _, no := range []string{"<b>", "<script>", "<i>", "<u>"} {
		if strings.Contains(b.String(), no) {
			t.Errorf("%s stands in the page as it came", no)
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for want, got := range map[string]string{
		"0": Count(0), "999": Count(999), "1,000": Count(1000), "-1,234,567": Count(-1234567), "12.3": Rate(12.345), "123": Rate(123.4),
		"3 s": Duration(3 * time.Second), "2 min 05 s": Duration(125 * time.Second), "1 h 02 min": Duration(62 * time.Minute),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
