package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// figures collects what each run measured, by name, and prints it at the end of a section.
type figures struct {
	w        io.Writer
	measured map[string][]pair
}

// pair is one run: ours and what it is compared with. b is 0 for a figure that is no ratio.
type pair struct{ a, b float64 }

func (p pair) value() float64 {
	if p.b == 0 {
		return p.a
	}
	return p.a / p.b
}

func (f *figures) add(name string, a, b float64) {
	f.measured[name] = append(f.measured[name], pair{a, b})
}

// print writes one line a name: the run with the median value, so that a and b belong together.
func (f *figures) print(names ...string) {
	for _, name := range names {
		runs := slices.Clone(f.measured[name])
		if len(runs) == 0 {
			continue
		}
		slices.SortFunc(runs, func(x, y pair) int {
			switch {
			case x.value() < y.value():
				return -1
			case x.value() > y.value():
				return 1
			}
			return 0
		})
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

func (f *figures) note(format string, args ...any) {
	fmt.Fprintf(f.w, "# %s (load %s)\n", fmt.Sprintf(format, args...), loadAverage())
}

// loadAverage of the last minute: a figure from a busy machine is worth little, and says so.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(b), " ")
	return one
}
