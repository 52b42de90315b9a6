package line

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// drawn is an opened draw, ready to compute places with.
type drawn struct {
	seed  string
	n     int64
	place func(index int64) int64
}

// commit is SHA-256 of the room's secret, as published before anybody can join.
func (r *Room) commit(epoch int64, opensAt time.Time) string {
	secret := r.cfg.Lottery.Secret(r.cfg.Name, epoch, opensAt)
	return hexOf(sha256.Sum256(secret[:]))
}

// Place gives the visitor's place in line: drawn for an index below n once the draw is open, -1 before, the index
// itself otherwise.
func (r *Room) Place(index int64) int64 {
	v := r.view.Load()
	if !v.exists || v.phase == phasePrequeue || index < 0 || v.merging > 0 && v.phase == "" {
		return -1
	}
	if index >= v.n {
		return index
	}
	if v.seed == "" {
		return -1
	}
	d := r.drawn.Load()
	if d == nil || d.seed != v.seed || d.n != v.n {
		d = &drawn{v.seed, v.n, r.cfg.Lottery.Place(hash(v.seed), v.n)}
		r.drawn.Store(d)
	}
	return d.place(index)
}

// drawStep brings a frozen draw one step forward: publish the root of the list, then, when the entropy is known
// and everything is in this edge's log, reveal and open. Each step is idempotent and any edge may do it.
func (r *Room) drawStep(ctx context.Context, h header) error {
	if h.root == "" {
		leaves, err := r.readLeaves(ctx, h.n)
		if err != nil {
			return err
		}
		if err := r.keepLeaves(h.epoch, leaves); err != nil {
			return err
		}
		rep, err := r.call(ctx, scriptRoot, h.n, hexOf(r.cfg.Lottery.Root(leaves)))
		if err != nil {
			return err
		}
		if rep.status == statusRoot {
			return fmt.Errorf("room %s is paused: draw_conflict, another edge published a root that this one's list does not give", r.cfg.Name)
		}
		h = rep.header
	}
	if h.root == "" || h.entropySource != NoEntropy && h.entropy == "" {
		return nil
	}
	if r.acked(h) < h.reg { // root and entropy on disk, here and at every edge, before the reveal
		var err error
		if h, err = r.settle(ctx, h); err != nil {
			return err
		}
	}
	secret := r.cfg.Lottery.Secret(r.cfg.Name, h.epoch, millis(num(h.promised)))
	if hexOf(sha256.Sum256(secret[:])) != h.commit {
		return fmt.Errorf("room %s: the draw key is not the one the commitment was made with; put back the key directory the pre-queue began with", r.cfg.Name)
	}
	seed := r.cfg.Lottery.Seed(secret, h.entropy, hash(h.root), h.n)
	rep, err := r.call(ctx, scriptReveal, h.root, h.entropy, hexOf(secret), hexOf(seed))
	if err != nil {
		return err
	}
	return <-r.note(rep.header)
}

// readLeaves reads the line by scanning, not by rank: a scan does not block the store, and whatever was in the
// set all the time is found, in whatever order. An index nobody holds is 32 zero bytes.
func (r *Room) readLeaves(ctx context.Context, n int64) ([][32]byte, error) {
	leaves := make([][32]byte, n)
	var cursor uint64
	for {
		page, next, err := r.store.client.ZScan(ctx, r.key("line"), cursor, "", 5000).Result()
		if err != nil {
			return nil, wrapStore(err)
		}
		for i := 0; i+1 < len(page); i += 2 {
			if index := num(page[i+1]); index < n {
				leaves[index] = sha256.Sum256([]byte(page[i]))
			}
		}
		if cursor = next; cursor == 0 {
			return leaves, nil
		}
	}
}

func (r *Room) leavesFile(epoch int64) string {
	return filepath.Join(r.cfg.Dir, fmt.Sprintf("draw-%d.leaves", epoch))
}

// keepLeaves saves the list beside the log: a store that is lost later does not know it any more.
func (r *Room) keepLeaves(epoch int64, leaves [][32]byte) error {
	if r.cfg.Dir == "" {
		return nil
	}
	var buf bytes.Buffer
	buf.Grow(32 * len(leaves))
	for _, leaf := range leaves {
		buf.Write(leaf[:])
	}
	if err := os.WriteFile(r.leavesFile(epoch), buf.Bytes(), 0o644); err != nil {
		return fmt.Errorf("list of the draw: %w", err)
	}
	return nil
}

// DrawList writes SHA-256(vid) in index order, 32 bytes each (zeros for an unknown index): what the root was made
// of. ErrRetry before the root is published.
func (r *Room) DrawList(ctx context.Context, w io.Writer) error {
	v := r.view.Load()
	if v.root == "" {
		return ErrRetry
	}
	if r.cfg.Dir != "" {
		if f, err := os.Open(r.leavesFile(v.epoch)); err == nil {
			defer f.Close()
			_, err = io.Copy(w, f)
			return err
		}
	}
	leaves, err := r.readLeaves(ctx, v.n)
	if err != nil {
		return err
	}
	for _, leaf := range leaves {
		if _, err := w.Write(leaf[:]); err != nil {
			return err
		}
	}
	return nil
}

// SetEntropy gives the public value that the entropy source named. It is accepted once, after the freeze.
func (r *Room) SetEntropy(ctx context.Context, value string) error {
	if value == "" || len(value) > 1000 {
		return fmt.Errorf("entropy: %d bytes; give the value the source names, at most 1000", len(value))
	}
	rep, err := r.call(ctx, scriptEntropy, value)
	switch {
	case err != nil:
		return err
	case rep.status == statusGiven:
		return fmt.Errorf("%w: another value was given", ErrCommitted)
	case rep.status != statusOK:
		return r.noEntropy()
	}
	return nil
}

// noEntropy says why a room takes no public value now.
func (r *Room) noEntropy() error {
	s := r.Snapshot()
	switch {
	case s.Settings.EntropySource == "" || s.Settings.EntropySource == "none":
		return fmt.Errorf("%w: its draw mixes in no public value, since entropy_source names none", ErrNoEntropy)
	case s.State == string(StatePrequeue) && !s.Settings.OpensAt.IsZero():
		return fmt.Errorf("%w: the pre-queue goes on until %s: give the value after it", ErrNoEntropy, s.Settings.OpensAt.UTC().Format(time.RFC3339))
	case s.State == string(StatePrequeue):
		return fmt.Errorf("%w: the pre-queue has not ended: open the room, then give the value", ErrNoEntropy)
	}
	return fmt.Errorf("%w: the room is %s, and no draw waits for a value", ErrNoEntropy, s.State)
}
