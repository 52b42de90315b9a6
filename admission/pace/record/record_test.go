package record

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/pace/report"
)

func write(t *testing.T, l *Log, at time.Time, rate float64) {
	t.Helper()
	if err := l.Write(&Record{At: at, Document: report.Document{Room: "hall", Now: at, Rate: rate, Sentence: "because"}}); err != nil {
		t.Fatal(err)
	}
}

// Whatever moment of the log is asked for, the answer is the decision that was in force then, over all files; the files
// together never grow past their bound, and the oldest goes.
func TestEveryMomentIsExplained(t *testing.T) {
	l := NewLog(filepath.Join(t.TempDir(), "new", "decisions.jsonl"))
	l.bytes, l.files = 4000, 3
	began := time.Date(2026, 6, 1, 19, 0, 0, 0, time.UTC)
	if _, err := l.At(began); !errors.Is(err, ErrNone) {
		t.Errorf("of an empty log: %v", err)
	}
	const n = 60
	for i := range n {
		write(t, l, began.Add(time.Duration(i)*time.Second), float64(i))
	}
	oldest := -1
	for i := range n {
		r, err := l.At(began.Add(time.Duration(i)*time.Second + 500*time.Millisecond))
		switch {
		case err == nil && oldest < 0:
			oldest = i
		case err != nil && (oldest >= 0 || !errors.Is(err, ErrNone)):
			t.Fatalf("second %d: %v", i, err)
		}
		if err == nil && (r.Rate != float64(i) || r.Sentence != "because") {
			t.Errorf("second %d: rate %v", i, r.Rate)
		}
	}
	if oldest < 1 || oldest > n-5 {
		t.Errorf("the oldest second kept is %d of %d", oldest, n)
	}
	files, _ := filepath.Glob(l.path + "*")
	sum := int64(0)
	for _, f := range files {
		info, _ := os.Stat(f)
		sum += info.Size()
	}
	if len(files) != 3 || sum > 3*l.bytes {
		t.Errorf("%d files, %d bytes", len(files), sum)
	}
}

// A crash cuts a line; what comes after it is read all the same, by the next process too.
func TestCutLine(t *testing.T) {
	l := NewLog(filepath.Join(t.TempDir(), "decisions.jsonl"))
	began := time.Date(2026, 6, 1, 19, 0, 0, 0, time.UTC)
	write(t, l, began, 1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString(`{"at":"2026-06-01T19:00:01Z","edge":"a`)
	_ = f.Close()
	again := NewLog(l.path)
	write(t, again, began.Add(2*time.Second), 3)
	write(t, again, began.Add(3*time.Second), 4)
	for s, want := range map[int]float64{0: 1, 1: 1, 2: 3, 3: 4} {
		if r, err := again.At(began.Add(time.Duration(s) * time.Second)); err != nil || r.Rate != want {
			t.Errorf("second %d: %+v %v", s, r, err)
		}
	}
}
