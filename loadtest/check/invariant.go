package check

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Finding is one exception to one invariant.
type Finding struct {
	Invariant string         `json:"invariant"`
	What      string         `json:"what"`     // a sentence
	Evidence  map[string]any `json:"evidence"` // the rows, lines and numbers that prove it
}

// Source is a kind of evidence an invariant cannot do without.
type Source string

const (
	Database Source = "database"
	Provider Source = "fakepay"
	Grants   Source = "grant-log"
	History  Source = "history"
	Recorder Source = "record"
	PassKeys Source = "jwks"
)

// Invariant is a statement about a finished sale.
type Invariant struct {
	ID        string
	Statement string
	Needs     []Source
	find      func(context.Context, *Evidence) ([]Finding, error)
}

// All lists the invariants in the order in which they are checked.
var All = []Invariant{b1, b6, i1, l1, l2, p1, p3, t1, q3, q4}

// Select returns the invariants of a list like "B1,L2"; all of them for "".
func Select(list string) ([]Invariant, error) {
	if list == "" {
		return All, nil
	}
	var chosen []Invariant
next:
	for id := range strings.SplitSeq(list, ",") {
		for _, inv := range All {
			if strings.EqualFold(strings.TrimSpace(id), inv.ID) {
				chosen = append(chosen, inv)
				continue next
			}
		}
		return nil, fmt.Errorf("no invariant %q; there are %s", id, ids(All))
	}
	return chosen, nil
}

func ids(list []Invariant) string {
	names := make([]string, len(list))
	for i, inv := range list {
		names[i] = inv.ID
	}
	return strings.Join(names, ", ")
}

// Run checks the invariants and returns all findings. One that cannot be checked
// is an error beside the findings of the others.
func Run(ctx context.Context, list []Invariant, e *Evidence) ([]Finding, error) {
	var all []Finding
	var errs error
	for _, inv := range list {
		found, err := inv.find(ctx, e)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("%s cannot be checked: %w", inv.ID, err))
		}
		for i := range found {
			found[i].Invariant = inv.ID
		}
		all = append(all, found...)
	}
	return all, errs
}

// Count returns how many findings an invariant has.
func Count(all []Finding, id string) int {
	n := 0
	for _, f := range all {
		if f.Invariant == id {
			n++
		}
	}
	return n
}
