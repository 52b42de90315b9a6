package check

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/ropeline/ropeline/loadtest/record"
)

// T1, gate (cases/faults.md): every request that reached the origin carried a
// pass valid at that moment, by our own verification with the edge's public
// keys. Paths the operator left outside of the gate (--ungated) may come without
// one, but a pass that is there must be good, and a buying call that succeeded
// had one whatever the paths say.
var t1 = Invariant{
	ID: "T1", Statement: "every request at the origin carried a pass valid at that time",
	Needs: []Source{Recorder, PassKeys},
	find: func(_ context.Context, e *Evidence) ([]Finding, error) {
		if len(e.Requests) == 0 {
			return nil, errors.New("the recorder saw no request; give --record")
		}
		return withoutPass(e)
	},
}

// buying matches the calls that need a pass by themselves: hold, order and pay.
var buying = regexp.MustCompile(`^/v1/events/[^/]+/(holds|orders)$|^/v1/orders/[^/]+/payments$`)

func withoutPass(e *Evidence) ([]Finding, error) {
	passes, err := newPassReader(e)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, r := range e.Requests {
		bought := r.Method == http.MethodPost && r.Status < 300 && buying.MatchString(r.Path)
		if r.Pass == "" && !bought && ungated(e.Ungated, r.Path) {
			continue
		}
		if why := passes.read(r.Pass).validAt(r.At); why != "" {
			found = append(found, unpassed(r, why))
		}
	}
	return found, nil
}

func unpassed(r record.Request, why string) Finding {
	return Finding{
		What:     fmt.Sprintf("%s %s reached the origin: %s", r.Method, r.Path, why),
		Evidence: map[string]any{"at": r.At, "status": r.Status}, // not the pass: it may still open the gate
	}
}

func ungated(patterns []string, path string) bool {
	for _, p := range patterns {
		if prefix, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(path, prefix) || p == path {
			return true
		}
	}
	return false
}
