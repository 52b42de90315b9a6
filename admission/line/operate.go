package line

import (
	"context"
	"errors"
	"fmt"
)

// Expect is the room as an operator saw it. A step that was meant for another epoch or term is refused with ErrOther, so
// that a retry does not do it twice. The zero value takes this edge's view.
type Expect struct{ Epoch, Term int64 }

func (r *Room) expect(e Expect) Expect {
	v := r.view.Load()
	if e.Epoch == 0 {
		e.Epoch = v.epoch
	}
	if e.Term == 0 {
		e.Term = v.term
	}
	return e
}

// Recall raises the term: passes are refused from now on, and whoever was inside may knock again at the old place.
// Nobody who waits is touched; whoever has left stays out. It survives a loss of the store as soon as an edge has logged
// it; Snapshot.Settled says when all have.
func (r *Room) Recall(ctx context.Context, e Expect) error {
	e = r.expect(e)
	rep, err := r.call(ctx, scriptRecall, e.Epoch, e.Term)
	if err != nil {
		return err
	}
	_, err = r.settle(ctx, rep.header)
	return err
}

// Reset begins a new line: the epoch is raised, every ticket and pass of the old one is unknown from now on. State
// (open or prequeue), OpensAt and EntropySource of s hold for the new line; other settings, and a pause, stay as they are.
func (r *Room) Reset(ctx context.Context, e Expect, s Settings) (epoch int64, err error) {
	if s.State == "" {
		s.State = StateOpen
	}
	if s.EntropySource == "" {
		s.EntropySource = NoEntropy
	}
	if s.State != StateOpen && s.State != StatePrequeue {
		return 0, fmt.Errorf("a new line begins open or as a prequeue, not %s", s.State)
	}
	phase := phaseOpen
	if s.State == StatePrequeue {
		phase = phasePrequeue
	}
	from := r.expect(e).Epoch
	epoch = from + 1
	opens := unixMillis(s.OpensAt)
	rep, err := r.call(ctx, scriptReset, from, epoch, phase, opens, r.commit(epoch, s.OpensAt), opens, s.EntropySource)
	if err != nil {
		return 0, err
	}
	// The ceiling of the new line goes to this edge's disk before the first index can be given.
	if err := r.raiseCeiling(ctx, rep.header); err != nil {
		return epoch, err
	}
	_, err = r.settle(ctx, r.view.Load().header)
	return epoch, err
}

var errNotStopped = errors.New("line: the room has not stopped itself, so there is nothing to resume with values")

// Resume ends a merge that waits for an edge or for a checkpoint, or clears a conflict that was looked into. No index
// below next will be given, and X is at least x; Snapshot suggests both (Ceil, X).
func (r *Room) Resume(ctx context.Context, next, x int64) error {
	if v := r.view.Load(); v.reason == "" && v.merging == 0 {
		return errNotStopped
	}
	if next < 0 || next > maxIndex || x < 0 || x > maxIndex {
		return fmt.Errorf("resume: next %d, x %d: use 0 to %d", next, x, int64(maxIndex))
	}
	rep, err := r.call(ctx, scriptResume, next, x, r.view.Load().epoch)
	if err != nil {
		return err
	}
	return <-r.note(rep.header)
}

// ForgetEdge strikes an edge that will not come back, and gives its visitors' slots back as their leases end. Its log must
// not be used again.
func (r *Room) ForgetEdge(ctx context.Context, name string) error {
	if !named(name) {
		return fmt.Errorf("edge %q: use the name that the room's status shows", name)
	}
	if name == r.edge {
		return fmt.Errorf("edge %s is this one: ask another edge to forget it", name)
	}
	rep, err := r.call(ctx, scriptForget, name)
	if errors.Is(err, ErrMerging) {
		return fmt.Errorf("%w: without that edge it goes on with `resume` and its values", err)
	}
	if err == nil && rep.status == statusEarly {
		return fmt.Errorf("%w: %s", ErrNoEdge, name)
	}
	return err
}
