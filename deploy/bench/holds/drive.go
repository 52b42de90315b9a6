package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// verdict is what became of one request.
type verdict uint8

const (
	committed verdict = iota
	refused           // decided: taken, sold out
	failed            // anything else
)

// shooter makes request n and waits for its answer. Each worker has its own.
type shooter func(n int64) (verdict, error)

// tally is what a drive counted in its window.
type tally struct {
	committed, refused, failed int64
	window                     time.Duration
	firstError                 error
	latencies                  []time.Duration
}

func (t tally) perSecond() float64 { return float64(t.committed) / t.window.Seconds() }
func (t tally) decided() float64   { return float64(t.committed+t.refused) / t.window.Seconds() }

func (t tally) percentile(p float64) time.Duration {
	if len(t.latencies) == 0 {
		return 0
	}
	slices.Sort(t.latencies)
	return t.latencies[min(len(t.latencies)-1, int(p*float64(len(t.latencies))))]
}

// sound refuses a measurement of errors: one in a hundred requests may fail.
func (t tally) sound(what string) error {
	if all := t.committed + t.refused + t.failed; all == 0 || t.failed*100 > all {
		return fmt.Errorf("%s: %d of %d requests failed; the first one: %v", what, t.failed, all, t.firstError)
	}
	return nil
}

// load says how a drive is made. rate 0: each worker asks again as soon as it has its answer. Otherwise requests are due
// at that rate whatever the answers do, and latency counts from when a request was due: a server that stalls is not
// spared the requests that would have come meanwhile.
type load struct {
	warm, window time.Duration
	rate         float64
}

// numbers are given to requests of all drives, so that keys and seats never repeat by accident.
var numbers atomic.Int64

func drive(ctx context.Context, l load, workers []shooter) tally {
	var (
		mu    sync.Mutex
		all   sync.WaitGroup
		out   = tally{window: l.window}
		turn  atomic.Int64
		begin = time.Now()
		from  = begin.Add(l.warm)
		until = from.Add(l.window)
	)
	for _, shoot := range workers {
		all.Go(func() {
			var mine tally
			for ctx.Err() == nil {
				due := time.Now()
				if l.rate > 0 {
					due = begin.Add(time.Duration(float64(turn.Add(1)-1) / l.rate * float64(time.Second)))
					time.Sleep(time.Until(due))
				}
				if due.After(until) {
					break
				}
				v, err := shoot(numbers.Add(1))
				done := time.Now()
				if done.After(until) && l.rate == 0 {
					break // an answer after the window counts in none
				}
				if l.rate == 0 && done.Before(from) || due.Before(from) && l.rate > 0 {
					continue
				}
				mine.count(v, err)
				if l.rate > 0 {
					mine.latencies = append(mine.latencies, done.Sub(due))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			out.add(mine)
		})
	}
	all.Wait()
	return out
}

func (t *tally) count(v verdict, err error) {
	switch v {
	case committed:
		t.committed++
	case refused:
		t.refused++
	default:
		t.failed++
		if t.firstError == nil {
			t.firstError = err
		}
	}
}

func (t *tally) add(o tally) {
	t.committed, t.refused, t.failed = t.committed+o.committed, t.refused+o.refused, t.failed+o.failed
	t.latencies = append(t.latencies, o.latencies...)
	if t.firstError == nil {
		t.firstError = o.firstError
	}
}
