package line

import (
	"context"
	"time"
)

// queueLimit is how many callers may wait for a batch before the next one is asked to come again.
const queueLimit = 16384

// batcher collects calls into one. A batch begins when the one before has been answered, so that order is kept,
// and after wait or at max calls, whichever comes first.
type batcher[Q, A any] struct {
	in   chan call[Q, A]
	done chan struct{} // closed when the loop has ended
	run  func(context.Context, []call[Q, A])
	max  int
	wait time.Duration
}

type call[Q, A any] struct {
	ask    Q
	answer chan result[A] // capacity 1: the batch never waits for a caller that gave up
}

type result[A any] struct {
	answer A
	err    error
}

func (c call[Q, A]) reply(a A, err error) { c.answer <- result[A]{a, err} }

func newBatcher[Q, A any](queue, max int, wait time.Duration, run func(context.Context, []call[Q, A])) *batcher[Q, A] {
	return &batcher[Q, A]{in: make(chan call[Q, A], queue), done: make(chan struct{}), run: run, max: max, wait: wait}
}

// do waits for the answer to q, or for ctx. A batch has its own context: the call is made even if the caller
// has gone, and its effect is found by the next call of the same visitor.
func (b *batcher[Q, A]) do(ctx context.Context, q Q) (a A, err error) {
	c := call[Q, A]{ask: q, answer: make(chan result[A], 1)}
	select {
	case b.in <- c:
	default:
		return a, ErrRetry
	}
	select {
	case r := <-c.answer:
		return r.answer, r.err
	case <-b.done:
		return a, ErrRetry
	case <-ctx.Done():
		return a, ctx.Err()
	}
}

// loop runs batches until ctx ends; whoever still waits then is asked to come again.
func (b *batcher[Q, A]) loop(ctx context.Context) {
	defer close(b.done)
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-b.in:
			b.run(context.WithoutCancel(ctx), b.collect(first))
		}
	}
}

func (b *batcher[Q, A]) collect(first call[Q, A]) []call[Q, A] {
	batch := []call[Q, A]{first}
	timer := time.NewTimer(b.wait)
	defer timer.Stop()
	for len(batch) < b.max {
		select {
		case c := <-b.in:
			batch = append(batch, c)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

// fail answers a whole batch with one error.
func fail[Q, A any](batch []call[Q, A], err error) {
	var none A
	for _, c := range batch {
		c.reply(none, err)
	}
}
