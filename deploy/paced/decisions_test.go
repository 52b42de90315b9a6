package paced

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/pace/record"
)

// decisions follows the decision log, as an operator would with tail.
type decisions struct {
	t    *testing.T
	path string

	mu  sync.Mutex
	all []record.Record
	at  int64 // read so far
}

func follow(t *testing.T, path string) *decisions { return &decisions{t: t, path: path} }

// read takes in what is new; a line that is still being written comes the next time.
func (d *decisions) read() []record.Record {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := os.Open(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	check(d.t, err)
	defer f.Close()
	_, err = f.Seek(d.at, io.SeekStart)
	check(d.t, err)
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return d.all
		}
		d.at += int64(len(line))
		var r record.Record
		if err := json.Unmarshal(line, &r); err != nil {
			d.t.Fatalf("a line of the decision log: %v\n%s", err, line)
		}
		d.all = append(d.all, r)
	}
}

// until waits for a decision after the present one that is as wanted.
func (d *decisions) until(what string, within time.Duration, wanted func(record.Record) bool) record.Record {
	d.t.Helper()
	next := len(d.read())
	for deadline := time.Now().Add(within); ; time.Sleep(200 * time.Millisecond) {
		all := d.read()
		for ; next < len(all); next++ {
			if wanted(all[next]) {
				return all[next]
			}
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("%s: not within %s; the last decisions:\n%s", what, within, tail(all, 12))
		}
	}
}

// lasting is a decision that has been as wanted for so many in a row.
func lasting(n int, wanted func(record.Record) bool) func(record.Record) bool {
	row := 0
	return func(r record.Record) bool {
		if row++; !wanted(r) {
			row = 0
		}
		return row >= n
	}
}

func tail(all []record.Record, n int) string {
	var b strings.Builder
	for _, r := range all[max(0, len(all)-n):] {
		b.WriteString(r.At.Format("15:04:05 ") + r.Mode + ": " + r.Sentence + "\n")
	}
	return b.String()
}

// explained checks that every change of the rate has a reason that was a limit of just that size, and a sentence that says
// the number.
func explained(t *testing.T, all []record.Record) {
	t.Helper()
	for i, r := range all {
		if i > 0 && r.Rate == all[i-1].Rate {
			continue
		}
		limit, ok := r.Limits[r.Reason]
		if r.Reason == "" || r.Sentence == "" || !ok {
			t.Errorf("%s: rate %g for reason %q (limits %v) with the sentence %q", r.At.Format(time.TimeOnly), r.Rate, r.Reason, r.Limits, r.Sentence)
			continue
		}
		if diff := limit - r.Rate; diff > 1e-6 || diff < -1e-6 {
			t.Errorf("%s: rate %g, but its reason %s is a limit of %g", r.At.Format(time.TimeOnly), r.Rate, r.Reason, limit)
		}
		for name, other := range r.Limits {
			if other < r.Rate-1e-6 && r.Reason != "floor" {
				t.Errorf("%s: %s would give %g, and the rate is %g for %s", r.At.Format(time.TimeOnly), name, other, r.Rate, r.Reason)
			}
		}
	}
}
