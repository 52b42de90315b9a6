package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/ropeline/ropeline/loadtest/history"
)

// I1, idempotency (cases/faults.md): one account, route and key have one effect,
// and all acknowledgements of it are the same bytes. A client of the history has
// one account.
var i1 = Invariant{
	ID: "I1", Statement: "all good answers to one Idempotency-Key are the same bytes",
	Needs: []Source{History},
	find: func(_ context.Context, e *Evidence) ([]Finding, error) {
		if len(e.History) == 0 {
			return nil, errors.New("the history is empty; give --history")
		}
		return replaysThatDiffer(e.History), nil
	},
}

func replaysThatDiffer(spans []history.Span) []Finding {
	type call struct {
		client            int
		method, path, key string
	}
	first := map[call]history.Span{}
	var found []Finding
	for _, s := range spans {
		c := s.Call()
		if c.Key == "" || s.End.Type != history.OK {
			continue
		}
		k := call{s.Begin.Client, c.Method, c.Path, c.Key}
		before, again := first[k]
		switch {
		case !again:
			first[k] = s
		case before.Answer().Hash != s.Answer().Hash || before.Answer().Status != s.Answer().Status:
			found = append(found, Finding{
				What:     fmt.Sprintf("%s %s answered the same key with %d and then otherwise with %d", c.Method, c.Path, before.Answer().Status, s.Answer().Status),
				Evidence: map[string]any{"client": k.client, "key": k.key, "operations": []int64{before.Begin.Op, s.Begin.Op}},
			})
		}
	}
	return found
}
