package booking

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

const (
	// docketCount: one batch is decided while another is written. More make the batches
	// smaller and the planning of their statements dearer, and of one event they wait for
	// one another all the same.
	docketCount = 2
	maxDocket   = 256                  // matters of one batch
	docketTries = 3                    // of a batch that met a deadlock
	docketPause = 3 * time.Millisecond // before matters whose rows others have are looked at again
)

// matter is one decision about one order on its way through a docket. Exactly one of
// decide and place is set.
//
// decide runs in memory, under the order's locks, from nothing each time: it may be
// asked again after a deadlock or alone. A refusal must come before any change.
type matter struct {
	order  orderKey
	decide func(d *dossier) error
	place  uuid.UUID // the hold of which an order is to be made
	letter *letter   // the webhook that is read with it
	pays   bool      // refused while new payments are switched off

	command *command // of a buyer; nil: the loops' own
	answer  Answer
	notes   []note
	err     error

	skips int
	alone bool // must be decided in a transaction of its own
	lost  bool // a COMMIT with it failed, and may have happened all the same
	done  chan struct{}
}

// command is the part of a matter that a buyer waits for.
type command struct {
	key    key
	print  []byte
	status int // of a success
}

// docket decides matters of many orders in one transaction, as a lane does with holds:
// a batch starts when the one before has committed and takes what has come meanwhile.
// Matters that cannot go together with others (a lock somebody else has, an order
// with a rare history, a key that is there already) go alone, through the same decisions.
type docket struct {
	e     *Engine
	mu    sync.Mutex
	queue []*matter
	busy  bool
}

func (e *Engine) docketOf(event int64, order uuid.UUID) *docket {
	// By order, not by event: the rows of two orders of one event seldom meet, and
	// where they do, at a counter, the second waits in the server.
	return &e.dockets[(uint64(event)*31+uint64(order[15]))%docketCount]
}

// settleMatter queues a matter and waits until it is decided. alone: it is not, and
// whoever asked decides it by itself. The wait is bounded by the batch's own time; it
// does not end before, since decide may be at work on the caller's variables.
func (d *docket) settleMatter(m *matter) {
	m.done = make(chan struct{})
	d.mu.Lock()
	d.queue = append(d.queue, m)
	if !d.busy {
		d.busy = true
		go d.run()
	}
	d.mu.Unlock()
	<-m.done
}

func (d *docket) run() {
	for {
		d.mu.Lock()
		n := min(len(d.queue), maxDocket)
		batch := d.queue[:n:n]
		d.queue = d.queue[n:]
		if n == 0 {
			d.busy, d.queue = false, nil
			d.mu.Unlock()
			return
		}
		d.mu.Unlock()
		skipped := d.e.hear(batch)
		if len(skipped) == 0 {
			continue
		}
		d.mu.Lock()
		d.queue = append(skipped, d.queue...)
		d.mu.Unlock()
		if len(skipped) == len(batch) {
			time.Sleep(docketPause)
		}
	}
}

// hear decides a batch and ends its matters but those whose rows others have locked:
// they have their turn again, and then go alone.
func (e *Engine) hear(batch []*matter) (skipped []*matter) {
	b := &docketBatch{e: e, matters: batch}
	err := b.try()
	if err != nil {
		e.metrics.reruns.WithLabelValues("docket").Inc()
		e.log.Debug("a batch of orders is decided one by one", "matters", len(batch), "err", err)
	}
	for _, m := range batch {
		switch {
		case errors.Is(err, pg.ErrCommitSlow):
			m.err = problem.OutcomeUnknown.Because(err) // it may hold its locks still
		case err != nil:
			m.alone, m.lost = true, m.lost || errors.Is(err, pg.ErrCommitUnknown)
		case m.alone, m.err != nil:
		case b.skipped[m]:
			if m.skips++; m.skips <= maxSkips {
				skipped = append(skipped, m)
				continue
			}
			m.alone = true
		}
		close(m.done)
	}
	return skipped
}

// inDossier opens an order, lets decide change it, and writes what changed, together
// with whatever other orders have to be decided at the same moment.
func (e *Engine) inDossier(ctx context.Context, k orderKey, decide func(d *dossier) error) error {
	return e.inDossierWith(ctx, k, decide, nil)
}

// inDossierWith marks a webhook as read in the same transaction.
func (e *Engine) inDossierWith(ctx context.Context, k orderKey, decide func(d *dossier) error, l *letter) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m := &matter{order: k, decide: decide, letter: l}
	e.docketOf(k.event, k.id).settleMatter(m)
	if m.alone {
		return e.inDossierAlone(ctx, k, decide, l)
	}
	if m.err == nil {
		e.logNotes(k, m.notes)
	}
	return m.err
}

// inDocket runs a buyer's command with others. alone: it has to be run by itself.
func (e *Engine) inDocket(ctx context.Context, cmd Command, path []string, m *matter) (a Answer, alone bool, err error) {
	if err := cmd.check(); err != nil {
		return Answer{}, false, err
	}
	eventID, err := e.EventID(ctx, cmd.EventSlug)
	if err != nil {
		return Answer{}, false, err
	}
	m.command.key, m.command.print = key{eventID, cmd.AccountID, cmd.Route, cmd.Key}, cmd.fingerprint(path...)
	m.order.event = eventID
	if !e.flight.enter(m.command.key) {
		return Answer{}, false, ErrInProgress
	}
	id := m.order.id
	if m.place != uuid.Nil {
		id = m.place
	}
	e.docketOf(eventID, id).settleMatter(m)
	e.flight.leave(m.command.key)
	if m.err == nil && !m.alone {
		e.logNotes(m.order, m.notes)
	}
	return m.answer, m.alone, m.err
}

// afterLoss is what a buyer is told of a command that was run alone after a COMMIT with it
// was lost: only its key can say whether that one happened.
func (m *matter) afterLoss(a Answer, err error) (Answer, error) {
	if !m.lost {
		return a, err
	}
	if err != nil && !decided(err) {
		return Answer{}, problem.OutcomeUnknown.Because(err)
	}
	a.Replayed = false
	return a, err
}

// refusal: a rule said no, which ends a matter and nothing else.
func refusal(err error) bool {
	p := problem.As(err)
	return p != nil && !errors.Is(err, problem.Busy) && !errors.Is(err, problem.Overloaded)
}
