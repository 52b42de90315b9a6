package history

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	const clients, each = 8, 50
	var all sync.WaitGroup
	for c := 1; c <= clients; c++ {
		all.Go(func() {
			for range each {
				o := w.Begin(c, "hold", Call{Method: "POST", Path: "/v1/events/e/holds", Key: "k"})
				o.End(OK, Answer{Status: 201, ID: "h"})
			}
		})
	}
	all.Wait()
	w.Begin(9, "pay", nil) // the program dies before it hears the answer
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	spans, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(spans) != clients*each+1 {
		t.Fatalf("%d operations read, want %d", len(spans), clients*each+1)
	}
	for _, s := range spans {
		if s.Begin.F == "pay" {
			if s.End.Type != Info {
				t.Errorf("an operation without an end is %q, want info: nobody knows", s.End.Type)
			}
			continue
		}
		if s.End.Type != OK || s.Answer().Status != 201 || s.Call().Key != "k" || s.End.Mono < s.Begin.Mono {
			t.Fatalf("read %+v", s)
		}
	}
}

func TestABrokenHistoryIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":        {"{\n", "line 1"},
		"begins twice":   {`{"op":1,"type":"invoke"}` + "\n" + `{"op":1,"type":"invoke"}`, "line 2: operation 1 begins twice"},
		"never began":    {`{"op":4,"type":"ok"}`, "operation 4 ends and never began"},
		"endless a line": {strings.Repeat("x", maxLine+1), "token too long"},
	} {
		if _, err := read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
