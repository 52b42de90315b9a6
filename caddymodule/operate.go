package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ropeline/ropeline/admission/line"
)

// adminSteps are the members of a body that the steps below read.
type adminSteps struct {
	// Epoch and Term are the room as the operator saw it: a step meant for another is refused, so that a repeated one is done
	// once. Without them it is meant for the room as it is.
	Epoch int64 `json:"epoch"`
	Term  int64 `json:"term"`

	Next *int64 `json:"next"` // resume: no index below it will be given
	X    *int64 `json:"x"`    // resume: places below it have been called

	Edge string `json:"edge"` // forget-edge

	State         string `json:"state"`          // reset: open or prequeue
	OpensAt       string `json:"opens_at"`       // reset: RFC 3339
	EntropySource string `json:"entropy_source"` // reset
}

// recallStep refuses all passes from now on. Whoever was inside goes to the door at the old place; nobody who waits is touched.
func recallStep(b adminBody) (change, error) {
	return change{What: whatTerm, do: func(ctx context.Context, r *room) error {
		return r.line.Recall(ctx, line.Expect{Epoch: b.Epoch, Term: b.Term})
	}}, nil
}

// resetStep begins a new line. Without a state it begins as the configuration says, if that opening is still to come.
func resetStep(b adminBody) (change, error) {
	at, err := time.Time{}, error(nil)
	if b.OpensAt != "" {
		if at, err = time.Parse(time.RFC3339Nano, b.OpensAt); err != nil {
			return change{}, badTime("opens_at", b.OpensAt)
		}
	}
	switch {
	case b.State != "" && b.State != string(line.StateOpen) && b.State != string(line.StatePrequeue):
		return change{}, fmt.Errorf("state %q: a new line begins as open or prequeue", b.State)
	case b.State != string(line.StatePrequeue) && (b.OpensAt != "" || b.EntropySource != ""):
		return change{}, errors.New("opens_at and entropy_source need state prequeue")
	}
	return change{What: whatEpoch, do: func(ctx context.Context, r *room) error {
		s := line.Settings{State: line.State(b.State), OpensAt: at.Truncate(time.Millisecond), EntropySource: b.EntropySource}
		if file, err := r.conf.Load().settings(); err == nil && b.State == "" && file.State == line.StatePrequeue &&
			(file.OpensAt.IsZero() || file.OpensAt.After(r.now())) {
			s.State, s.OpensAt, s.EntropySource = file.State, file.OpensAt, file.EntropySource
		}
		if at := s.OpensAt; !at.IsZero() && !at.After(r.now()) {
			return fmt.Errorf("opens_at %s is over: name a time to come", stamp(at))
		}
		_, err := r.line.Reset(ctx, line.Expect{Epoch: b.Epoch}, s)
		return err
	}}, nil
}

// resumeStep ends a pause. Of a room that stopped itself it says how to go on: with the values given, or with those that
// its status suggests.
func resumeStep(b adminBody) (change, error) {
	if b.Next == nil && b.X == nil {
		return change{What: whatState, To: "resumed"}, nil
	}
	if b.Next == nil || b.X == nil {
		return change{}, errors.New(`resume with values needs both: send {"next":12000,"x":800}`)
	}
	return change{What: whatReason, said: fmt.Sprintf("resumed with next %d, x %d", *b.Next, *b.X), do: func(ctx context.Context, r *room) error {
		return r.line.Resume(ctx, *b.Next, *b.X)
	}}, nil
}

// forgetStep strikes an edge that will never come back; the slots that are held for its visitors become free as their leases end.
func forgetStep(b adminBody) (change, error) {
	if b.Edge == "" {
		return change{}, errors.New(`edge is missing: send {"edge":"<its id as the status shows it>"}`)
	}
	return change{What: whatEdges, do: func(ctx context.Context, r *room) error {
		err := r.line.ForgetEdge(ctx, b.Edge)
		if errors.Is(err, line.ErrNoEdge) {
			s := r.line.Snapshot()
			return fmt.Errorf("%w: the room has %s", err, strings.Join(slices.Concat(s.Edges, s.Cut), ", "))
		}
		return err
	}}, nil
}

// edgeReport is one edge as an operator sees it.
type edgeReport struct {
	ID       string `json:"id"`
	Here     bool   `json:"here,omitempty"` // the one that answers
	LastSeen int64  `json:"last_seen"`      // unix ms by the store's clock; 0: it has said farewell
	State    string `json:"state"`
}

// The states of an edge.
const (
	edgeCounts  = "in force"
	edgeJoining = "joining" // the others do not have it on disk yet: it gives no passes
	edgeBehind  = "behind"  // it does not have the newest recall, draw or list of edges on disk yet
	edgeCutOff  = "cut off" // silent; the slots of its visitors are held
	edgeMissing = "missing" // a merge waits for its report
)

func edgeReports(r *room, s line.Snapshot) []edgeReport {
	out := []edgeReport{}
	for _, e := range r.line.Edges() {
		rep := edgeReport{ID: e.Name, Here: e.Here, LastSeen: millis(e.Seen), State: edgeCounts}
		switch {
		case e.CutOff:
			rep.State = edgeCutOff
		case slices.Contains(s.Missing, e.Name):
			continue // below
		case !e.Counts:
			rep.State = edgeJoining
		case !e.Settled:
			rep.State = edgeBehind
		}
		out = append(out, rep)
	}
	for _, name := range s.Missing {
		out = append(out, edgeReport{ID: name, State: edgeMissing})
	}
	return out
}
