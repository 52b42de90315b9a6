package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrNone is for a moment about which the log says nothing.
var ErrNone = errors.New("no decision of that time is in the log")

// maxLine bounds one record.
const maxLine = 1 << 20

// At finds the decision that was in force at a moment: the newest that is not after it.
func (l *Log) At(t time.Time) (*Record, error) {
	l.mu.Lock() // no rotation meanwhile
	defer l.mu.Unlock()
	for i := range l.files {
		r, err := last(l.old(i), t)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, ErrNone
		case err != nil:
			return nil, fmt.Errorf("decision log: %w", err)
		case r != nil:
			return r, nil
		}
	}
	return nil, ErrNone
}

// last is the newest record of a file that is not after t; nil if the file begins later.
func last(path string, t time.Time) (*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var found []byte
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		at, ok := stampOf(in.Bytes())
		if !ok {
			continue // the line that a crash cut off
		}
		if at.After(t) {
			break
		}
		found = append(found[:0], in.Bytes()...)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if found == nil {
		return nil, nil
	}
	var r Record
	if err := json.Unmarshal(found, &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// stampOf reads a line's time, which is its first member, without the rest of it.
func stampOf(line []byte) (time.Time, bool) {
	const head = `{"at":"`
	if len(line) < len(head) || string(line[:len(head)]) != head || line[len(line)-1] != '}' {
		return time.Time{}, false
	}
	rest := line[len(head):]
	for i, c := range rest {
		if c == '"' {
			t, err := time.Parse(time.RFC3339Nano, string(rest[:i]))
			return t, err == nil
		}
	}
	return time.Time{}, false
}
