package booking

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/ropeline/ropeline/core/pg"
)

// loop is a thin shell around a step that does a bounded piece of work. A step is
// called directly by tests. again: there is more to do at once.
type loop struct {
	name  string
	every time.Duration
	step  func(ctx context.Context) (again bool, err error)
	kick  <-chan struct{} // wakes the loop before its time; nil: nothing does
}

// addLoop registers a loop for Run. New calls it; nothing adds loops later.
func (e *Engine) addLoop(name string, every time.Duration, step func(ctx context.Context) (again bool, err error)) {
	e.addKickedLoop(name, every, nil, step)
}

// addKickedLoop is addLoop for a loop that is also woken by what leaves it work.
func (e *Engine) addKickedLoop(name string, every time.Duration, kick <-chan struct{}, step func(ctx context.Context) (again bool, err error)) {
	e.loops = append(e.loops, loop{name, every, step, kick})
}

// runLoop calls the step every so often, +-20 % so that processes do not walk in
// step. A step that fails is logged and tried again at its next turn.
func (e *Engine) runLoop(ctx context.Context, l loop) {
	ctx = pg.Aside(ctx) // a loop looks whether or not anybody buys
	t := time.NewTimer(spread(l.every))
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		case <-l.kick:
		}
		again, err := l.step(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			e.metrics.loopErrors.WithLabelValues(l.name).Inc()
			e.log.Error("a loop's step failed", "loop", l.name, "err", err)
			again = false
		}
		if again {
			t.Reset(0)
		} else {
			t.Reset(spread(l.every))
		}
	}
}

func spread(d time.Duration) time.Duration { return d*4/5 + rand.N(d*2/5+1) }
