package pace

import (
	"math"
	"testing"
	"time"
)

var start = time.Unix(1_800_000_000, 0).UTC()

// shop is a configuration of two resources, scaled.
func shop(t testing.TB, scale float64) *Config {
	t.Helper()
	c, err := NewConfig(Config{
		Resources: []Resource{
			{Name: "db", Cost: [MaxKinds]float64{Page: 1, Hold: 4, Confirm: 5}, Work: 10},
			{Name: "payment", Cost: [MaxKinds]float64{Pay: 1}, Work: 0.5, WorkAge: 150, Headroom: 0.85},
		},
		SafeRate: 4 * scale,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fluid is a plant without chance: everybody who is let in comes after five seconds, loads six pages 15 s apart, holds,
// and most pay. It is no simulator (see package sim), only enough for a controller to have something to see.
type fluid struct {
	scale    float64
	servers  float64
	cost     float64 // seconds a unit
	x        int64
	released [Lags]float64
	ages     [seconds]float64
	now      time.Time
	silent   bool
	p99      float64
	failed   float64
}

func newFluid(scale float64) *fluid {
	return &fluid{scale: scale, servers: 24 * scale, cost: 0.04, now: start, p99: 0.3}
}

// inputs lets one second pass and gives what the gate and the origin report.
func (f *fluid) inputs() *Inputs {
	f.now = f.now.Add(time.Second)
	in := &Inputs{}
	g := &in.Gate
	g.X, g.Waiting, g.P99, g.Asked, g.Failed = f.x, 1<<40, f.p99, int64(4000*f.scale), f.failed
	g.RecentP99, g.RecentFailed = f.p99, f.failed
	came := 0.85 * f.released[5]
	g.Claims[5] = uint32(math.Round(came))
	came = float64(g.Claims[5])
	copy(f.ages[1:], f.ages[:seconds-1])
	f.ages[0] = came
	var done [MaxKinds]float64
	at := func(kind, age int, share float64) {
		n := math.Round(share * f.ages[age])
		g.Work[kind][age/AgeBucket] += uint32(n)
		done[kind] += n
	}
	for page := range 6 {
		at(Page, 15*page, 1)
	}
	at(Hold, 92, 0.75)
	at(Pay, 138, 0.56)
	at(Confirm, 140, 0.56)
	if !f.silent {
		work := done[Page] + 4*done[Hold] + 5*done[Confirm]
		in.Resources[0] = Reading{At: f.now, Seconds: 1, Busy: min(f.servers, work*f.cost), Capacity: f.servers, Done: done}
		in.Resources[1] = Reading{At: f.now, Seconds: 1, Busy: 1.2 * done[Pay], Capacity: 48 * f.scale, Done: done}
	}
	return in
}

// move takes a decision over.
func (f *fluid) move(d *Decision) {
	copy(f.released[1:], f.released[:Lags-1])
	f.released[0] = float64(d.X - f.x)
	f.x = d.X
}

// play runs for some seconds and returns the state, with each decision given to see.
func (f *fluid) play(s State, n int, see func(*Inputs, *Decision)) State {
	for range n {
		in := f.inputs()
		var d Decision
		s, d = Next(s, in, f.now)
		if see != nil {
			see(in, &d)
		}
		f.move(&d)
	}
	return s
}
