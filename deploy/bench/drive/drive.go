// Package drive makes the load of benchmarks: kept connections that speak just enough HTTP/1.1, as fast as answers come or at
// a rate.
package drive

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Load is one drive: requests to an address over kept connections, as fast as answers come, or at a rate.
type Load struct {
	Address      string
	Connections  int
	Warm, Window time.Duration
	Rate         float64 // 0: as fast as it goes
	Count        int64   // this many requests instead of a window; 0: the window
	Request      func(n int64) []byte
	Want         int // status
}

// Tally is what came back in the window.
type Tally struct {
	Good, Bad int64
	All       int64 // those asked before and after the window too
	Took      time.Duration
	Wrong     error // the first one
}

// PerSecond is the rate of good answers.
func (t Tally) PerSecond() float64 { return float64(t.Good) / t.Took.Seconds() }

// Run makes the load. One answer in a hundred may be something else than wanted.
func Run(ctx context.Context, l Load) (Tally, error) {
	wires := make([]*Conn, l.Connections)
	for i := range wires {
		w, err := Dial(l.Address)
		if err != nil {
			return Tally{}, err
		}
		defer w.conn.Close()
		wires[i] = w
	}
	var (
		mu       sync.Mutex
		all      sync.WaitGroup
		out      Tally
		turn     atomic.Int64
		begin    = time.Now()
		from     = begin.Add(l.Warm)
		until    = from.Add(l.Window)
		finished atomic.Int64 // unix ns of the last counted answer
	)
	if l.Count > 0 {
		until = begin.Add(time.Hour)
	} else {
		l.Count = math.MaxInt64
	}
	for _, w := range wires {
		all.Go(func() {
			var mine Tally
			for ctx.Err() == nil {
				n := turn.Add(1) - 1
				if n >= l.Count {
					break
				}
				if l.Rate > 0 {
					time.Sleep(time.Until(begin.Add(time.Duration(float64(n) / l.Rate * float64(time.Second)))))
				}
				if time.Now().After(until) {
					break
				}
				status, err := w.Ask(l.Request(n))
				mine.All++
				done := time.Now()
				if done.After(until) {
					break
				}
				if done.Before(from) {
					continue
				}
				if err == nil && status == l.Want {
					mine.Good++
				} else {
					mine.Bad++
					if mine.Wrong == nil {
						mine.Wrong = fmt.Errorf("status %d, %v", status, err)
					}
				}
				finished.Store(done.UnixNano())
				if err != nil {
					break // the connection is gone
				}
			}
			mu.Lock()
			defer mu.Unlock()
			out.Good, out.Bad, out.All = out.Good+mine.Good, out.Bad+mine.Bad, out.All+mine.All
			if out.Wrong == nil {
				out.Wrong = mine.Wrong
			}
		})
	}
	all.Wait()
	out.Took = l.Window
	if l.Count != math.MaxInt64 {
		out.Took = time.Unix(0, finished.Load()).Sub(begin)
	}
	if out.Good == 0 || out.Bad*100 > out.Good {
		return out, fmt.Errorf("%s: %d good answers and %d others; the first of these: %v", l.Address, out.Good, out.Bad, out.Wrong)
	}
	return out, ctx.Err()
}
