package figures

import (
	"strings"
	"testing"
)

// The line that is printed is the median run, with the a and b that belong to it.
func TestPrintsTheMedianRun(t *testing.T) {
	var out strings.Builder
	f := New(&out)
	f.Ratio("x", 30, 10)
	f.Ratio("x", 20, 10)
	f.Ratio("x", 50, 10)
	f.Value("y", 7)
	f.Print("x", "y", "never measured")
	const want = "BENCH x 3 a=30 b=10 n=3 spread=2.50\nBENCH y 7 n=1 spread=1.00\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
