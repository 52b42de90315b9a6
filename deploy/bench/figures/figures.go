// Package figures prints what a benchmark measured: one line `BENCH name value a=<ours> b=<reference> n=<runs> spread=<max/min>`
// a figure, of the run with the median value, and beside them lines that begin with # and say what was done.
package figures

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Figures collects what each run measured, by name.
type Figures struct {
	w        io.Writer
	measured map[string][]pair
}

// New prints to w.
func New(w io.Writer) *Figures { return &Figures{w, map[string][]pair{}} }

// pair is one run: ours and what it is compared with. b is 0 for a figure that is no ratio.
type pair struct{ a, b float64 }

func (p pair) value() float64 {
	if p.b == 0 {
		return p.a
	}
	return p.a / p.b
}

// Ratio notes one run that measured both sides.
func (f *Figures) Ratio(name string, a, b float64) {
	f.measured[name] = append(f.measured[name], pair{a, b})
}

// Value notes one run of a figure that is no ratio.
func (f *Figures) Value(name string, v float64) { f.Ratio(name, v, 0) }

// Print writes one line a name: the run with the median value, so that a and b belong together.
func (f *Figures) Print(names ...string) {
	for _, name := range names {
		runs := slices.Clone(f.measured[name])
		if len(runs) == 0 {
			continue
		}
		slices.SortFunc(runs, func(x, y pair) int { return cmp.Compare(x.value(), y.value()) })
		mid, low, high := runs[len(runs)/2], runs[0].value(), runs[len(runs)-1].value()
		line := fmt.Sprintf("BENCH %s %.4g", name, mid.value())
		if mid.b != 0 {
			line += fmt.Sprintf(" a=%.4g b=%.4g", mid.a, mid.b)
		}
		spread := 1.0
		if low > 0 {
			spread = high / low
		}
		fmt.Fprintf(f.w, "%s n=%d spread=%.2f\n", line, len(runs), spread)
	}
}

// Note says what was done and how busy the machine was: a figure from a busy one is worth little.
func (f *Figures) Note(format string, args ...any) {
	one := "unknown"
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		one, _, _ = strings.Cut(string(b), " ")
	}
	fmt.Fprintf(f.w, "# %s (load %s)\n", fmt.Sprintf(format, args...), one)
}
