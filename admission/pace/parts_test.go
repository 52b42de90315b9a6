package pace

import (
	"math"
	"testing"
	"time"
)

// Claims over releases is far below the truth while the line ramps; the hazard is not.
func TestShowIsUnbiasedWhileRamping(t *testing.T) {
	var s show
	rate, released, claimed := 10.0, 0.0, 0.0
	var cohorts [Lags]float64
	for range 40 {
		rate *= 1.1
		copy(cohorts[1:], cohorts[:Lags-1])
		cohorts[0] = rate
		var claims [Lags]uint32
		for l := range 20 { // half of them come, evenly over the first 20 s
			claims[l] = uint32(math.Round(0.5 * cohorts[l] / 20))
			claimed += float64(claims[l])
		}
		s.tick(rate, &claims)
		released += rate
	}
	s.estimate()
	if naive := claimed / released; naive > 0.35 {
		t.Fatalf("the plain ratio is %.2f: this ramp shows nothing", naive)
	}
	if math.Abs(s.P-0.5) > 0.06 {
		t.Errorf("the share that comes is taken for %.2f, it is 0.5", s.P)
	}
}

// Ghosts must not fill the bound on what is under way.
func TestPendingCountsThoseExpectedNotGhosts(t *testing.T) {
	var s show
	s.estimate()
	s.Open[0], s.Open[100] = 100, 100
	s.estimate()
	if want := showPrior * 100; math.Abs(s.Coming-want) > 15 {
		t.Errorf("of 100 fresh places and 100 that are 100 s old %.1f are expected, about %.0f will come", s.Coming, want)
	}
}

func TestCapacityFollowsAStepAndIgnoresNoise(t *testing.T) {
	cost := [MaxKinds]float64{Page: 1}
	at := start
	feed := func(c *capacity, seconds float64) {
		at = at.Add(2 * time.Second)
		c.read(&Reading{At: at, Seconds: 2, Busy: 500 * seconds, Capacity: 24, Done: [MaxKinds]float64{Page: 500}}, &cost)
	}
	var c capacity
	for i := range 100 {
		feed(&c, 0.04*(1+0.1*float64(i%2*2-1)))
	}
	if math.Abs(c.Cost-0.04) > 0.002 {
		t.Errorf("through noise of a tenth the cost is taken for %.4f, it is 0.04", c.Cost)
	}
	var d capacity
	for range 50 {
		feed(&d, 0.04)
	}
	for range 4 {
		feed(&d, 0.4)
	}
	if math.Abs(d.Cost-0.4) > 0.05 {
		t.Errorf("four readings after it rose tenfold the cost is taken for %.3f", d.Cost)
	}
}

// Work is being done and nothing gets finished: waiting for a completion would be trust in yesterday.
func TestCapacityFallsWhenNothingCompletes(t *testing.T) {
	cost := [MaxKinds]float64{Page: 1}
	c := capacity{}
	at := start
	for range 20 {
		at = at.Add(2 * time.Second)
		c.read(&Reading{At: at, Seconds: 2, Busy: 20, Capacity: 24, Done: [MaxKinds]float64{Page: 500}}, &cost)
	}
	before := c.work(0, 1)
	for range 8 {
		at = at.Add(2 * time.Second)
		c.read(&Reading{At: at, Seconds: 2, Busy: 48, Capacity: 24}, &cost)
	}
	if after := c.work(0, 1); after > before/10 {
		t.Errorf("after 16 s in which nothing was finished the capacity is %.0f, before it was %.0f", after, before)
	}
}

// A guess that is a hundred times wrong must not cost the event.
func TestKernelFindsTheMassOfAWrongGuess(t *testing.T) {
	for _, wrong := range []float64{0.01, 100} {
		k := newKernel(12*wrong, 90)
		cost := [MaxKinds]float64{Page: 1}
		var e exposure
		var ages [Ages]float64
		for second := range 120 {
			var work [MaxKinds][Ages]uint32
			ages[min(Ages-1, second/AgeBucket)] += 10
			for a := 0; a <= min(17, second/AgeBucket); a++ { // every person loads a page in each of the first 18 buckets
				work[Page][a] = uint32(ages[a] / AgeBucket)
			}
			for a := range ages[:min(Ages, second/AgeBucket+1)] {
				ages[a] = 50
			}
			e.tick(&ages, 1)
			k.learn(&cost, &work, &e, true)
		}
		if k.Total < 8 || k.Total > 40 {
			t.Errorf("guess times %v: after two minutes a person is taken to bring %.1f units, it brings 18", wrong, k.Total)
		}
	}
}

// A signal that halves from one reading to the next would double the rate.
func TestSignalBelowWhatTheGateSeesIsNotBelieved(t *testing.T) {
	var d doubt
	at := start
	hear := func(busy float64) float64 {
		at = at.Add(2 * time.Second)
		d.see(12)
		d.see(12)
		return d.hear(&Reading{At: at, Seconds: 2, Busy: busy, Capacity: 24}, 0.0004, true, at) / 2
	}
	for range 40 {
		hear(20)
	}
	for range 30 {
		if got := hear(10); math.Abs(got-10) > 0.5 {
			t.Fatalf("busy servers are taken for %.1f; the gate sees as many under way as when it was 10", got)
		}
	}
	if !d.On {
		t.Error("the doubt is not shown")
	}
	for range 10 {
		hear(20)
	}
	if d.On {
		t.Error("the signal is right again and still doubted")
	}
}

// Nothing is known and many come at once: an unknown capacity is not an unlimited one.
func TestUnknownCapacityIsNotGrownIntoByLeaps(t *testing.T) {
	f := newFluid(10)
	f.silent = true
	last := 0.0
	f.play(New(shop(t, 10)), 120, func(_ *Inputs, d *Decision) {
		if last > 0 && d.Rate > 1.06*last {
			t.Errorf("from %.1f to %.1f in a second", last, d.Rate)
		}
		last = d.Rate
	})
}

func TestSavedStateGoesOnWhereItWas(t *testing.T) {
	f := newFluid(1)
	c := shop(t, 1)
	s := f.play(New(c), 600, nil)
	b, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	heir, err := Restore(c, b, f.now.Add(12*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	rate := s.Slew.Rate
	f.now = f.now.Add(12 * time.Second)
	f.play(heir, 60, func(_ *Inputs, d *Decision) {
		if d.Rate > 1.1*rate {
			t.Errorf("the successor lets %.1f in a second, its predecessor let %.1f", d.Rate, rate)
		}
	})
	if _, err := Restore(c, []byte("{"), f.now); err == nil {
		t.Error("a broken state was taken")
	}
}
