package pace

import (
	"math"
	"testing"
	"time"
)

func TestReachesWhatTheOriginBears(t *testing.T) {
	f := newFluid(1)
	var last Decision
	f.play(New(shop(t, 1)), 900, func(_ *Inputs, d *Decision) { last = *d })
	// 6 + 0.75*4 + 0.56*5 units a person; headroom of 24 servers.
	want := Headroom(24) * 24 / 0.04 / 11.8
	if math.Abs(last.Rate-want) > 0.03*want {
		t.Errorf("after a quarter of an hour the rate is %.1f, the database bears %.1f", last.Rate, want)
	}
	if last.Reason != 0 {
		t.Errorf("the reason is %s, not the database", f.name(t, last.Reason))
	}
	if math.Abs(last.Show-0.85) > 0.03 {
		t.Errorf("the share that comes is taken for %.2f, it is 0.85", last.Show)
	}
}

func (f *fluid) name(t *testing.T, l Limit) string { return shop(t, f.scale).Name(l) }

func TestTenTimesThePlantGivesTenTimesTheRate(t *testing.T) {
	rates := map[float64][]float64{}
	for _, scale := range []float64{1, 10} {
		f := newFluid(scale)
		f.play(New(shop(t, scale)), 600, func(_ *Inputs, d *Decision) { rates[scale] = append(rates[scale], d.Rate) })
	}
	// Small pools keep more headroom, which is the one thing that does not scale.
	head := Headroom(240) / Headroom(24)
	for _, at := range []int{5, 400, 599} {
		small, large := rates[1][at], rates[10][at]
		want := 10.0
		if at >= 400 {
			want *= head
		}
		if ratio := large / small; math.Abs(ratio-want) > 0.05*want {
			t.Errorf("second %d: %.2f and %.2f, a ratio of %.2f instead of %.2f", at, small, large, ratio, want)
		}
	}
}

// The page says "payment" when payment it is.
func TestSlowPaymentIsNamed(t *testing.T) {
	f := newFluid(1)
	c := shop(t, 1)
	s := f.play(New(c), 600, nil)
	var last Decision
	for range 60 {
		in := f.inputs()
		in.Resources[1].Done[Pay] /= 10 // each takes ten times as long
		s, last = Next(s, in, f.now)
		f.move(&last)
	}
	if got := c.Name(last.Reason); got != "payment" && !(got == "floor" && last.Limits[1] < last.Limits[0]) {
		t.Errorf("the reason is %s: %s", got, c.Sentence(&last))
	}
}

func TestOutageBrakesToATrickleAndLetsGo(t *testing.T) {
	f := newFluid(1)
	c := shop(t, 1)
	s := f.play(New(c), 600, nil)
	healthy := s.Slew.Rate
	phi := s.Trims[0].Phi
	f.p99, f.failed = 8, 0.9
	s = f.play(s, 60, func(_ *Inputs, d *Decision) {
		if d.Rate < c.Floor {
			t.Errorf("the rate fell to %v, below the floor of %v", d.Rate, c.Floor)
		}
	})
	if !s.Brake.On || s.Slew.Rate > 0.05*healthy {
		t.Errorf("after a minute of errors the brake is %v and the rate %.1f", s.Brake.On, s.Slew.Rate)
	}
	if want := brakeTo * healthy; math.Abs(s.Slew.Rate-want) > 0.2*want {
		t.Errorf("the trickle is %.2f a second; two of a hundred of the healthy rate are %.2f", s.Slew.Rate, want)
	}
	if s.Trims[0].Phi != phi {
		t.Errorf("the outage moved the trim from %v to %v", phi, s.Trims[0].Phi)
	}
	f.p99, f.failed = 0.3, 0
	s = f.play(s, 5, nil)
	if s.Brake.On {
		t.Error("the origin is well again for 5 s and the brake still holds")
	}
	s = f.play(s, 400, nil)
	if s.Slew.Rate < 0.9*healthy {
		t.Errorf("long after the outage the rate is %.1f, before it was %.1f", s.Slew.Rate, healthy)
	}
}

// A stale signal is believed for a while, then less and less, and never more.
func TestStaleSignalDecaysAndNeverRises(t *testing.T) {
	f := newFluid(1)
	s := f.play(New(shop(t, 1)), 600, nil)
	f.silent = true
	last, begin := math.Inf(1), s.Caps[0].Frozen
	f.play(s, 660, func(_ *Inputs, d *Decision) {
		w := d.Resources[0].Work
		if d.Resources[0].Signal == Stale && w > last+1e-9 {
			t.Fatalf("capacity rose from %v to %v while nobody reported it", last, w)
		}
		last = w
	})
	if last > 0.001*begin {
		t.Errorf("after 11 minutes of silence %v of %v is still believed", last, begin)
	}
	if got := distrust(start, start.Add(2*time.Minute)); got != staleLeast {
		t.Errorf("two minutes of silence leave %v", got)
	}
}

func TestLostStoreLetsNobodyInAndCausesNoBurst(t *testing.T) {
	f := newFluid(1)
	s := f.play(New(shop(t, 1)), 600, nil)
	x := f.x
	for range 40 {
		in := f.inputs()
		in.Gate.Away = true
		var d Decision
		s, d = Next(s, in, f.now)
		f.move(&d)
	}
	if f.x != x {
		t.Errorf("%d places were released without a store", f.x-x)
	}
	f.play(s, 1, func(_ *Inputs, d *Decision) {
		if got, most := float64(d.X-x), d.Release*1.5; got > most {
			t.Errorf("%v places in the first second after the outage, the rate is %v", got, d.Release)
		}
	})
}

func TestNoAllocation(t *testing.T) {
	f := newFluid(1)
	s := f.play(New(shop(t, 1)), 300, nil)
	in := f.inputs()
	if n := testing.AllocsPerRun(50, func() { s, _ = Next(s, in, f.now) }); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}

func BenchmarkNext(b *testing.B) {
	f := newFluid(1)
	s := f.play(New(shop(b, 1)), 300, nil)
	in := f.inputs()
	b.ReportAllocs()
	for b.Loop() {
		s, _ = Next(s, in, f.now)
	}
}
