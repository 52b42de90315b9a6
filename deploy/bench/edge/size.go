package main

import (
	"context"
	"net/http"
	"path/filepath"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/deploy/bench/drive"
	"github.com/ropeline/ropeline/deploy/fleet"
)

const (
	few = 1000
	// pace of heartbeats while CPU is measured: three a second of each of the few, below what the edge lets one visitor ask.
	pace = 3000
	// pulse is how often the page of somebody far from the front sends a heartbeat.
	pulse = time.Minute
)

// size measures what a waiting person costs: a room with a thousand and one with a million, both alive, in turns.
func (b *bench) size(ctx context.Context, dir string) error {
	small, done, err := b.open(ctx, filepath.Join(dir, "small"), "1/h", 1, "127.0.0.1:9")
	if err != nil {
		return err
	}
	defer done()
	big, done, err := b.open(ctx, filepath.Join(dir, "big"), "1/h", 1, "127.0.0.1:9")
	if err != nil {
		return err
	}
	defer done()
	thousand, err := small.bulk.join(ctx, few)
	if err != nil {
		return err
	}
	head, err := big.bulk.join(ctx, few)
	if err != nil {
		return err
	}
	if err := beat(ctx, b, big, head); err != nil {
		return err
	}
	edgeBefore, redisBefore, err := memory(ctx, big)
	if err != nil {
		return err
	}
	began := time.Now()
	rest, err := big.bulk.join(ctx, b.people-few)
	if err != nil {
		return err
	}
	b.Note("%d places given in %.1f s", len(rest), time.Since(began).Seconds())
	began = time.Now()
	million := append(head, rest...)
	if err := beat(ctx, b, big, million); err != nil {
		return err
	}
	b.Note("%d heartbeats in %.1f s", len(million), time.Since(began).Seconds())
	edgeAfter, redisAfter, err := memory(ctx, big)
	if err != nil {
		return err
	}
	n := float64(b.people - few)
	b.Value("edge.bytes_per_waiting", (edgeAfter-edgeBefore)/n)
	b.Value("edge.redis_bytes_per_waiting", (redisAfter-redisBefore)/n)
	b.Print("edge.bytes_per_waiting", "edge.redis_bytes_per_waiting")

	for range b.runs {
		large, err := b.cost(ctx, big, million)
		if err != nil {
			return err
		}
		little, err := b.cost(ctx, small, thousand)
		if err != nil {
			return err
		}
		b.Ratio("edge.cost_1e6_vs_1e3", large, little)
	}
	b.Print("edge.cost_1e6_vs_1e3")
	return b.operations(ctx, big, million)
}

// beat lets everybody send one heartbeat.
func beat(ctx context.Context, b *bench, s *site, people []admission.Ticket) error {
	_, err := drive.Run(ctx, drive.Load{Address: s.edge.Addr(), Connections: b.connections, Count: int64(len(people)), Want: http.StatusOK, Request: s.beats(people)})
	return err
}

// beats signs each ticket when it is its turn: a million signed ones would fill this process instead.
func (s *site) beats(people []admission.Ticket) func(int64) []byte {
	return func(n int64) []byte {
		raw, err := s.bulk.ring.SignTicket(people[n%int64(len(people))])
		if err != nil {
			panic(err) // the keys are the ones that were loaded
		}
		return drive.Request(http.MethodPost, fleet.Reserved+"heartbeat", cookie("rl-t-"+fleet.Room, raw))
	}
}

// memory is what edge and Redis hold when everything collected has been sent.
func memory(ctx context.Context, s *site) (edge, redis float64, err error) {
	time.Sleep(6 * time.Second) // the edge sends heartbeats on every 5 s
	if edge, err = heap(ctx, s.edge); err != nil {
		return 0, 0, err
	}
	redis, err = s.redis.Number(ctx, "memory", "used_memory")
	return edge, redis, err
}

// cost is the edge's CPU time per heartbeat, in microseconds, at a pace that leaves the machine some air.
func (b *bench) cost(ctx context.Context, s *site, people []admission.Ticket) (float64, error) {
	before, err := cpu(s.edge.Pid())
	if err != nil {
		return 0, err
	}
	const stride = 7919 // a prime: all over the line, and everybody once before anybody twice
	ask := s.beats(people)
	got, err := drive.Run(ctx, drive.Load{Address: s.edge.Addr(), Connections: b.connections, Window: 2 * b.window(), Rate: pace, Want: http.StatusOK,
		Request: func(n int64) []byte { return ask(n * stride) }})
	if err != nil {
		return 0, err
	}
	after, err := cpu(s.edge.Pid())
	return float64((after - before).Microseconds()) / float64(got.Good), err
}

// operations counts what Redis is asked while everybody in the big room sends a heartbeat as pages far from the front do,
// commands within scripts included.
func (b *bench) operations(ctx context.Context, s *site, people []admission.Ticket) error {
	rate := float64(len(people)) / pulse.Seconds()
	window := 4 * b.window()
	before, err := s.redis.Number(ctx, "stats", "total_commands_processed")
	if err != nil {
		return err
	}
	began := time.Now()
	got, err := drive.Run(ctx, drive.Load{Address: s.edge.Addr(), Connections: b.connections, Window: window, Rate: rate, Want: http.StatusOK, Request: s.beats(people)})
	if err != nil {
		return err
	}
	after, err := s.redis.Number(ctx, "stats", "total_commands_processed")
	if err != nil {
		return err
	}
	minutes := time.Since(began).Minutes()
	b.Note("%.0f heartbeats/s of %.0f wanted, %.0f commands", got.PerSecond(), rate, after-before)
	if got.PerSecond() < rate*0.9 {
		// What was not sent cost nothing: count only the people for whom the pace was kept.
		minutes *= got.PerSecond() / rate
	}
	b.Value("edge.redis_ops_per_waiting_minute", (after-before)/float64(len(people))/minutes)
	b.Print("edge.redis_ops_per_waiting_minute")
	return nil
}
