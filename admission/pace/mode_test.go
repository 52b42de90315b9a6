package pace

import (
	"strings"
	"testing"
	"time"
)

func TestOverrideNeedsAuthorReasonAndSense(t *testing.T) {
	for name, c := range map[string]struct {
		mode     Mode
		rate     float64
		who, why string
		length   time.Duration
		cure     string
	}{
		"unsigned":      {Pause, 0, "", "smoke", 0, "who you are"},
		"no reason":     {Pause, 0, "ops", "", 0, "say why"},
		"pin to none":   {Pin, 0, "ops", "smoke", 0, "or pause"},
		"pin below":     {Pin, -1, "ops", "smoke", 0, "positive"},
		"over already":  {Pause, 0, "ops", "smoke", -time.Second, "still to come"},
		"no such thing": {Mode(9), 0, "ops", "smoke", 0, "does not exist"},
	} {
		if _, err := NewOverride(c.mode, c.rate, c.who, c.why, start, c.length); err == nil || !strings.Contains(err.Error(), c.cure) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o, err := NewOverride(Pin, 5, "ops", "bus strike", start, 0)
	if err != nil {
		t.Fatal(err)
	}
	if o.mode(start.Add(DefaultOverride-time.Second)) != Pin || o.mode(start.Add(DefaultOverride)) != Auto {
		t.Error("an override without a length does not end after a quarter of an hour")
	}
}

// The return from a pin is eased: no leap to what the model would allow.
func TestReturnFromAPinIsBumpless(t *testing.T) {
	f := newFluid(1)
	c := shop(t, 1)
	s := f.play(New(c), 600, nil)
	o, err := NewOverride(Pin, 5, "ops", "bus strike", f.now, 2*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for range 119 {
		in := f.inputs()
		in.Operator.Override = o
		var d Decision
		s, d = Next(s, in, f.now)
		if d.Rate != 5 || d.Reason != ByPin || !strings.Contains(c.Sentence(&d), "bus strike") {
			t.Fatalf("rate %v, %s", d.Rate, c.Sentence(&d))
		}
		f.move(&d)
	}
	last := 5.0
	f.play(s, 30, func(_ *Inputs, d *Decision) {
		if d.Rate > last*(1+c.SlewUp)+1e-9 {
			t.Errorf("from %.2f to %.2f in a second", last, d.Rate)
		}
		last = d.Rate
	})
}

func TestShadowDecidesAndMovesNothing(t *testing.T) {
	f := newFluid(1)
	s := f.play(New(shop(t, 1)), 100, nil)
	x := f.x
	in := f.inputs()
	in.Operator.Override = Override{Mode: Shadow, Who: "ops", Why: "a look", Until: f.now.Add(time.Hour)}
	_, d := Next(s, in, f.now)
	if d.Applied || d.X != x || d.Rate == 0 {
		t.Errorf("applied %v, X from %d to %d, rate %v", d.Applied, x, d.X, d.Rate)
	}
}

func TestModesReadWhatTheyWrite(t *testing.T) {
	for m := Auto; m <= Shadow; m++ {
		if got, err := ParseMode(m.String()); err != nil || got != m {
			t.Errorf("%s: %v, %v", m, got, err)
		}
	}
	if _, err := ParseMode("off"); err == nil || !strings.Contains(err.Error(), "shadow") {
		t.Errorf("%v", err)
	}
}
