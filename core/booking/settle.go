package booking

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

const (
	batchTries   = 4
	batchPause   = 10 * time.Millisecond
	batchTimeout = 10 * time.Second // of one try, connection included; statements have their own, shorter one
	settleBudget = 4 * time.Second  // of all tries and halves of a batch
)

// constraints are what the last line of defence says when a rule before it failed
// to. A constraint without a sentence here is a fault of ours.
var constraints = pg.Refusals{
	"never_over":         hold.ErrNotEnough,
	"idempotency_0_pkey": ErrInProgress, "idempotency_1_pkey": ErrInProgress, "idempotency_2_pkey": ErrInProgress,
	"idempotency_3_pkey": ErrInProgress, "idempotency_4_pkey": ErrInProgress, "idempotency_5_pkey": ErrInProgress,
}

// firstRow refuses the second who writes an account's first row: see hold's lockAccounts.
const firstRow = "account_event_pkey"

// settle ends every request of a batch except those it returns: they met a lock
// and have their turn again.
func (e *Engine) settle(batch []*request, wait hold.Wait) (skipped []*request) {
	return e.settleBy(time.Now().Add(settleBudget), batch, wait)
}

func (e *Engine) settleBy(deadline time.Time, batch []*request, wait hold.Wait) (skipped []*request) {
	pause := batchPause
	for try := 1; ; try++ {
		out, err := e.try(batch, wait)
		if err == nil {
			return e.conclude(batch, out)
		}
		last := try == batchTries || time.Now().After(deadline)
		switch {
		case errors.Is(err, pg.ErrCommitSlow):
			e.endAll(batch, problem.OutcomeUnknown.Because(err))
			return nil
		case errors.Is(err, pg.ErrCommitUnknown):
			// Each request is unknown; the next try waits for the row of its account, or
			// is skipped as long as the other backend has it; then its key tells.
			if last {
				e.endAll(batch, problem.OutcomeUnknown.Because(err))
				return nil
			}
			for _, r := range batch {
				r.rerun = true
			}
			e.metrics.reruns.WithLabelValues("commit").Inc()
		case pg.IsRetryable(err), pg.IsConnection(err), pg.IsLockTimeout(err), pg.Constraint(err) == firstRow:
			if last {
				e.endAll(batch, problem.Busy.Because(err))
				return nil
			}
			e.metrics.reruns.WithLabelValues("retry").Inc()
		case len(batch) > 1:
			// Most likely one of them broke a constraint: halve until it stands alone.
			e.metrics.reruns.WithLabelValues("halved").Inc()
			half := len(batch) / 2
			skipped = e.settleBy(deadline, batch[:half], wait)
			return append(skipped, e.settleBy(deadline, batch[half:], wait)...)
		default:
			e.endAll(batch, e.blame(batch[0], err))
			return nil
		}
		time.Sleep(pause/2 + rand.N(pause))
		pause *= 2
	}
}

// blame is what a request alone is told about the error it caused.
func (e *Engine) blame(r *request, err error) error {
	if mapped := constraints.Map(err); problem.As(mapped) != nil {
		e.log.Warn("a constraint refused what the rules allowed", "constraint", pg.Constraint(err), "event", r.key.event, "err", err)
		return mapped
	}
	if pg.IsConstraint(err) {
		return fmt.Errorf("constraint %s refused: %w", pg.Constraint(err), err)
	}
	return err
}

// endAll ends requests of which no try came to its end. What a try that failed has to
// say is not the whole truth about a request whose COMMIT was lost before: that one
// may have been done, and only its key can tell.
func (e *Engine) endAll(batch []*request, err error) {
	for _, r := range batch {
		if r.rerun {
			e.end(r, Answer{}, problem.OutcomeUnknown.Because(err))
		} else {
			e.end(r, Answer{}, err)
		}
	}
}

// outcome of one request in a try: an answer, a refusal, or neither: skipped.
type outcome struct {
	answer *Answer
	err    error
	isNew  bool // its key was looked for, under its account's lock, and is not there: of an account without a row it is never said
}

// conclude tells the outcomes of a committed batch.
func (e *Engine) conclude(batch []*request, out map[*request]outcome) (skipped []*request) {
	for _, r := range batch {
		switch o := out[r]; {
		case o.err != nil:
			e.end(r, Answer{}, o.err)
		case o.answer != nil:
			o.answer.Replayed = o.answer.Replayed && !r.rerun
			e.end(r, *o.answer, nil)
		default:
			r.rerun = r.rerun && !o.isNew // a new key: what was not known before was not done
			skipped = append(skipped, r)
		}
	}
	return skipped
}

// guard makes a panic an error: the lane's goroutine is nobody's request, so it would
// take the whole process and every buyer in it along. The batch is halved until the
// request that did it stands alone.
func guard(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a batch: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}

// try runs the batch's transaction once. The context is the batch's own, never a
// request's: nobody's closed tab ends the others' purchase.
func (e *Engine) try(batch []*request, wait hold.Wait) (map[*request]outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	begin := time.Now()
	db := e.laneDB
	if wait == hold.Block {
		db = e.slowDB
	}
	d := &decision{e: e, batch: batch, wait: wait}
	err := e.withFloors(ctx, func() error {
		d.reset()
		defer func() { e.newcomers.leave(d.begun) }()
		return guard(func() error { return db.Once(ctx, d.run) })
	})
	if errors.Is(err, errNoEffect) {
		err = nil
	}
	e.metrics.batchSize.Observe(float64(len(batch)))
	e.metrics.batchTime.Observe(time.Since(begin).Seconds())
	return d.out, err
}
