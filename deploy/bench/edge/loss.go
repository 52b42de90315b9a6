package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/deploy/fleet"
)

// resumes bounds the wait for the first entry after a loss.
const resumes = time.Minute

// loss takes everything from Redis twice, by FLUSHALL and by kill -9, while many wait, some of them next in line. It counts
// places that are another's or nobody's afterwards, and the time until somebody enters again.
func (b *bench) loss(ctx context.Context, dir string) error {
	origin := plainOrigin()
	defer origin.Close()
	s, done, err := b.open(ctx, dir, "20/s", 1_000_000, origin.Listener.Addr().String())
	if err != nil {
		return err
	}
	defer done()
	people, err := s.bulk.join(ctx, b.lossPeople)
	if err != nil {
		return err
	}
	// From here on there is one edge, as there are one Redis and one log to lose: this process's says farewell.
	if err := s.bulk.room.Stop(ctx); err != nil {
		return err
	}
	front := &front{site: s, people: people}
	stop := front.walk(ctx)
	defer stop()
	if err := front.after(ctx, ""); err != nil {
		return fmt.Errorf("before any loss: %w", err)
	}
	lost, doubled, slowest := 0, 0, 0.0
	for _, fault := range []struct {
		name string
		do   func() error
	}{
		{"FLUSHALL", func() error { return s.redis.FlushAll(ctx).Err() }},
		{"kill -9 of Redis", func() error {
			if err := s.redis.Kill(); err != nil {
				return err
			}
			return s.redis.Restart()
		}},
	} {
		before, err := s.edge.Status(ctx)
		if err != nil {
			return err
		}
		began := time.Now()
		if err := fault.do(); err != nil {
			return err
		}
		if err := front.after(ctx, before.Gen); err != nil {
			return fmt.Errorf("%s: %w", fault.name, err)
		}
		took := time.Since(began).Seconds()
		slowest = max(slowest, took)
		// Every page's next heartbeat brings its ticket back.
		if err := front.returned(ctx, b); err != nil {
			return err
		}
		l, d, of, err := front.compare(ctx)
		if err != nil {
			return err
		}
		lost, doubled = lost+l, doubled+d
		b.Note("%s: the first entry after %.1f s; %d places lost, %d doubled of %d", fault.name, took, l, d, of)
	}
	b.Value("edge.lost_places", float64(lost))
	b.Value("edge.doubled_places", float64(doubled))
	b.Value("edge.resume_s", slowest)
	b.Print("edge.lost_places", "edge.doubled_places", "edge.resume_s")
	return nil
}

// returned sends a heartbeat of everybody who waits until all are in the line again.
func (f *front) returned(ctx context.Context, b *bench) error {
	for deadline := time.Now().Add(2 * time.Minute); ; {
		if err := beat(ctx, b, f.site, f.waiting()); err != nil {
			return err
		}
		lost, _, of, err := f.compare(ctx)
		if err != nil || lost == 0 {
			return err
		}
		if time.Now().After(deadline) {
			b.Note("only %d of %d are in the line again", of-lost, of)
			return nil
		}
	}
}

// compare looks for people of those who wait whose index the store has not, or another one, and for indexes that two have.
// Who waits is asked after the line was read: who enters meanwhile has been in it, and is in it no more by right.
func (f *front) compare(ctx context.Context) (lost, doubled, of int, err error) {
	have, err := f.redis.Line(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	waiting := f.waiting()
	for _, t := range waiting {
		if index, ok := have[string(t.VID)]; !ok || index != t.Index {
			lost++
		}
	}
	owner := map[int64]string{}
	for vid, index := range have {
		if owner[index] != "" {
			doubled++
		}
		owner[index] = vid
	}
	return lost, doubled, len(waiting), nil
}

// front are the people whose turn comes: they knock like pages do, and enter.
type front struct {
	*site
	people  []admission.Ticket
	next    atomic.Int64 // who of them comes to the door next
	entered atomic.Int64
}

// waiting are those whose turn has not come.
func (f *front) waiting() []admission.Ticket {
	return f.people[min(f.next.Load(), int64(len(f.people))):]
}

// walkers is how many of the front knock at a time.
const walkers = 64

func (f *front) walk(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = each(walkers, walkers, func(int) error {
			for {
				i := f.next.Add(1) - 1
				if i >= int64(len(f.people)) {
					return nil
				}
				raw, err := f.bulk.ring.SignTicket(f.people[i])
				if err != nil {
					return err
				}
				v := fleet.Visitor{Ticket: raw}
				if _, err := v.Enter(ctx, f.edge.URL()); ctx.Err() != nil {
					return nil
				} else if err == nil {
					f.entered.Add(1)
				}
			}
		})
	}()
	return func() { cancel(); <-done }
}

// after waits for an entry in a life of the room that began after gen: one that was granted before the loss may still be
// picked up meanwhile, and is no sign of recovery.
func (f *front) after(ctx context.Context, gen string) error {
	var before int64 = -1
	for deadline := time.Now().Add(resumes); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		doc, err := f.edge.Status(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || doc.Gen == gen || doc.State != "open":
		case before < 0:
			before = f.entered.Load()
		case f.entered.Load() > before:
			return nil
		}
	}
	return fmt.Errorf("nobody entered within %s", resumes)
}
