package booking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// errNoEffect rolls back a batch in which nothing happened: all its requests were
// refused or skipped.
var errNoEffect = errors.New("nothing to commit")

// decision is one try of a batch: many requests, one transaction, a dozen
// statements however many there are. The order of its steps is the lock order.
type decision struct {
	e     *Engine
	batch []*request
	wait  hold.Wait
	out   map[*request]outcome

	world *hold.World
	fresh []*request                // whose key is new: these are decided
	asked map[*request]hold.Request // what is taken for them: with the seats chosen, where the best were asked for
	best  *choosing

	begun    []hold.AccountRef // accounts whose first row this try may write
	replayed bool              // some were answered from their stored rows, and have written there
	done     []*request        // with an effect
	holds    map[*request]*hold.Hold
	ended    []endedHold
}

// endedHold is a hold that its owner released or replaced.
type endedHold struct {
	EventID int64
	HoldID  uuid.UUID
}

// reset makes it ready to run from nothing.
func (d *decision) reset() {
	*d = decision{e: d.e, batch: d.batch, wait: d.wait, out: make(map[*request]outcome, len(d.batch))}
}

func (d *decision) run(ctx context.Context, tx pgx.Tx) error {
	events, err := hold.LockEvents(ctx, tx, d.eventIDs(d.batch))
	if err != nil {
		return err
	}
	scope := hold.NewScope()
	scope.Labels(&d.e.labels)
	if err := d.choose(ctx, tx, events, scope); err != nil {
		return err
	}
	for _, r := range d.batch {
		if r.take != nil {
			scope.Request(d.asked[r])
		} else {
			scope.Release(r.key.event, r.key.account, r.ofHold())
		}
	}
	if d.world, err = hold.Load(ctx, tx, events, scope, d.wait); err != nil {
		return err
	}
	d.letOneBegin()
	if err := d.readKeys(ctx, tx); err != nil {
		return err
	}
	if err := d.decide(ctx, tx); err != nil {
		return err
	}
	changed, err := d.world.Write(ctx, tx)
	if err != nil {
		return err
	}
	// An order without its places waits for nothing: it ends with its hold. Order rows
	// stand here in the lock order, after the seats and before the event's version.
	if err := d.e.ordersOfEndedHolds(ctx, tx, d.ended, d.world.Now); err != nil {
		return err
	}
	versions, err := publish(ctx, tx, changed)
	if err != nil {
		return err
	}
	return d.answer(ctx, tx, versions)
}

func (d *decision) eventIDs(rs []*request) []int64 {
	ids := make([]int64, len(rs))
	for i, r := range rs {
		ids[i] = r.key.event
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// decide runs the rules in the order of arrival, each request on what those before
// it have left. The rows are locked meanwhile, so what is not decided within
// maxPlanning keeps its turn for the next batch.
func (d *decision) decide(ctx context.Context, tx pgx.Tx) error {
	d.holds = make(map[*request]*hold.Hold, len(d.fresh))
	begin := time.Now()
	for i, r := range d.fresh {
		if r.postponed = i > 0 && time.Since(begin) > maxPlanning; r.postponed {
			continue
		}
		if r.take != nil && r.take.Best != nil {
			if err := d.settleChoice(ctx, tx, r); err != nil {
				return err
			}
		}
		h, old, err := d.one(r)
		if err != nil {
			d.out[r] = outcome{err: err}
			continue
		}
		if h == nil {
			continue // skipped
		}
		d.holds[r] = h
		d.done = append(d.done, r)
		if old != nil {
			d.ended = append(d.ended, endedHold{old.EventID, old.ID})
		}
	}
	return d.proveRefusals(ctx, tx)
}

// one decides one request. No hold and no error: a row it needs was not got.
func (d *decision) one(r *request) (h, ended *hold.Hold, err error) {
	switch {
	case r.take == nil && !d.world.ReadyToRelease(r.key.event, r.key.account, r.ofHold()):
		return nil, nil, nil
	case r.extend != uuid.Nil:
		h, err = d.world.ExtendByOwner(r.key.event, r.key.account, r.extend)
		return h, nil, err
	case r.take == nil:
		h, err = d.world.Release(r.key.event, r.key.account, r.release)
		return h, h, err
	}
	q := d.asked[r]
	if q.Best != nil && len(q.Seats) == 0 {
		if err := d.world.AllowsBest(q, d.best.floors[q.EventID]); err != nil {
			return nil, nil, err
		}
		if d.mayBeLeft(r) {
			return nil, nil, nil
		}
		return nil, nil, noneLeft(q)
	}
	if !d.world.Ready(q) || q.Best != nil && !d.world.Free(q) {
		return nil, nil, nil // whoever did not name a seat is not refused for one
	}
	return d.world.Take(q)
}

// answer stores the keys of those who got something, with their answers. A request
// that had no effect leaves no key and may be decided anew.
func (d *decision) answer(ctx context.Context, tx pgx.Tx, versions map[int64]int64) error {
	if err := d.tellVersions(ctx, tx, versions); err != nil {
		return err
	}
	keys, today := pg.NewCopy(len(d.done)*copiedKey), slotOf(d.world.Now, 0)
	for _, r := range d.done {
		h := d.holds[r]
		status := http.StatusCreated
		if r.take == nil {
			status = http.StatusOK
		}
		view := viewHold(d.world, h, versions[h.EventID])
		body := view.appendJSON(make([]byte, 0, answerSize))
		d.out[r] = outcome{answer: &Answer{Status: status, Body: body}}
		keys.Row(7).Int16(today).Int64(r.row.event).Int64(r.row.account).UUID(r.row.id).Bytes(r.print).Int16(int16(status)).Bytes(body)
	}
	switch {
	case len(d.done) > 0:
		if err := keys.Send(ctx, tx, sqlCopyKeys); err != nil {
			return fmt.Errorf("store answers: %w", err)
		}
	case !d.replayed && !d.world.Reclaimed:
		return errNoEffect
	}
	return nil
}

// tellVersions adds the map's version to every conflict: it tells a client whether
// its picture is older than the refusal.
func (d *decision) tellVersions(ctx context.Context, tx pgx.Tx, versions map[int64]int64) error {
	var need []*request
	for r, o := range d.out {
		if hold.Conflict(o.err) {
			if _, known := versions[r.key.event]; !known {
				need = append(need, r)
			}
		}
	}
	now, err := hold.Versions(ctx, tx, d.eventIDs(need))
	if err != nil {
		return err
	}
	for r, o := range d.out {
		if hold.Conflict(o.err) {
			v, known := versions[r.key.event]
			if !known {
				v = now[r.key.event]
			}
			o.err = problem.As(o.err).With("version", v)
			d.out[r] = o
		}
	}
	return nil
}
