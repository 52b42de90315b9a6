package sim

import "math"

// Figure is one number of the summary, with the goal it is measured against.
type Figure struct {
	Name  string
	Value float64
	Goal  float64
	Least bool // the goal is the least allowed; else the most
	None  bool // no goal: for information
}

// Met is whether the goal is reached.
func (f Figure) Met() bool {
	switch {
	case f.None:
		return true
	case f.Least:
		return f.Value >= f.Goal
	}
	return f.Value <= f.Goal
}

// Figures are the summary of a contest: our controller against the reference, by groups of scenarios. A group that was
// not played is left out.
func Figures(rows []Row) (list []Figure) {
	group := func(names ...string) (work []float64) {
		for i := range rows {
			r := &rows[i]
			ref := find(rows, r.Scenario.Name, Reference)
			for _, n := range names {
				if r.Contender == Ours && ref != nil && r.Scenario.Group == n {
					work = append(work, share(r, ref, workOf)...)
				}
			}
		}
		return work
	}
	put := func(name string, values []float64, goal float64) {
		if len(values) > 0 {
			list = append(list, Figure{Name: name, Value: mean(values), Goal: goal, Least: true})
		}
	}
	put("calm.work", group("calm"), 0.97)
	put("noisy.work", group("noisy"), 0.95)
	put("faults.work", group("fault"), 0.96)
	put("small.work", group("small"), 0.92)
	put("no_signal.work", group("blind"), 0.88)
	most := func(name, story string, measure func(*Score) float64, worst bool, goal float64) {
		if r := find(rows, story, Ours); r != nil {
			mean, w := spread(r.Scores, measure, true)
			if worst {
				mean = w
			}
			list = append(list, Figure{Name: name, Value: mean, Goal: goal})
		}
	}
	if r, ref := find(rows, "slow_payment", Ours), find(rows, "slow_payment", Reference); r != nil && ref != nil {
		put("slow_payment.buyers", share(r, ref, buyersOf), 0.97)
	}
	if extra, ok := extraOver(rows); ok {
		list = append(list, Figure{Name: "extra_over_worst", Value: extra, Goal: 0.005})
	}
	most("half_lost_gate.over", "half_lost_gate", overOf, false, 0.02)
	most("no_signal.over", "no_signal", overOf, false, 0.02)
	most("cold_s", "flash", convergedOf, false, 200)
	most("prior_low_s", "prior_low", convergedOf, false, 300)
	most("oscillation", "flash", swayOf, false, 0.02)
	most("oscillation_noisy", "noisy", swayOf, false, 0.04)
	most("in_vain", "sold_out", vainOf, false, 0.003)
	if r, ref := find(rows, "sold_out", Ours), find(rows, "sold_out", Reference); r != nil && ref != nil {
		list = append(list, Figure{Name: "sell_95", Value: mean(share(r, ref, func(s *Score) float64 { return s.Sold95 })), Goal: 0.95})
	}
	disorder, lies := 0.0, 0.0
	for i := range rows {
		if rows[i].Contender == Ours {
			for k := range rows[i].Scores {
				disorder += rows[i].Scores[k].Disorder
				lies += rows[i].Scores[k].SoldLie
			}
		}
	}
	return append(list, Figure{Name: "out_of_order", Value: disorder}, Figure{Name: "sold_out_untrue", Value: lies})
}

// extraOver is the worst seed of the worst scenario: share of time over the objective beyond the reference's. The one
// without any signal has a goal of its own.
func extraOver(rows []Row) (worst float64, ok bool) {
	worst = math.Inf(-1)
	for i := range rows {
		r := &rows[i]
		ref := find(rows, r.Scenario.Name, Reference)
		if r.Contender != Ours || ref == nil || r.Scenario.Group == "blind" {
			continue
		}
		for k := range r.Scores {
			worst, ok = max(worst, r.Scores[k].Over-ref.Scores[k].Over), true
		}
	}
	return worst, ok
}

// Better lists where another contender did more useful work than ours without being at least five points worse in its
// time over the objective: there is nothing that excuses these.
func Better(rows []Row) (list []string) {
	const margin = 0.05
	for i := range rows {
		r := &rows[i]
		own := find(rows, r.Scenario.Name, Ours)
		if own == nil || r.Contender == Ours || r.Contender == Reference || r.Contender == "clairvoyant" {
			continue
		}
		work, _ := spread(r.Scores, workOf, false)
		ownWork, _ := spread(own.Scores, workOf, false)
		over, _ := spread(r.Scores, overOf, true)
		ownOver, _ := spread(own.Scores, overOf, true)
		if work > ownWork && over <= ownOver+margin {
			list = append(list, r.Scenario.Name+": "+r.Contender)
		}
	}
	return list
}

// Against is a row's mean work as a share of the reference's, and its mean time over the objective.
func (r *Row) Against(rows []Row) (work, over float64) {
	over, _ = spread(r.Scores, overOf, true)
	if ref := find(rows, r.Scenario.Name, Reference); ref != nil {
		work = mean(share(r, ref, workOf))
	}
	return work, over
}
