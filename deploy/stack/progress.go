package stack

import (
	"fmt"
	"io"
	"time"
)

// Progress writes one line for each step: what is being done at once, how it went when it is known.
type Progress struct {
	W io.Writer
}

// Step runs f and shows it. The line is complete only at the end, so that a step that hangs is seen to hang.
func (p Progress) Step(name string, f func() (result string, err error)) error {
	fmt.Fprintf(p.W, "  %-28s ", name)
	start := time.Now()
	result, err := f()
	if err != nil {
		fmt.Fprintln(p.W, "failed")
		return err
	}
	fmt.Fprintf(p.W, "%s (%.1f s)\n", result, time.Since(start).Seconds())
	return nil
}

// Say writes a line of its own.
func (p Progress) Say(format string, args ...any) { fmt.Fprintf(p.W, "  "+format+"\n", args...) }
