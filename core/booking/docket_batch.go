package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/outbox"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// docketBatch is one try of a batch of matters. Its steps are in the lock order: events,
// accounts, counters and seats of the holds, orders and attempts, keys of buyers, event
// versions. (Keys come late: one that is there already sends its matter away, under the
// lock of its account; one that the way alone has taken meanwhile breaks the batch up.)
type docketBatch struct {
	e       *Engine
	matters []*matter
	skipped map[*matter]bool

	world    *hold.World
	events   map[int64]*hold.Event
	holds    map[*matter]holdRef
	dossiers map[orderKey]*dossier
	list     []*dossier // in the order of their first matter
	placed   map[holdRef]bool
	of       map[int64]Occasion
	off      error // why nothing can be paid
}

// holdRef is the hold behind a matter.
type holdRef struct {
	event   int64
	id      uuid.UUID
	account int64
}

// try runs the batch's transaction, again after a deadlock.
func (b *docketBatch) try() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	for range docketTries {
		b.reset()
		err = guard(func() error { return b.e.docketDB.Once(ctx, b.run) })
		if err == nil || !pg.IsRetryable(err) {
			break
		}
	}
	b.e.metrics.docketSize.Observe(float64(len(b.matters)))
	if errors.Is(err, errNoEffect) {
		return nil
	}
	return err
}

func (b *docketBatch) reset() {
	*b = docketBatch{e: b.e, matters: b.matters, skipped: map[*matter]bool{}, holds: map[*matter]holdRef{}, dossiers: map[orderKey]*dossier{},
		placed: map[holdRef]bool{}, of: map[int64]Occasion{}}
	for _, m := range b.matters {
		m.err, m.alone, m.answer, m.notes = nil, false, Answer{}, nil
	}
}

func (b *docketBatch) run(ctx context.Context, tx pgx.Tx) (err error) {
	var ids []int64
	for _, m := range b.matters {
		ids = append(ids, m.order.event)
	}
	slices.Sort(ids)
	if b.events, err = hold.LockEvents(ctx, tx, slices.Compact(ids)); err != nil {
		return err
	}
	if err := b.find(ctx, tx); err != nil {
		return err
	}
	scope := hold.NewScope()
	scope.Labels(&b.e.labels)
	for _, h := range b.holds {
		scope.Release(h.event, h.account, h.id)
	}
	if len(b.holds) == 0 {
		return errNoEffect
	}
	if b.world, err = hold.Load(ctx, tx, b.events, scope, hold.Skip); err != nil {
		return err
	}
	for m, h := range b.holds {
		if !b.world.ReadyToRelease(h.event, h.account, h.id) {
			b.skipped[m] = true
			delete(b.holds, m)
		}
	}
	if err := b.open(ctx, tx); err != nil {
		return err
	}
	effect := false
	for _, m := range b.matters {
		if _, here := b.holds[m]; !here {
			continue
		}
		did, err := b.decide(m)
		if err != nil {
			return err
		}
		effect = effect || did
	}
	if !effect && !b.world.Reclaimed {
		return errNoEffect
	}
	return b.write(ctx, tx)
}

// decide lets one matter change its order. An error is a fault, and ends the batch.
func (b *docketBatch) decide(m *matter) (effect bool, err error) {
	d := b.dossiers[m.order]
	if m.place != uuid.Nil {
		d, err = b.newOrder(m)
	} else if d == nil {
		err = problem.NotFound
	} else {
		before := len(d.notes)
		d.touched = false
		if m.pays && b.off != nil && d.order.AccountID == m.command.key.account {
			err = b.off
		} else if err = m.decide(d); err == nil {
			m.notes = append([]note(nil), d.notes[before:]...)
		}
	}
	switch {
	case m.alone:
		return false, nil
	case refusal(err):
		if d != nil && d.touched {
			return false, fmt.Errorf("a refusal after a change: %w", err)
		}
		m.err = err
		return false, nil
	case err != nil:
		return false, err
	}
	if m.command != nil {
		body, err := encode(b.view(d))
		if err != nil {
			return false, err
		}
		m.answer = Answer{Status: m.command.status, Body: body}
	}
	return true, nil
}

// newOrder makes the order of a hold, unless there is one.
func (b *docketBatch) newOrder(m *matter) (*dossier, error) {
	ref := b.holds[m]
	h := b.world.Hold(ref.event, ref.id)
	if h == nil || h.AccountID != m.command.key.account {
		return nil, problem.NotFound.Say("You have no such hold.")
	}
	if b.placed[ref] {
		m.alone = true
		return nil, nil
	}
	d := &dossier{ev: b.events[ref.event], now: b.world.Now, places: &heldPlaces{b.world, h}, isNew: true}
	m.order.id = uuid.New()
	if err := d.placeOrder(m.order, h); err != nil {
		return nil, err
	}
	b.placed[ref] = true
	b.dossiers[m.order] = d
	b.list = append(b.list, d)
	return d, nil
}

// write brings the tables up to what was decided: a handful of statements, however many
// orders. Rare parts of an order have statements of their own.
func (b *docketBatch) write(ctx context.Context, tx pgx.Tx) error {
	changed, err := b.world.Write(ctx, tx)
	if err != nil {
		return err
	}
	rows := newDocketRows(b.world.Now)
	var journals []ledger.Journal
	var told []outbox.Row
	for _, d := range b.list {
		if rows.add(d) {
			told = append(told, d.outboxRow())
		}
		journals = append(journals, d.journals...)
	}
	for _, m := range b.matters {
		if m.letter != nil && m.err == nil && !m.alone && !b.skipped[m] {
			rows.letter(m.letter)
		}
	}
	if err := rows.send(ctx, tx); err != nil {
		return err
	}
	for _, d := range b.list {
		if err := d.writeRest(ctx, tx); err != nil {
			return err
		}
	}
	if _, err := ledger.PostAll(ctx, tx, journals); err != nil {
		return err
	}
	if err := outbox.Append(ctx, tx, told...); err != nil {
		return err
	}
	if err := b.answerAll(ctx, tx); err != nil {
		return err
	}
	_, err = publish(ctx, tx, changed)
	return err
}

var errKeyTaken = errors.New("an Idempotency-Key of the batch was used meanwhile")

// answerAll stores the answers under their keys.
func (b *docketBatch) answerAll(ctx context.Context, tx pgx.Tx) error {
	var k keyArrays
	var statuses []int16
	var bodies [][]byte
	for _, m := range b.matters {
		if m.command == nil || m.answer.Body == nil {
			continue
		}
		k.add(m.command.key.row(), m.command.print)
		statuses, bodies = append(statuses, int16(m.answer.Status)), append(bodies, m.answer.Body)
	}
	if len(statuses) == 0 {
		return nil
	}
	tag, err := tx.Exec(ctx, sqlKeepAnswers, slotOf(b.world.Now, 0), k.events, k.accounts, k.ids, k.prints, statuses, bodies)
	if err != nil {
		return fmt.Errorf("store answers: %w", err)
	}
	if int(tag.RowsAffected()) != len(statuses) {
		return errKeyTaken
	}
	return nil
}
