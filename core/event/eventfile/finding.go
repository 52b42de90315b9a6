package eventfile

import (
	"fmt"
	"strings"
)

// MaxFindings bounds how many errors one report holds; nobody reads the rest.
const MaxFindings = 20

// Finding is one thing that is wrong with a file.
type Finding struct {
	Line  int    // from 1; 0 when the file as a whole is meant
	Field string // path such as events[0].prices[1].amount; "" when a line is meant
	Text  string // what is wrong and what to write instead
}

func (f *Finding) Error() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	return b.String() + f.Text
}

// Findings is everything that is wrong with a file, in the file's order.
type Findings []*Finding

func (fs Findings) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}
