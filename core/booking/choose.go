package booking

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/pg"
)

// maxChoices is how often a request for the best seats may choose again in one batch
// because somebody had the first choice.
const maxChoices = 3

// choosing is a batch's choice of the best available seats: made on the floors, and
// good only when the seats are locked and looked at.
type choosing struct {
	now    time.Time
	floors map[int64]*hold.Floor
	spoken map[int64]map[int32]bool // event -> seats that others of this batch want or nobody can have now
}

func (c *choosing) speak(event int64, seats []int32) {
	m := c.spoken[event]
	if m == nil {
		m = make(map[int32]bool)
		c.spoken[event] = m
	}
	for _, s := range seats {
		m[s] = true
	}
}

// choose fills in the seats of those who asked for the best ones, and tells the scope
// the plans of events with an orphan rule.
func (d *decision) choose(ctx context.Context, tx pgx.Tx, events map[int64]*hold.Event, scope *hold.Scope) error {
	d.asked = make(map[*request]hold.Request, len(d.batch))
	d.best = &choosing{floors: make(map[int64]*hold.Floor), spoken: make(map[int64]map[int32]bool)}
	for _, r := range d.batch {
		if r.take == nil {
			continue
		}
		d.asked[r] = *r.take
		ev := events[r.key.event]
		if ev == nil || !r.best() && !ev.OrphanRule {
			continue
		}
		floor := d.e.floors.get(ev.ID)
		if floor == nil {
			return surveyFirst{ev.ID}
		}
		if ev.OrphanRule {
			scope.Plan(ev.ID, floor.Plan)
		}
		if r.best() && d.best.floors[ev.ID] == nil {
			if err := listen(ctx, tx, ev.ID, floor); err != nil {
				return err
			}
			d.best.floors[ev.ID] = floor
		}
	}
	if len(d.best.floors) == 0 {
		return nil
	}
	var err error
	if d.best.now, err = pg.Now(ctx, tx); err != nil {
		return err
	}
	for _, r := range d.batch {
		if r.take != nil && !r.best() {
			d.best.speak(r.key.event, r.take.Seats)
		}
	}
	for _, r := range d.batch {
		if ev := events[r.key.event]; r.best() && ev != nil {
			d.pick(r, ev)
		}
	}
	return nil
}

func (d *decision) pick(r *request, ev *hold.Event) {
	q := *r.take
	q.Seats = d.best.floors[ev.ID].Pick(ev, q, d.best.now, d.best.spoken[ev.ID])
	d.best.speak(ev.ID, q.Seats)
	d.asked[r] = q
}

// settleChoice looks at a choice under its locks and makes another where somebody was
// quicker. A seat that somebody else has locked just now is passed over like a taken
// one: there is no need to wait for a seat nobody asked for.
func (d *decision) settleChoice(ctx context.Context, tx pgx.Tx, r *request) error {
	ev := d.world.Event(r.key.event)
	for range maxChoices {
		q := d.asked[r]
		if ev == nil || len(q.Seats) == 0 || d.world.Free(q) {
			return nil
		}
		d.world.Tell(ev.ID, q.Seats, d.best.floors[ev.ID])
		for _, s := range q.Seats {
			if d.world.Free(hold.Request{EventID: ev.ID, Seats: []int32{s}}) {
				delete(d.best.spoken[ev.ID], s) // only its neighbours are gone
			}
		}
		d.pick(r, ev)
		if err := d.world.LockSeats(ctx, tx, d.asked[r]); err != nil {
			return err
		}
	}
	return nil
}

// mayBeLeft: there are seats for the request beside those that are taken for sure, and
// only others' wishes and locks keep it from them. It is not told that there are none.
func (d *decision) mayBeLeft(r *request) bool {
	ev := d.world.Event(r.key.event)
	return ev != nil && d.best.floors[ev.ID].Pick(ev, *r.take, d.best.now, d.world.Taken(ev.ID)) != nil
}

// noneLeft refuses who wants more seats than there are side by side.
func noneLeft(q hold.Request) error {
	p := hold.ErrNotEnough
	if !q.Best.Apart && q.Best.Quantity > 1 && !q.Fewer {
		p = p.Say("There are no %d seats side by side left. Nothing was held.", q.Best.Quantity)
	}
	return p.With("requested", q.Best.Quantity)
}
