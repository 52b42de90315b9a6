package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/admission/line/redistest"
	"github.com/ropeline/ropeline/deploy/fleet"
)

const (
	spikeRate = 50  // entries per second
	spikeCap  = 150 // live sessions, so that both limits bite
	stay      = 2 * time.Second
)

// spike sends ten times the rate at three edges of one room and lets the judge recompute, from what the edges logged and
// what the origin saw, how often a limit was passed, over any stretch of time.
func (b *bench) spike(ctx context.Context, dir string) error {
	origin, err := fleet.StartOrigin(filepath.Join(dir, "record.jsonl"), nil)
	if err != nil {
		return err
	}
	edges, done, err := b.three(ctx, dir, origin.Addr(), fmt.Sprintf("rate %d/s", spikeRate), fmt.Sprintf("cap %d", spikeCap))
	if err != nil {
		return err
	}
	defer done()
	keys, err := fleet.PassKeys(ctx, edges[0].URL())
	if err != nil {
		return err
	}
	window := max(10*time.Second, 4*b.window())
	within, cancel := context.WithTimeout(ctx, window)
	defer cancel()
	var entered, came atomic.Int64
	n := int(10 * spikeRate * window.Seconds())
	start := time.Now()
	_ = each(n, n, func(i int) error {
		time.Sleep(time.Until(start.Add(time.Duration(i) * time.Second / (10 * spikeRate))))
		if within.Err() != nil {
			return nil
		}
		v := new(fleet.Visitor)
		at := func(k int) string { return edges[(i+k)%len(edges)].URL() }
		if _, err := v.Join(within, at(0)); err != nil {
			return nil
		}
		came.Add(1)
		if _, err := v.Enter(within, at(1), at(2), at(0)); err != nil {
			return nil
		}
		entered.Add(1)
		for until := time.Now().Add(stay); time.Now().Before(until) && within.Err() == nil; time.Sleep(stay / 4) {
			_, _ = v.Visit(within, at(1))
		}
		_, _ = v.Post(within, at(2), "leave")
		return nil
	})
	var grants []string
	for _, e := range edges {
		grants = append(grants, e.Grants())
	}
	done()
	if err := origin.Stop(); err != nil {
		return err
	}
	found, err := fleet.Judge(ctx, "Q4,T1", origin, keys, nil, grants...)
	if err != nil {
		return err
	}
	b.Note("%d came to 3 edges in %s, %d entered at a rate of %d/s and a cap of %d", came.Load(), window, entered.Load(), spikeRate, spikeCap)
	for _, f := range found[:min(3, len(found))] {
		b.Note("%s: %s %v", f.Invariant, f.What, f.Evidence)
	}
	b.Value("edge.overshoot", float64(len(found)))
	b.Print("edge.overshoot")
	return nil
}

// three edges of one room. done may be called twice.
func (b *bench) three(ctx context.Context, dir, origin string, room ...string) (edges []*fleet.Edge, done func(), err error) {
	var redis *fleet.Redis
	stopped := false
	done = func() {
		if stopped {
			return
		}
		stopped = true
		for _, e := range edges {
			_ = e.Stop()
		}
		if redis != nil {
			_ = redis.End()
		}
	}
	defer func() {
		if err != nil {
			done()
		}
	}()
	keys, data := filepath.Join(dir, "keys"), filepath.Join(dir, "redis")
	if err := os.MkdirAll(data, 0o755); err != nil {
		return nil, done, err
	}
	if err := fleet.NewKeys(ctx, b.bin, keys); err != nil {
		return nil, done, err
	}
	if redis, err = fleet.StartRedis(redistest.Options{Dir: data, Persistent: true}); err != nil {
		return nil, done, err
	}
	for i := range 3 {
		name := fmt.Sprintf("edge-%d", i+1)
		e, err := fleet.NewEdge(fleet.Config{Name: name, Bin: b.bin, Dir: filepath.Join(dir, name), Keys: keys, Store: redis.URL(), Origin: origin, Room: room})
		if err != nil {
			return nil, done, err
		}
		if err := e.Start(ctx); err != nil {
			return nil, done, err
		}
		edges = append(edges, e)
	}
	for _, e := range edges {
		if err := e.Ready(ctx); err != nil {
			return nil, done, err
		}
	}
	return edges, done, nil
}

const (
	ghostRate   = 40
	ghostWindow = 20 * time.Second
	ghostWarm   = 10 * time.Second // the room learns how many of those it calls come
)

// ghosts lets a line stand of whom every second person never comes back, and measures which share of the rate is reached.
func (b *bench) ghosts(ctx context.Context, dir string) error {
	origin := plainOrigin()
	defer origin.Close()
	s, done, err := b.open(ctx, dir, fmt.Sprintf("%d/s", ghostRate), 1_000_000, origin.Listener.Addr().String())
	if err != nil {
		return err
	}
	defer done()
	n := int(3 * ghostRate * (ghostWarm + ghostWindow).Seconds())
	people, err := s.bulk.join(ctx, n)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, ghostWarm+ghostWindow)
	defer cancel()
	var entered, x atomic.Int64
	watching := make(chan struct{})
	defer func() { <-watching }()
	go func() { // the status document is the same for all: one looks for everybody
		defer close(watching)
		for ; within.Err() == nil; time.Sleep(200 * time.Millisecond) {
			if doc, err := s.edge.Status(within); err == nil {
				x.Store(doc.X1)
			}
		}
	}()
	began := time.Now()
	err = each(n/2, n/2, func(i int) error { // those with an even number live, each in a page of its own
		t := people[2*i]
		raw, err := s.bulk.ring.SignTicket(t)
		if err != nil {
			return err
		}
		v := fleet.Visitor{Ticket: raw, Index: t.Index}
		if err := called(within, &x, t.Index); err != nil {
			return nil
		}
		if _, err := v.Enter(within, s.edge.URL()); err == nil && time.Since(began) > ghostWarm {
			entered.Add(1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.Value("edge.ghost_throughput", float64(entered.Load())/(ghostRate*ghostWindow.Seconds()))
	b.Print("edge.ghost_throughput")
	return nil
}

// called waits until the place is below X, which a page looks for about once a second.
func called(ctx context.Context, x *atomic.Int64, place int64) error {
	for place >= x.Load() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500*time.Millisecond + rand.N(time.Second)):
		}
	}
	return nil
}
