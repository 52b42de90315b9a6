package history

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// maxLine bounds one line of a history; answers are kept by hash, so a longer
// one is no history of ours.
const maxLine = 1 << 20

// Span is one operation with both its ends. End.Type is Info when the history
// stops before the operation does.
type Span struct {
	Begin Entry
	End   Entry
}

// Answer decodes the result of an operation that was one HTTP request.
func (s Span) Answer() Answer {
	var a Answer
	_ = json.Unmarshal(s.End.Result, &a) // an operation of another kind has no answer: zero is right
	return a
}

// Call decodes the arguments of an operation that was one HTTP request.
func (s Span) Call() Call {
	var c Call
	_ = json.Unmarshal(s.Begin.Args, &c) // as in Answer
	return c
}

// Load reads a whole history and joins the two lines of each operation. Spans
// are in the order in which the operations began.
func Load(path string) ([]Span, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	defer file.Close()
	spans, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("history %s %w", path, err)
	}
	return spans, nil
}

func read(r io.Reader) ([]Span, error) {
	var spans []Span
	open := map[int64]int{} // operation -> its place in spans
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for n := 1; lines.Scan(); n++ {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d: not an entry: %w", n, err)
		}
		switch at, begun := open[e.Op]; {
		case e.Type == Invoke && !begun:
			open[e.Op] = len(spans)
			spans = append(spans, Span{Begin: e, End: Entry{Op: e.Op, Client: e.Client, Type: Info, F: e.F}})
		case e.Type == Invoke:
			return nil, fmt.Errorf("line %d: operation %d begins twice", n, e.Op)
		case !begun:
			return nil, fmt.Errorf("line %d: operation %d ends and never began", n, e.Op)
		default:
			spans[at].End = e
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after %d operations: %w", len(spans), err)
	}
	return spans, nil
}
