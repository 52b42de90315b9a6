package main

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// load is one drive: requests to an address over kept connections, as fast as answers come, or at a rate.
type load struct {
	address      string
	connections  int
	warm, window time.Duration
	rate         float64 // 0: as fast as it goes
	count        int64   // this many requests instead of a window; 0: the window
	request      func(n int64) []byte
	want         int // status
}

// tally is what came back in the window.
type tally struct {
	good, bad int64
	all       int64 // those asked before and after the window too
	took      time.Duration
	wrong     error // the first one
}

func (t tally) perSecond() float64 { return float64(t.good) / t.took.Seconds() }

// drive makes the load. One answer in a hundred may be something else than wanted.
func drive(ctx context.Context, l load) (tally, error) {
	wires := make([]*wire, l.connections)
	for i := range wires {
		w, err := dial(l.address)
		if err != nil {
			return tally{}, err
		}
		defer w.conn.Close()
		wires[i] = w
	}
	var (
		mu       sync.Mutex
		all      sync.WaitGroup
		out      tally
		turn     atomic.Int64
		begin    = time.Now()
		from     = begin.Add(l.warm)
		until    = from.Add(l.window)
		finished atomic.Int64 // unix ns of the last counted answer
	)
	if l.count > 0 {
		until = begin.Add(time.Hour)
	} else {
		l.count = math.MaxInt64
	}
	for _, w := range wires {
		all.Go(func() {
			var mine tally
			for ctx.Err() == nil {
				n := turn.Add(1) - 1
				if n >= l.count {
					break
				}
				if l.rate > 0 {
					time.Sleep(time.Until(begin.Add(time.Duration(float64(n) / l.rate * float64(time.Second)))))
				}
				if time.Now().After(until) {
					break
				}
				status, err := w.ask(l.request(n))
				mine.all++
				done := time.Now()
				if done.After(until) {
					break
				}
				if done.Before(from) {
					continue
				}
				if err == nil && status == l.want {
					mine.good++
				} else {
					mine.bad++
					if mine.wrong == nil {
						mine.wrong = fmt.Errorf("status %d, %v", status, err)
					}
				}
				finished.Store(done.UnixNano())
				if err != nil {
					break // the connection is gone
				}
			}
			mu.Lock()
			defer mu.Unlock()
			out.good, out.bad, out.all = out.good+mine.good, out.bad+mine.bad, out.all+mine.all
			if out.wrong == nil {
				out.wrong = mine.wrong
			}
		})
	}
	all.Wait()
	out.took = l.window
	if l.count != math.MaxInt64 {
		out.took = time.Unix(0, finished.Load()).Sub(begin)
	}
	if out.good == 0 || out.bad*100 > out.good {
		return out, fmt.Errorf("%s: %d good answers and %d others; the first of these: %v", l.address, out.good, out.bad, out.wrong)
	}
	return out, ctx.Err()
}
