package event

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/sim"
)

// Column is one way an event went.
type Column struct {
	Title   string
	Config  *pace.Config
	Outcome sim.Outcome
}

// row is one line of the table; none is for what does not apply.
type row struct {
	name string
	cell func(*Column) string
}

const none = "-"

var rows = []row{
	{"people in line", func(c *Column) string { return Count(c.Outcome.Joined) }},
	{"let go", func(c *Column) string { return Count(c.Outcome.Account.Released()) }},
	{"came", func(c *Column) string { return Count(c.Outcome.Admitted) }},
	{"seats sold", func(c *Column) string { return Count(c.Outcome.Buyers) }},
	{"line empty after", func(c *Column) string { return after(c.Outcome.Emptied) }},
	{"sold out after", func(c *Column) string { return after(c.Outcome.Sold) }},
	{"95 % of the seats sold after", func(c *Column) string { return soldShare(c, 0.95) }},
	{"longest wait", func(c *Column) string { return Duration(c.Outcome.Account.Longest) }},
	{"best ten minutes, people a second", func(c *Column) string { return Rate(c.Outcome.Account.Fastest) }},
	{"minutes over the objectives", func(c *Column) string { return minutes(time.Duration(c.Outcome.Account.Over) * time.Second) }},
}

// Table writes the columns side by side. Of each limit it says for how many minutes it decided while people waited, and
// how many minutes that cost: the time that the people it kept waiting by itself take at the event's best pace.
func Table(w io.Writer, columns []Column) error {
	lines := [][]string{titles(columns)}
	for _, r := range rows {
		line := []string{r.name}
		for i := range columns {
			line = append(line, r.cell(&columns[i]))
		}
		lines = append(lines, line)
	}
	lines = append(lines, append([]string{"minutes decided by, and lost to:"}, make([]string, len(columns))...))
	for _, name := range limits(columns) {
		line := []string{"  " + name}
		for i := range columns {
			c := &columns[i]
			cell := none
			if l, ok := limitOf(c, name); ok && c.Outcome.Account.Limits[l].Seconds > 0 {
				cell = minutes(time.Duration(c.Outcome.Account.Limits[l].Seconds)*time.Second) + " / " + minutes(c.Outcome.Account.Lost(l))
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	return align(w, lines)
}

func titles(columns []Column) []string {
	line := []string{""}
	for _, c := range columns {
		line = append(line, c.Title)
	}
	return line
}

// soldShare is when a share of all that was sold had been sold; the very last seats are a matter of chance.
func soldShare(c *Column, share float64) string {
	if c.Outcome.Sold < 0 {
		return none
	}
	for _, p := range c.Outcome.Points {
		if float64(p.Sold) >= share*float64(c.Outcome.Buyers) {
			return after(p.Second)
		}
	}
	return none
}

// limits are those that decided anything in any column, resources first.
func limits(columns []Column) (list []string) {
	seen := map[string]bool{}
	for l := range pace.Limits {
		for i := range columns {
			c := &columns[i]
			if name := c.Config.Name(l); c.Outcome.Account.Limits[l].Seconds > 0 && !seen[name] {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}

func limitOf(c *Column, name string) (pace.Limit, bool) {
	for l := range pace.Limits {
		if c.Config.Name(l) == name {
			return l, true
		}
	}
	return 0, false
}

func align(w io.Writer, lines [][]string) error {
	width := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			width[i] = max(width[i], len(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		text := fmt.Sprintf("%-*s", width[0], line[0])
		for i, cell := range line[1:] {
			text += fmt.Sprintf("  %*s", width[i+1], cell)
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Count is a number with its thousands apart.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Rate is people a second.
func Rate(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func after(second int) string {
	if second < 0 {
		return "not"
	}
	return Duration(time.Duration(second) * time.Second)
}

// Duration is hours, minutes and seconds as far as they matter.
func Duration(d time.Duration) string {
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%d h %02d min", h, m)
	case m > 0:
		return fmt.Sprintf("%d min %02d s", m, s)
	}
	return fmt.Sprintf("%d s", s)
}

func minutes(d time.Duration) string { return fmt.Sprintf("%.1f", d.Minutes()) }
