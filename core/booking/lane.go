package booking

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/problem"
)

const (
	laneCount      = 4
	eventLanes     = 2                    // lanes that one event uses
	laneSeats      = 64                   // seats that follow each other and belong to one lane
	maxBatch       = 256                  // requests of one batch
	maxBatchSeats  = 1536                 // rows of one batch
	maxSameAccount = 2                    // requests of one account in a batch; the others keep their turn
	maxSkips       = 3                    // times a request may leave a batch because of a lock
	skipPause      = 2 * time.Millisecond // doubled with each skip
	maxBest        = 16                   // requests for the best available seats in a batch
	maxPlanning    = 5 * time.Millisecond // of deciding while a batch's rows are locked
	slowLaneWidth  = 4                    // connections of the slow lane
	patience       = 5 * time.Second
	averageWeight  = 0.2 // of the newest batch in the average time of a batch

	// AtOnce is how many requests the lanes of one event settle at the same time.
	AtOnce = eventLanes * maxBatch
)

// request is one command on its way through a lane. Exactly one of take, release
// and extend is set.
type request struct {
	key     key
	row     keyRow // of the key
	print   []byte
	take    *hold.Request
	release uuid.UUID
	extend  uuid.UUID
	queued  time.Time

	skips     int  // batches it had to leave because of a lock
	postponed bool // its batch ran out of time before its turn
	rerun     bool // its batch's COMMIT failed: finding its own key is no replay

	phase  atomic.Int32 // waiting, running or abandoned
	done   chan struct{}
	answer Answer
	err    error
}

const (
	waiting int32 = iota
	running
	abandoned // its caller has gone; nothing was done for it
)

func (r *request) seats() int {
	if r.take == nil {
		return 1
	}
	n := len(r.take.Seats) + len(r.take.Places)
	if r.take.Best != nil {
		n += r.take.Best.Quantity
	}
	return n
}

func (r *request) best() bool { return r.take != nil && r.take.Best != nil }

// ofHold is the hold a release or an extension is about.
func (r *request) ofHold() uuid.UUID {
	if r.extend != uuid.Nil {
		return r.extend
	}
	return r.release
}

// lane runs batches one after the other. A batch starts as soon as the previous
// one has committed and takes what has come meanwhile: an idle lane waits for
// nothing, a busy one shares each COMMIT among up to maxBatch requests.
//
// The goroutine lives only while there is work, so an engine needs no start and no
// stop for its lanes.
type lane struct {
	e       *Engine
	mu      sync.Mutex
	queue   []*request
	busy    bool
	average time.Duration // of a batch
}

// laneOf spreads the requests of one event over the lanes too, since a lane keeps one
// connection busy and no more. Those that are likely to want the same rows stay
// together, in the order of their arrival: neighbouring seats are in one lane, the
// places of an area, and all who ask for the best seats. What meets in two lanes all
// the same is kept apart by the rows' locks, as between two processes.
func (e *Engine) laneOf(r *request) *lane {
	part := uint64(r.key.account)
	switch {
	case r.best():
		part = 0
	case r.take != nil && len(r.take.Places) > 0:
		part = uint64(r.take.Places[0].Counter)
	case r.take != nil && len(r.take.Seats) > 0:
		part = uint64(r.take.Seats[0] / laneSeats)
	}
	// Multiplicative hashes: numbers that follow each other go to different lanes.
	first, which := uint64(r.key.event)*0x9E3779B97F4A7C15>>32, part*0xD1B54A32D192ED03>>32
	return &e.lanes[(first+which%eventLanes)%laneCount]
}

// do queues a request and waits for its end.
func (l *lane) do(ctx context.Context, r *request) (Answer, error) {
	if err := l.submit(r); err != nil {
		return Answer{}, err
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	err := error(problem.Overloaded)
	select {
	case <-r.done:
		return r.answer, r.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-wait.C:
	}
	if r.phase.CompareAndSwap(waiting, abandoned) {
		return Answer{}, err
	}
	// It is being decided, and a decision is not given up half-way.
	wait.Reset(patience)
	select {
	case <-r.done:
		return r.answer, r.err
	case <-wait.C:
		return Answer{}, problem.OutcomeUnknown
	}
}

// submit refuses before any work is done: a full queue, a wait that would be too
// long, a key that is being worked on.
func (l *lane) submit(r *request) error {
	if !l.e.flight.enter(r.key) {
		return ErrInProgress
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	batches := time.Duration(len(l.queue)/maxBatch + 1)
	if len(l.queue) >= l.e.cfg.QueueLimit || l.busy && batches*l.average > l.e.cfg.QueueWait {
		l.e.flight.leave(r.key)
		return problem.Overloaded
	}
	l.queue = append(l.queue, r)
	if !l.busy {
		l.busy = true
		go l.run()
	}
	return nil
}

func (l *lane) run() {
	for {
		batch := l.next()
		if batch == nil {
			return
		}
		begin := time.Now()
		skipped := l.e.settle(batch, hold.Skip)
		l.finish(skipped, time.Since(begin))
		if len(skipped) == len(batch) {
			// Another process has everything these need. Asking again at once would use up
			// their turns while its COMMIT is still being written.
			time.Sleep(rand.N(skipPause << skipped[0].skips))
		}
	}
}

// next takes the head of the queue, in order, leaving what is over the bounds of a
// batch where it stands. nil: the lane is idle.
func (l *lane) next() []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	type buyer struct{ event, account int64 }
	var (
		batch, rest []*request
		seats, best int
		of          = make(map[buyer]int)
	)
	for i, r := range l.queue {
		if len(batch) == maxBatch || len(batch) > 0 && seats+r.seats() > maxBatchSeats {
			rest = append(rest, l.queue[i:]...)
			break
		}
		b := buyer{r.key.event, r.key.account}
		if of[b] == maxSameAccount || r.best() && best == maxBest {
			rest = append(rest, r)
			continue
		}
		if !r.phase.CompareAndSwap(waiting, running) {
			l.e.flight.leave(r.key) // abandoned
			continue
		}
		of[b]++
		seats += r.seats()
		if r.best() {
			best++
		}
		batch = append(batch, r)
		l.e.metrics.laneWait.Observe(time.Since(r.queued).Seconds())
	}
	l.queue = rest
	if batch == nil {
		l.busy = false
	}
	return batch
}

// finish puts the requests that were skipped first in line for the next batch.
func (l *lane) finish(skipped []*request, took time.Duration) {
	var again []*request
	for _, r := range skipped {
		if !r.postponed {
			if r.skips++; r.skips > maxSkips {
				go l.e.slowly(r)
				continue
			}
		}
		r.postponed = false
		r.phase.Store(waiting)
		again = append(again, r)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(again, l.queue...)
	l.average += time.Duration(averageWeight * float64(took-l.average))
}

// slowly runs a request alone and lets it wait for its locks: the other process's
// batches would have been over by now, so whoever holds them is slow.
func (e *Engine) slowly(r *request) {
	e.slow <- struct{}{}
	defer func() { <-e.slow }()
	for range maxSkips {
		if again := e.settle([]*request{r}, hold.Block); len(again) == 0 {
			return
		}
	}
	// Only a choice among the best seats comes back here: each was taken while it was
	// looked at.
	e.end(r, Answer{}, problem.Busy)
}

// end gives a request its answer.
func (e *Engine) end(r *request, a Answer, err error) {
	r.answer, r.err = a, err
	e.flight.leave(r.key)
	close(r.done)
}
