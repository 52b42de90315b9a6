package caddymodule

import (
	"fmt"
	"strings"

	"github.com/ropeline/ropeline/admission/pace"
)

// sorter tells the kinds of requests apart. It is on the way of every request, so it compares segments and no more.
type sorter struct{ rules []sortRule }

type sortRule struct {
	kind     int
	method   string // empty: any
	segments []string
	open     bool // whatever follows the segments
}

// sorterOf reads the kinds of a file: `POST /v1/events/*/holds`, where * is one segment, and all that follows as the last.
func sorterOf(p *PaceConfig) (*sorter, error) {
	kinds := p.Kinds
	if p.Preset == presetBooking {
		kinds = append(kinds[:len(kinds):len(kinds)], presetKinds...)
	}
	s := &sorter{}
	for _, k := range kinds {
		r := sortRule{kind: kindOf(k.Kind)}
		if r.kind < 0 || r.kind == pace.Confirm {
			return nil, fmt.Errorf("kind %q: write page, hold, pay or other", k.Kind)
		}
		method, path, ok := strings.Cut(k.Path, " ")
		if !ok {
			method, path = "", k.Path
		}
		if path = strings.TrimSpace(path); !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?# ") || method != strings.ToUpper(method) {
			return nil, fmt.Errorf("kind %s %q: write [method] /path, for example POST /v1/events/*/holds", k.Kind, k.Path)
		}
		if method != "*" {
			r.method = method
		}
		r.segments = strings.Split(path[1:], "/")
		if n := len(r.segments); r.segments[n-1] == "*" {
			r.segments, r.open = r.segments[:n-1], true
		}
		s.rules = append(s.rules, r)
	}
	return s, nil
}

// kind of a request; Page of what no rule names.
func (s *sorter) kind(method, path string) int {
	if s == nil {
		return pace.Page
	}
	for i := range s.rules {
		if r := &s.rules[i]; (r.method == "" || r.method == method) && r.fits(path) {
			return r.kind
		}
	}
	return pace.Page
}

func (r *sortRule) fits(path string) bool {
	rest, more := strings.CutPrefix(path, "/")
	for _, want := range r.segments {
		if !more {
			return false
		}
		var one string
		one, rest, more = strings.Cut(rest, "/")
		if want != "*" && want != one {
			return false
		}
	}
	return more == r.open
}
