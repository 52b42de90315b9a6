package pace

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// lived is a controller with some history: a few minutes of a plant with troubles drawn at random.
func lived(t *rapid.T, c *Config) (State, *fluid) {
	f := newFluid(1)
	s := New(c)
	for range rapid.IntRange(1, 4).Draw(t, "stretches") {
		f.cost = 0.04 * rapid.Float64Range(0.5, 2).Draw(t, "cost")
		f.p99 = rapid.SampledFrom([]float64{0.2, 0.6, 1.2, 5}).Draw(t, "p99")
		f.failed = rapid.SampledFrom([]float64{0, 0, 0.02, 0.3}).Draw(t, "failed")
		f.silent = rapid.Bool().Draw(t, "silent")
		s = f.play(s, rapid.IntRange(5, 120).Draw(t, "seconds"), nil)
	}
	return s, f
}

func quietShop() *Config {
	c, err := NewConfig(Config{Resources: []Resource{
		{Name: "db", Cost: [MaxKinds]float64{Page: 1, Hold: 4, Confirm: 5}, Work: 10},
		{Name: "payment", Cost: [MaxKinds]float64{Pay: 1}, Work: 0.5, WorkAge: 150, Headroom: 0.85},
	}, SafeRate: 4})
	if err != nil {
		panic(err)
	}
	return c
}

func TestMoreLoadNeverRaisesTheRate(t *testing.T) {
	c := quietShop()
	rapid.Check(t, func(t *rapid.T) {
		s, f := lived(t, c)
		in := f.inputs()
		more := *in
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			more.Resources[0].Busy *= rapid.Float64Range(1, 3).Draw(t, "busier")
		case 1:
			more.Gate.P99 *= rapid.Float64Range(1, 10).Draw(t, "slower")
			more.Gate.RecentP99 = more.Gate.P99
		case 2:
			more.Gate.Failed = min(1, more.Gate.Failed+rapid.Float64Range(0, 0.5).Draw(t, "more failures"))
			more.Gate.RecentFailed = more.Gate.Failed
		case 3:
			more.Resources[0].Waiting += rapid.Float64Range(0, 500).Draw(t, "waiting")
		case 4:
			more.Gate.Active += 1000
			in.Operator.Cap, more.Operator.Cap = 1200, 1200
		}
		_, less := Next(s, in, f.now)
		_, got := Next(s, &more, f.now)
		if got.Rate > less.Rate*(1+1e-9) {
			t.Fatalf("more load raised the rate from %v (%s) to %v (%s)", less.Rate, c.Name(less.Reason), got.Rate, c.Name(got.Reason))
		}
	})
}

func TestXNeverFallsAndEveryDecisionHasAReason(t *testing.T) {
	c := quietShop()
	rapid.Check(t, func(t *rapid.T) {
		s, f := lived(t, c)
		for range 30 {
			in := f.inputs()
			in.Gate.Away = rapid.IntRange(0, 9).Draw(t, "away") == 0
			in.Gate.X = max(0, f.x-rapid.Int64Range(0, 3).Draw(t, "an old answer of the store"))
			in.Operator.Override = Override{
				Mode: Mode(rapid.IntRange(0, int(Shadow)).Draw(t, "mode")), Rate: 7, Who: "ops", Why: "test", Until: f.now.Add(time.Minute),
			}
			var d Decision
			s, d = Next(s, in, f.now)
			if d.X < f.x {
				t.Fatalf("X fell from %d to %d", f.x, d.X)
			}
			if name := c.Name(d.Reason); name == "none" || d.Limits[d.Reason] != d.Rate {
				t.Fatalf("rate %v, reason %s, whose limit is %v", d.Rate, name, d.Limits[d.Reason])
			}
			if text := c.Sentence(&d); len(text) < 20 || strings.Contains(text, "NaN") || strings.Contains(text, "nothing limits") {
				t.Fatalf("no sentence for a person: %q", text)
			}
			if halted := in.Gate.Away || d.Mode == Pause || d.Mode == Drain; !halted && d.Rate < min(c.Floor, 7) {
				t.Fatalf("rate %v is below the floor of %v: %s", d.Rate, c.Floor, c.Name(d.Reason))
			}
			if math.IsNaN(d.Rate) || math.IsInf(d.Rate, 0) || d.Rate < 0 {
				t.Fatalf("rate %v", d.Rate)
			}
			f.move(&d)
		}
	})
}

// What people and outages do must not be paid for afterwards.
func TestTrimIsFrozenInOutageDrainAndPin(t *testing.T) {
	c := quietShop()
	rapid.Check(t, func(t *rapid.T) {
		s, f := lived(t, c)
		what := rapid.SampledFrom([]string{"drain", "pause", "pin", "outage"}).Draw(t, "what")
		if what == "outage" {
			f.p99, f.failed = 8, 0.9
			s = f.play(s, 5, nil)
		} else {
			f.p99, f.failed = 1.5, 0
		}
		before := s.Trims
		for range 40 {
			in := f.inputs()
			if what != "outage" {
				m, err := ParseMode(what)
				if err != nil {
					t.Fatal(err)
				}
				in.Operator.Override = Override{Mode: m, Rate: 50, Who: "ops", Why: "test", Until: f.now.Add(time.Minute)}
			}
			var d Decision
			s, d = Next(s, in, f.now)
			f.move(&d)
		}
		for i := range c.Resources {
			if s.Trims[i].Phi != before[i].Phi {
				t.Fatalf("%s moved the trim of %s from %v to %v", what, c.Resources[i].Name, before[i].Phi, s.Trims[i].Phi)
			}
		}
	})
}
