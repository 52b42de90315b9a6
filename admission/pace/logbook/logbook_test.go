package logbook

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"pgregory.net/rapid"
)

var began = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

func config(t testing.TB, ceiling float64) *pace.Config {
	t.Helper()
	c, err := pace.NewConfig(pace.Config{Ceiling: ceiling, Resources: []pace.Resource{
		{Name: "db", Cost: [pace.MaxKinds]float64{pace.Page: 1, pace.Hold: 4, pace.Confirm: 5}, Work: 10},
		{Name: "payment", Cost: [pace.MaxKinds]float64{pace.Pay: 1}, Work: 0.5, WorkAge: 150},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drawn are inputs as they may come, now and then with every optional part.
func drawn(t *rapid.T, second int) *pace.Inputs {
	now := began.Add(time.Duration(second) * time.Second)
	share := rapid.Float64Range(0, 2)
	many := rapid.Uint32Range(0, 50)
	in := &pace.Inputs{Epoch: 3}
	g := &in.Gate
	g.Seconds, g.X, g.Waiting, g.Active = 1, int64(20*second), rapid.Int64Range(0, 1e6).Draw(t, "waiting"), 300
	for range 5 {
		g.Claims[rapid.IntRange(0, pace.Lags-1).Draw(t, "lag")] = many.Draw(t, "claims")
		g.Work[rapid.IntRange(0, pace.MaxKinds-1).Draw(t, "kind")][rapid.IntRange(0, pace.Ages-1).Draw(t, "age")] = many.Draw(t, "work")
	}
	g.Flight, g.P99, g.Failed, g.Asked = share.Draw(t, "flight"), share.Draw(t, "p99"), share.Draw(t, "failed"), 400
	g.RecentP99, g.RecentFailed, g.Away = g.P99, g.Failed, rapid.Bool().Draw(t, "away")
	if rapid.Bool().Draw(t, "telemetry") {
		in.Resources[0] = pace.Reading{At: now, Seconds: 2, Busy: share.Draw(t, "busy"), Capacity: 24, Waiting: 1, Done: [pace.MaxKinds]float64{pace.Page: 12.5, pace.Other: 1}}
		in.Stock = pace.Stock{At: now, Available: 100, Held: 20, Sold: 30, Total: 150}
		in.Stock.Expiring[7] = 3
		in.LockWait = pace.Level{At: now, Value: share.Draw(t, "lock")}
	}
	if rapid.Bool().Draw(t, "operator") {
		in.Operator = pace.Operator{Cap: 500, Floor: 0.5, Ceiling: 40, Override: pace.Override{Mode: pace.Pin, Rate: 7, Who: "ops", Why: "a look", Until: now.Add(time.Minute)}}
	}
	return in
}

// What is read back is what was written, to the last bit: a replay that starts from something else proves nothing.
func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var file bytes.Buffer
		cfg := config(&testing.T{}, rapid.SampledFrom([]float64{0, 90}).Draw(t, "ceiling"))
		w, s := NewWriter(&file, "main"), pace.New(cfg)
		var ins []pace.Inputs
		var decided []pace.Decision
		for second := range rapid.IntRange(1, 20).Draw(t, "seconds") {
			in := drawn(t, second)
			var d pace.Decision
			s, d = pace.Next(s, in, began.Add(time.Duration(second)*time.Second))
			if err := w.Add(cfg, in, &d); err != nil {
				t.Fatal(err)
			}
			ins, decided = append(ins, *in), append(decided, d)
		}
		r := NewReader(&file, "log")
		var rec Record
		for i := range ins {
			if err := r.Next(&rec); err != nil {
				t.Fatal(err)
			}
			if rec.Room != "main" || !reflect.DeepEqual(rec.Config, cfg) {
				t.Fatalf("configuration: %+v", rec.Config)
			}
			if !reflect.DeepEqual(rec.Inputs, ins[i]) {
				t.Fatalf("inputs\n%+v\nread as\n%+v", ins[i], rec.Inputs)
			}
			want := decided[i]
			if want.Override.Mode == pace.Auto {
				want.Override = pace.Override{}
			}
			if !reflect.DeepEqual(rec.Decision, want) {
				t.Fatalf("decision\n%+v\nread as\n%+v", want, rec.Decision)
			}
			if cfg.Sentence(&rec.Decision) != cfg.Sentence(&decided[i]) {
				t.Fatal("another sentence")
			}
		}
		if err := r.Next(&rec); err != io.EOF {
			t.Fatalf("after the end: %v", err)
		}
	})
}

// A crash cuts the last line off; anything else that is no decision is somebody's mistake, and named.
func TestReaderNamesThePlace(t *testing.T) {
	var file bytes.Buffer
	cfg := config(t, 0)
	w := NewWriter(&file, "main")
	d := pace.Decision{At: began}
	for i := range d.Limits {
		d.Limits[i] = math.Inf(1)
	}
	for range 3 {
		if err := w.Add(cfg, &pace.Inputs{}, &d); err != nil {
			t.Fatal(err)
		}
	}
	whole := file.String()
	lines := strings.SplitAfter(whole, "\n")
	for name, c := range map[string]struct {
		text, want string
		records    int
	}{
		"whole":         {whole, "EOF", 3},
		"cut off":       {whole[:len(whole)-40], "EOF", 2},
		"begun again":   {whole + whole, "EOF", 6},
		"torn in front": {lines[0] + "{\"at\":\n" + lines[1], "log:2: not a decision", 0},
		"no beginning":  {lines[1], "log:1: a decision before any configuration", 0},
		"empty object":  {lines[0] + "{}\n", "log:2: neither", 0},
		"wrong name":    {lines[0] + strings.Replace(lines[1], `"reason":"db"`, `"reason":"luck"`, 1), `log:2: reason "luck" is not known`, 0},
		"wrong lag":     {lines[0] + strings.Replace(lines[1], `"gate":{`, `"gate":{"claims":[[999,1]],`, 1), `log:2: bucket "999"`, 0},
		"too long":      {lines[0] + strings.Repeat(" ", maxLine+1) + "\n", "log:2: ", 0},
		"empty":         {"", "EOF", 0},
	} {
		r := NewReader(strings.NewReader(c.text), "log")
		var rec Record
		n := 0
		err := r.Next(&rec)
		for ; err == nil; err = r.Next(&rec) {
			n++
		}
		if n != c.records || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d seconds, then %v; want %d, then %q", name, n, err, c.records, c.want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAWriterSaysThatItCannot(t *testing.T) {
	if err := NewWriter(full{}, "main").Add(config(t, 0), &pace.Inputs{}, &pace.Decision{}); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("%v", err)
	}
}
