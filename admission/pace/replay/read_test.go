package replay

import (
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/report"
	"github.com/ropeline/ropeline/admission/pace/sim"
)

// written is a record as a leader writes it.
func written(t *testing.T, change func(*record.Record)) string {
	t.Helper()
	r := record.Record{At: sim.Clock(1), Edge: "a", X: 40, Model: 9, Document: report.Document{Room: "main", Epoch: 2, Mode: report.Pin, Applied: true, Rate: 4, Reason: "pin",
		Limits: map[string]float64{"db": 9, "pin": 4}, Pipeline: report.Pipeline{Waiting: 7, Inside: 3, Cap: 500},
		Quality:  report.Quality{P99Share: 0.2},
		Override: &report.Override{Mode: report.Pin, Rate: 4, Who: "ops", Why: "a look", Until: sim.Clock(90)},
		Stock:    &report.Stock{State: report.StockLastSeats, Available: 5, Held: 2, Sold: 3, Total: 10, Age: 1.5}},
		Setup: record.NewSetup(sim.Shop(&sim.Scenario{Servers: servers, Safe: 1, Guess: 1})),
		Inputs: record.Inputs{Seconds: 1, Asked: 30, After: record.Counts{{5, 2}}, Ages: map[string]record.Counts{"hold": {{3, 1}}},
			Readings: map[string]record.Reading{"db": {Age: 2, Seconds: 2, Busy: 1.5, Capacity: 24, Done: map[string]float64{"page": 12}}}}}
	if change != nil {
		change(&r)
	}
	b, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func TestARecordIsReadBack(t *testing.T) {
	r := NewReader(strings.NewReader(written(t, nil)), "log")
	var s Second
	if err := r.Next(&s); err != nil {
		t.Fatal(err)
	}
	d, g := s.Decision, s.Inputs.Gate
	if d.Reason != pace.ByPin || d.Mode != pace.Pin || d.Limits[0] != 9 || !math.IsInf(d.Limits[pace.BySlew], 1) || d.Override.Who != "ops" || d.Stock != pace.LastSeats {
		t.Errorf("%+v", d)
	}
	if g.X != 40 || g.Waiting != 7 || g.Claims[5] != 2 || g.Work[pace.Hold][3] != 1 || s.Inputs.Operator.Cap != 500 {
		t.Errorf("%+v", g)
	}
	if rd := s.Inputs.Resources[0]; rd.Busy != 1.5 || rd.Done[pace.Page] != 12 || d.At.Sub(rd.At).Seconds() != 2 || !s.Inputs.Resources[1].At.IsZero() {
		t.Errorf("%+v", s.Inputs.Resources)
	}
}

// A crash cuts the last line off, and a rotated log begins anywhere; anything else is somebody's mistake, and named.
func TestAReaderNamesThePlace(t *testing.T) {
	one := written(t, nil)
	later := written(t, func(r *record.Record) { r.Setup = nil })
	for name, c := range map[string]struct {
		text, want string
		seconds    int
	}{
		"whole":          {one + later + one, "EOF", 3},
		"cut off":        {one + later[:len(later)-40], "EOF", 1},
		"begins later":   {later + later + one, "EOF", 1},
		"torn inside":    {one + later[:50] + "\n" + later, "log:2: not a decision", 1},
		"something else": {`{"level":"info","msg":"hello"}` + "\n", "log:1: not a decision: no room", 0},
		"wrong limit":    {written(t, func(r *record.Record) { r.Reason = "luck" }), `log:1: limit "luck"`, 0},
		"wrong age":      {written(t, func(r *record.Record) { r.Inputs.After = record.Counts{{9999, 1}} }), "log:1: claims_after: bucket 9999", 0},
		"wrong mode":     {written(t, func(r *record.Record) { r.Mode = "asleep" }), `log:1: mode "asleep"`, 0},
		"wrong setup":    {written(t, func(r *record.Record) { r.Setup.Resources = nil }), "log:1: setup: ", 0},
		"too long":       {one + strings.Repeat(" ", maxLine+1) + "\n", "log:2: ", 1},
		"empty":          {"", "EOF", 0},
	} {
		r := NewReader(strings.NewReader(c.text), "log")
		var s Second
		n := 0
		err := r.Next(&s)
		for ; err == nil; err = r.Next(&s) {
			n++
		}
		if n != c.seconds || !strings.Contains(err.Error(), c.want) || (c.want == "EOF") != (err == io.EOF) {
			t.Errorf("%s: %d seconds, then %v; want %d, then %q", name, n, err, c.seconds, c.want)
		}
	}
}
