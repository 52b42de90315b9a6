package ladder

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kinds are the kinds of request that a waiting room tells apart.
var Kinds = []string{"page", "hold", "pay", "other"}

const (
	maxVisit  = 64 << 10 // bytes of a visit's text
	maxSteps  = 100
	maxThink  = 10 * time.Minute
	lookPages = 6 // of a visit that nobody described
	lookThink = 14 * time.Second
)

// Step is one request of a visit.
type Step struct {
	Kind   string
	Share  float64 // of those who came so far and go on
	Method string
	Path   string
	Body   string // JSON if it begins like it, else a form
	Think  time.Duration
}

// Visit is what a person does, in order.
type Visit []Step

// Look is a visit that nobody described: some pages of one path.
func Look(path string) Visit {
	v := make(Visit, lookPages)
	for i := range v {
		v[i] = Step{Kind: "page", Share: 1, Method: "GET", Path: path, Think: lookThink}
	}
	return v
}

// Read reads a visit, one step a line:
//
//	# kind[:share] method path time-until-the-next [body]
//	page      GET  /events/summer 14s
//	hold:75%  POST /holds         45s {"seats":2}
func Read(r io.Reader, name string) (v Visit, err error) {
	b, err := io.ReadAll(io.LimitReader(r, maxVisit+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxVisit {
		return nil, fmt.Errorf("%s: more than %d bytes: a visit is some lines", name, maxVisit)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		s, err := step(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if v = append(v, s); len(v) > maxSteps {
			return nil, fmt.Errorf("%s:%d: more than %d steps", name, n, maxSteps)
		}
	}
	if len(v) == 0 {
		return nil, fmt.Errorf("%s: no step: write for example page GET / 14s", name)
	}
	return v, nil
}

func step(line string) (s Step, err error) {
	f := strings.Fields(line)
	if len(f) < 4 {
		return s, errors.New("write kind, method, path and the time until the next, for example page GET / 14s")
	}
	kind, share, shared := strings.Cut(f[0], ":")
	s = Step{Kind: kind, Share: 1, Method: f[1], Path: f[2]}
	if !slices.Contains(Kinds, kind) {
		return s, fmt.Errorf("kind %q: write one of %s", kind, strings.Join(Kinds, ", "))
	}
	if shared {
		v, err := strconv.ParseFloat(strings.TrimSuffix(share, "%"), 64)
		if err != nil || !strings.HasSuffix(share, "%") || v <= 0 || v > 100 {
			return s, fmt.Errorf("share %q: write a part of a hundred, for example hold:75%%", share)
		}
		s.Share = v / 100
	}
	if strings.ToUpper(s.Method) != s.Method || strings.ContainsAny(s.Method, "/:") {
		return s, fmt.Errorf("method %q: write it as GET or POST", s.Method)
	}
	if !strings.HasPrefix(s.Path, "/") {
		return s, fmt.Errorf("path %q: begin it with /", s.Path)
	}
	if s.Think, err = time.ParseDuration(f[3]); err != nil || s.Think < 0 || s.Think > maxThink {
		return s, fmt.Errorf("time %q: write how long until the next step, up to %s, for example 14s", f[3], maxThink)
	}
	if len(f) > 4 {
		// The body as it was written: fields would join its blanks.
		rest := line
		for range 4 {
			rest = strings.TrimLeft(rest[strings.IndexAny(rest, " \t"):], " \t")
		}
		s.Body = rest
	}
	return s, nil
}

// Length is from the first request to the last, answers aside.
func (v Visit) Length() (sum time.Duration) {
	for _, s := range v[:len(v)-1] {
		sum += s.Think
	}
	return sum
}

// Requests is how many of a kind one person sends on average, and their mean age.
func (v Visit) Requests(kind string) (n float64, age time.Duration) {
	share, at, ages := 1.0, 0.0, 0.0
	for _, s := range v {
		share *= s.Share
		if s.Kind == kind {
			n += share
			ages += share * at
		}
		at += s.Think.Seconds()
	}
	if n > 0 {
		age = time.Duration(ages / n * float64(time.Second))
	}
	return n, age
}
