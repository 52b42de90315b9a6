package report

import (
	"fmt"
	"math"
	"time"
)

// followed is by how much of its way the load inside has followed a new rate.
const followed = 0.9

// Foresee says what an order would do, from the prediction that the document holds. length is for how long;
// fixed is the rate that was set, which holds while decisions are not applied.
func (d *Document) Foresee(o Order, length time.Duration, fixed float64) Preview {
	shadow := o.Mode == Shadow || o.Mode == Auto && d.Configured == Shadow
	p := Preview{Order: o, Rate: d.InForce, NewRate: d.wanted(o), Peak: map[string]float64{}}
	if shadow {
		p.NewRate = fixed
	}
	if o.Mode != Auto {
		p.Until = d.Now.Add(length).UTC().Format(time.RFC3339)
	}
	worst, where := 0.0, ""
	for i, r := range d.Resources {
		load := make([]float64, min(len(r.LoadAnyway), len(r.LoadEach)))
		for t := range load {
			load[t] = r.LoadAnyway[t] + p.NewRate*r.LoadEach[t]
		}
		if r.Work != nil && *r.Work > 0 && len(load) > 0 {
			peak := 0.0
			for _, v := range load {
				peak = max(peak, v / *r.Work)
			}
			p.Peak[r.Name] = peak
			if peak > worst {
				worst, where = peak, r.Name
			}
		}
		if i == 0 {
			p.Follows = follows(load, r.LoadStep)
		}
	}
	p.Sentence = fmt.Sprintf("the rate goes from %.2f to %.2f people a second", p.Rate, p.NewRate)
	if p.Rate == p.NewRate {
		p.Sentence = fmt.Sprintf("the rate stays at %.2f people a second", p.Rate)
	}
	if shadow {
		p.Sentence += ": that is the rate that was set, and decisions are not applied (shadow)"
	}
	if p.Follows > 0 {
		p.Sentence += fmt.Sprintf("; those inside go on as they are, so their load follows within %.0f s", p.Follows)
	}
	switch {
	case worst > 1:
		p.Sentence += fmt.Sprintf("; %s would be asked for %.0f%% of what it can do", where, 100*worst)
	case worst > 0:
		p.Sentence += fmt.Sprintf("; at most %.0f%% of what %s can do is asked for", 100*worst, where)
	}
	return p
}

// wanted is the rate with the order.
func (d *Document) wanted(o Order) float64 {
	switch o.Mode {
	case Pin:
		return o.Rate
	case Pause, Drain:
		return 0
	}
	rate := math.Inf(1)
	for name, v := range d.Limits {
		if name != Pin && name != Pause && name != Drain && name != "floor" {
			rate = min(rate, v)
		}
	}
	if math.IsInf(rate, 1) {
		return d.Rate
	}
	return max(rate, d.Limits["floor"])
}

// follows is how long the load takes for most of its way to where it goes.
func follows(load []float64, step int) float64 {
	if len(load) == 0 {
		return 0
	}
	to := load[len(load)-1]
	way := math.Abs(load[0] - to)
	for t := len(load) - 1; t >= 0; t-- {
		if math.Abs(load[t]-to) > (1-followed)*way {
			return float64((t + 1) * step)
		}
	}
	return 0
}
