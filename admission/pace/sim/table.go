package sim

import (
	"fmt"
	"io"
	"math"
)

// Print writes the table: a block a scenario, a line a contender, mean and worst seed. Work and buyers are shares of the
// reference's in the same seed; the times are seconds.
func Print(w io.Writer, rows []Row) {
	for i := range rows {
		r := &rows[i]
		if i == 0 || rows[i-1].Scenario.Name != r.Scenario.Name {
			fmt.Fprintf(w, "\n%-15s %16s %16s %15s %13s %11s %13s %8s\n", r.Scenario.Name,
				"buyers (worst)", "work (worst)", "over % (worst)", "sway % (w.)", "90 % after", "in vain %", "order")
		}
		ref := find(rows, r.Scenario.Name, Reference)
		if ref == nil {
			ref = r
		}
		buyers, work := share(r, ref, buyersOf), share(r, ref, workOf)
		over, overWorst := spread(r.Scores, overOf, true)
		sway, swayWorst := spread(r.Scores, swayOf, true)
		converged, _ := spread(r.Scores, convergedOf, true)
		vain, vainWorst := spread(r.Scores, vainOf, true)
		order, _ := spread(r.Scores, orderOf, true)
		fmt.Fprintf(w, "%-15s %7.3f (%6.3f) %7.3f (%6.3f) %6.2f (%6.2f) %5.1f (%5.1f) %11s %5.2f (%5.2f) %8.0f\n", r.Contender,
			mean(buyers), least(buyers), mean(work), least(work), 100*over, 100*overWorst, 100*sway, 100*swayWorst,
			after(converged), 100*vain, 100*vainWorst, order)
	}
}

func after(v float64) string {
	if math.IsInf(v, 1) {
		return "never"
	}
	return fmt.Sprintf("%.0f", v)
}

func buyersOf(s *Score) float64    { return s.Buyers }
func workOf(s *Score) float64      { return s.Work }
func overOf(s *Score) float64      { return s.Over }
func swayOf(s *Score) float64      { return s.Sway }
func convergedOf(s *Score) float64 { return s.Converged }
func vainOf(s *Score) float64      { return s.Vain }
func orderOf(s *Score) float64     { return s.Disorder + s.SoldLie }

func least(list []float64) float64 {
	low := math.Inf(1)
	for _, v := range list {
		low = min(low, v)
	}
	return low
}
