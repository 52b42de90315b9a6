package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/loadtest/history"
)

// A grant log written by hand: times in ms, rate 10/s, so entries 100 ms apart.
type logbook struct {
	seq   int64
	lines []string
}

func opened(rate string, limit, x int) *logbook {
	l := &logbook{}
	l.add("room", fmt.Sprintf(`"state":"open","rate":%s,"cap":%d`, rate, limit))
	l.add("x", fmt.Sprintf(`"x":%d`, x))
	return l
}

func (l *logbook) add(event, fields string) *logbook {
	l.seq++
	if fields != "" {
		fields = "," + fields
	}
	l.lines = append(l.lines, fmt.Sprintf(`{"seq":%d,"t":%d,"rt":0,"room":"r","epoch":1,"term":1,"event":%q%s}`, l.seq, start.UnixMilli(), event, fields))
	return l
}

func (l *logbook) door(places ...int) *logbook {
	for _, p := range places {
		l.add("door", fmt.Sprintf(`"vid":"v%d","index":%d,"place":%d`, p, p, p))
	}
	return l
}

func (l *logbook) grant(place int, entry float64) *logbook {
	return l.add("grant", fmt.Sprintf(`"vid":"v%d","place":%d,"entry_ms":%g`, place, place, entry))
}

func (l *logbook) gone(event string, place int) *logbook {
	return l.add(event, fmt.Sprintf(`"vid":"v%d","place":%d`, place, place))
}

func (l *logbook) events(t *testing.T) []GrantEvent {
	t.Helper()
	events, err := readGrants(strings.NewReader(strings.Join(l.lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestQ3(t *testing.T) {
	for name, c := range map[string]struct {
		log  *logbook
		want int
	}{
		"in order":                      {opened("10", 9, 5).door(2, 0, 1).grant(0, 0).grant(1, 100).grant(2, 200), 0},
		"past somebody at the door":     {opened("10", 9, 5).door(2, 0, 1).grant(1, 0).grant(0, 100), 1},
		"past two, thrice":              {opened("10", 9, 9).door(0, 5, 6, 7).grant(5, 0).grant(6, 100).grant(7, 200), 3},
		"a late one is simply first":    {opened("10", 9, 5).door(3).grant(3, 0).door(0).grant(0, 100), 0},
		"dropped, so not there":         {opened("10", 9, 5).door(0, 1).gone("drop", 0).grant(1, 0), 0},
		"left, so not there":            {opened("10", 9, 5).door(0, 1).gone("leave", 0).grant(1, 0), 0},
		"dropped and back":              {opened("10", 9, 5).door(0, 1).gone("drop", 0).door(0).grant(1, 0), 1},
		"granted, expired, back":        {opened("10", 9, 5).door(0, 1).grant(0, 0).gone("expire", 0).door(0).grant(1, 100), 1},
		"the store was lost":            {opened("10", 9, 5).door(0, 1).add("room", `"state":"open","rate":10,"cap":9,"rebuilt":true`).door(1).grant(1, 0), 0},
		"at X":                          {opened("10", 9, 5).door(5).grant(5, 0), 1},
		"X moved":                       {opened("10", 9, 5).add("x", `"x":6`).door(5).grant(5, 0), 0},
		"never at the door, none there": {opened("10", 9, 5).grant(4, 0), 0},
	} {
		if found := outOfOrder(c.log.events(t)); len(found) != c.want {
			t.Errorf("%s: %d exceptions, want %d: %+v", name, len(found), c.want, found)
		}
	}
}

func TestQ3OfANewEpochForgetsTheOldLine(t *testing.T) {
	l := opened("10", 9, 5).door(0)
	l.lines = append(l.lines,
		`{"seq":90,"room":"r","epoch":2,"event":"x","x":3}`,
		`{"seq":91,"room":"r","epoch":2,"event":"door","vid":"n","place":2}`,
		`{"seq":92,"room":"r","epoch":2,"event":"grant","vid":"n","place":2,"entry_ms":9}`)
	if found := outOfOrder(l.events(t)); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

func TestQ3OfAPlaceThatGrows(t *testing.T) {
	told := func(client int, mono int64, place string) history.Span {
		return history.Span{
			Begin: history.Entry{Client: client, F: "knock", Mono: mono},
			End:   history.Entry{Type: history.OK, Mono: mono + 10, Result: []byte(`{"place":` + place + `}`)},
		}
	}
	for name, c := range map[string]struct {
		spans []history.Span
		want  int
	}{
		"shrinks":              {[]history.Span{told(1, 0, "9"), told(1, 20, "7"), told(1, 40, "7")}, 0},
		"grows":                {[]history.Span{told(1, 0, "7"), told(1, 20, "9")}, 1},
		"comes with the draw":  {[]history.Span{told(1, 0, "-1"), told(1, 20, "9")}, 0},
		"of two people":        {[]history.Span{told(1, 0, "7"), told(2, 20, "9")}, 0},
		"asked twice at once":  {[]history.Span{told(1, 0, "7"), told(1, 5, "9")}, 0},
		"nothing shown at all": {[]history.Span{told(1, 0, "null"), told(1, 20, "null")}, 0},
	} {
		if found := grown(c.spans); len(found) != c.want {
			t.Errorf("%s: %+v, want %d", name, found, c.want)
		}
	}
}

func TestQ4Spacing(t *testing.T) {
	for name, c := range map[string]struct {
		log  *logbook
		want int
	}{
		"exact":                      {opened("10", 9, 9).grant(0, 0).grant(1, 100).grant(2, 200), 0},
		"a pause is allowed":         {opened("10", 9, 9).grant(0, 0).grant(1, 900).grant(2, 1000), 0},
		"too close":                  {opened("10", 9, 9).grant(0, 0).grant(1, 98), 1},
		"one rounded millisecond":    {opened("10", 9, 9).grant(0, 0).grant(1, 99), 0},
		"rounding does not add up":   {opened("10", 9, 9).grant(0, 0).grant(1, 99).grant(2, 198).grant(3, 297), 2},
		"fractions leave no slack":   {opened("10", 9, 9).grant(0, 0).grant(1, 99.5), 1},
		"backwards":                  {opened("10", 9, 9).grant(0, 500).grant(1, 400), 1},
		"slower from now on":         {opened("10", 9, 9).grant(0, 0).add("rate", `"rate":1`).grant(1, 100).grant(2, 1100), 0},
		"slower and not obeyed":      {opened("10", 9, 9).grant(0, 0).add("rate", `"rate":1`).grant(1, 100).grant(2, 200), 1},
		"faster from now on":         {opened("1", 9, 9).grant(0, 0).add("rate", `"rate":10`).grant(1, 100).grant(2, 200), 0},
		"faster and not obeyed":      {opened("1", 9, 9).grant(0, 0).add("rate", `"rate":10`).grant(1, 50), 1},
		"the same rate told again":   {opened("10", 9, 9).grant(0, 0).add("rate", `"rate":10`).grant(1, 100).grant(2, 150), 1},
		"granted while nobody may":   {opened("0", 9, 9).grant(0, 0), 1},
		"three in the time for two":  {opened("10", 9, 9).grant(0, 0).grant(1, 100).grant(2, 150).grant(3, 250), 2},
		"thirds of a second, floats": {opened("3", 9, 9).grant(0, 0).grant(1, 333.333).grant(2, 666.667).grant(3, 1000), 0},
	} {
		if found := tooClose(c.log.events(t)); len(found) != c.want {
			t.Errorf("%s: %d exceptions, want %d: %+v", name, len(found), c.want, found)
		}
	}
}

func TestQ4Cap(t *testing.T) {
	for name, c := range map[string]struct {
		log  *logbook
		want int
	}{
		"within":                  {opened("10", 2, 9).grant(0, 0).grant(1, 100), 0},
		"one too many":            {opened("10", 2, 9).grant(0, 0).grant(1, 100).grant(2, 200), 1},
		"a slot came back":        {opened("10", 2, 9).grant(0, 0).grant(1, 100).gone("leave", 0).grant(2, 200), 0},
		"an unclaimed one too":    {opened("10", 2, 9).grant(0, 0).grant(1, 100).gone("expire", 1).grant(2, 200), 0},
		"a drop frees no slot":    {opened("10", 2, 9).grant(0, 0).grant(1, 100).gone("drop", 1).grant(2, 200), 1},
		"lowered, nobody thrown":  {opened("10", 2, 9).grant(0, 0).grant(1, 100).add("cap", `"cap":1`), 0},
		"lowered and not obeyed":  {opened("10", 3, 9).grant(0, 0).grant(1, 100).add("cap", `"cap":1`).grant(2, 200), 1},
		"the same visitor is one": {opened("10", 1, 9).grant(0, 0).grant(0, 100), 0},
		"nobody may":              {opened("10", 0, 9).grant(0, 0), 1},
	} {
		if found := overCap(c.log.events(t)); len(found) != c.want {
			t.Errorf("%s: %d exceptions, want %d: %+v", name, len(found), c.want, found)
		}
	}
}

func TestTheLogsOfTwoEdgesAreOneLine(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := write("a", `{"seq":1,"room":"r","event":"x","x":5}`+"\n"+`{"seq":3,"room":"r","event":"leave","vid":"a"}`+"\n"+`{"seq":3,"room":"r","event":"leave","vid":"a"}`+"\n")
	b := write("b", `{"seq":2,"room":"r","event":"drop","vid":"b"}`+"\n"+`{"seq":2,"room":"r","event":"drop","vid":"c"}`+"\n")
	events, err := LoadGrants([]string{a, b}, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 4 || events[1].Vid != "b" || events[2].Vid != "c" || events[3].Vid != "a" {
		t.Errorf("%+v", events)
	}
	other := write("c", `{"seq":1,"room":"other","event":"x","x":5}`)
	if _, err := LoadGrants([]string{a, other}, ""); err == nil || !strings.Contains(err.Error(), "--room") {
		t.Errorf("two rooms without a choice: %v", err)
	}
	if events, err = LoadGrants([]string{a, other}, "other"); err != nil || len(events) != 1 {
		t.Errorf("%+v %v", events, err)
	}
	for text, want := range map[string]string{
		`{"seq":1,"room":"r"}`:                            "line 1: no event",
		`{"seq":1,"event":"grant","vid":"v","place":1}`:   "without vid, place or entry_ms",
		`{"seq":1,"event":"door","place":1}`:              "without vid or place",
		"{\"seq\":1,\"event\":\"x\"}\n{\"seq\":2,\"event": "line 2",
	} {
		if _, err := LoadGrants([]string{write("bad", text)}, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
