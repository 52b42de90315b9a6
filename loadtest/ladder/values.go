package ladder

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	safeShare    = 0.1 // of the best rate: an evening's crowd is not the one that was played
	ceilingTimes = 3.0
	leastCost    = 0.1 // of a page: cheaper kinds are not free
)

// Snippet is what was found as a block of a room's configuration. resource names what the origin is measured as.
func (c Climb) Snippet(v Visit, resource string) string {
	var b strings.Builder
	how := "at the highest rate that was tried, it did not break"
	if c.Broke {
		how = "the highest rate that met the objectives"
	}
	fmt.Fprintf(&b, "# From loadtest ladder: %.3g people a second, %s.\n", c.Best.Rate, how)
	b.WriteString("pace auto {\n")
	fmt.Fprintf(&b, "\tsafe_rate %s\n\tlast_rate %s\n\tceiling %s\n", perMinute(safeShare*c.Best.Rate), perMinute(c.Best.Rate), perMinute(ceilingTimes*c.Best.Rate))
	for _, k := range kinds(v) {
		fmt.Fprintf(&b, "\tkind %s\n", k)
	}
	costs := c.Costs(v)
	fmt.Fprintf(&b, "\tresource %s {\n\t\tcost", resource)
	work, ages := 0.0, 0.0
	for _, kind := range Kinds {
		n, age := v.Requests(kind)
		if n == 0 {
			continue
		}
		fmt.Fprintf(&b, " %s %.3g", kind, costs[kind])
		work += n * costs[kind]
		ages += n * costs[kind] * age.Seconds()
	}
	fmt.Fprintf(&b, "\n\t\twork %.3g\n", work)
	if age := time.Duration(ages / work * float64(time.Second)).Round(time.Second); age > 0 {
		fmt.Fprintf(&b, "\t\twork_age %s\n", age)
	}
	b.WriteString("\t}\n}\n")
	return b.String()
}

// kinds are the lines that tell the visit's requests apart: what no line names is a page.
func kinds(v Visit) (list []string) {
	for _, s := range v {
		path, _, _ := strings.Cut(s.Path, "?")
		if line := s.Kind + " " + s.Method + " " + path; s.Kind != "page" && !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}

// Costs are what a request of each kind costs, a page being 1: as long as its answers took in the calmest step. Only their
// ratios matter, and those are learned on.
func (c Climb) Costs(v Visit) map[string]float64 {
	list := map[string]float64{}
	calm := c.Steps[0].Means
	unit := calm["page"]
	for _, kind := range Kinds {
		if n, _ := v.Requests(kind); n == 0 {
			continue
		}
		if unit == 0 {
			unit = calm[kind]
		}
		list[kind] = 1
		if unit > 0 && calm[kind] > 0 {
			list[kind] = max(leastCost, float64(calm[kind])/float64(unit))
		}
	}
	return list
}

// perMinute is a rate as a configuration takes it: whole people.
func perMinute(v float64) string { return fmt.Sprintf("%.0f/min", max(1, math.Round(60*v))) }
