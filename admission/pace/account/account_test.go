package account

import (
	"math"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

var began = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

func decided(reason pace.Limit, limits map[pace.Limit]float64) *pace.Decision {
	d := &pace.Decision{Reason: reason, Rate: limits[reason], Model: math.Inf(1)}
	for i := range d.Limits {
		d.Limits[i] = math.Inf(1)
	}
	for l, v := range limits {
		d.Limits[l] = v
		if l < pace.MaxResources {
			d.Model = min(d.Model, v)
		}
	}
	return d
}

// Without a limit the next would have decided. The slew is not the next: it follows whatever decided.
func TestWhatWouldHaveBeenInstead(t *testing.T) {
	floor := decided(1, map[pace.Limit]float64{0: 20, 1: 0, pace.ByFloor: 0.5})
	floor.Reason, floor.Rate = pace.ByFloor, 0.5
	for name, c := range map[string]struct {
		d    *pace.Decision
		want float64
	}{
		"payment before db":   {decided(1, map[pace.Limit]float64{0: 20, 1: 3, pace.BySlew: 3.1}), 20},
		"slew before db":      {decided(pace.BySlew, map[pace.Limit]float64{0: 20, pace.BySlew: 4}), 20},
		"pin before db":       {decided(pace.ByPin, map[pace.Limit]float64{0: 20, pace.ByPin: 2, pace.BySlew: 2.1}), 20},
		"floor above payment": {floor, 20},
		"a pause":             {decided(pace.ByPause, map[pace.Limit]float64{0: 12, pace.ByPause: 0}), 12},
		"nothing else":        {decided(0, map[pace.Limit]float64{0: 5}), math.Inf(1)},
	} {
		if got := instead(c.d); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Nobody believes in more than the event's best pace.
func TestPeopleKeptWaitingAreAtMostThoseOfTheBestPace(t *testing.T) {
	var k kept
	k.add(20, 2)
	k.add(1e9, 2)
	k.add(math.Inf(1), 2)
	k.add(1, 2) // a pin above what the origin bears kept nobody
	k.add(0, 0)
	for best, want := range map[float64]float64{30: 18 + 28 + 28, 10: 8 + 8 + 8, 1: 0} {
		if got := k.people(best); math.Abs(got-want) > 1e-9 {
			t.Errorf("at most %v a second: %v people, want %v", best, got, want)
		}
	}
}

// Ten minutes at 20 a second, then one at 2: the pin cost 54 s of that pace, and nothing else cost anything.
func TestAnAccountOfAnEvent(t *testing.T) {
	var a Account
	x := int64(100)
	for second := range 660 {
		in := &pace.Inputs{}
		in.Gate.X, in.Gate.Waiting, in.Gate.Asked = x, 1000, 100
		d := decided(0, map[pace.Limit]float64{0: 20})
		if second >= 600 {
			d = decided(pace.ByPin, map[pace.Limit]float64{0: 20, pace.ByPin: 2})
		}
		if second%66 == 0 {
			d.Latency = 1.5
		}
		d.At = began.Add(time.Duration(second) * time.Second)
		a.Add(in, d)
		x += int64(d.Rate)
	}
	if a.Limits[0].Seconds != 600 || a.Limits[pace.ByPin].Seconds != 60 || a.Waiting != 660 || a.Over != 10 {
		t.Errorf("%+v", a)
	}
	if got := a.Lost(pace.ByPin).Round(time.Second); got != 54*time.Second || a.Lost(0) != 0 || a.Fastest != 20 {
		t.Errorf("the pin cost %v, db %v, the best pace was %v", got, a.Lost(0), a.Fastest)
	}
	if got := a.Released(); got != x-100-2 {
		t.Errorf("%d released, X moved by %d", got, x-100)
	}
	// Somebody who joins a line of 1000 that moves at 20 a second waits 50 s; in the end 2 a second are let in.
	if a.Longest < 50*time.Second || a.Longest > 115*time.Second {
		t.Errorf("the longest wait was %v", a.Longest)
	}
}

func TestNobodyWaitsInAnEmptyLine(t *testing.T) {
	var a Account
	for second := range 100 {
		d := decided(0, map[pace.Limit]float64{0: 20})
		d.At = began.Add(time.Duration(second) * time.Second)
		a.Add(&pace.Inputs{}, d)
	}
	if a.Waiting != 0 || a.Limits[0].Seconds != 0 || a.Longest != 0 {
		t.Errorf("%+v", a)
	}
}
