package hold

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// Survey reads an event's plan and what is free on it. The version is read first:
// changes that come with later versions may be heard again, which does no harm.
func Survey(ctx context.Context, q pg.Querier, event int64) (*Floor, error) {
	v, err := Versions(ctx, q, []int64{event})
	if err != nil {
		return nil, err
	}
	rows, err := q.Query(ctx, sqlPlan, event)
	if err != nil {
		return nil, fmt.Errorf("survey event %d: %w", event, err)
	}
	var (
		s      PlanSeat
		state  string
		until  *time.Time
		seats  []PlanSeat
		states []SeatChange
	)
	_, err = pgx.ForEachRow(rows, []any{&s.ID, &s.Section, &s.Name, &s.Class, &s.Kind, &s.X, &s.Y, &s.Quality, &state, &until}, func() error {
		seats = append(seats, s)
		if state != SeatAvailable {
			end := until
			if end != nil {
				t := *end
				end = &t
			}
			states = append(states, SeatChange{s.ID, state, end})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("survey event %d: %w", event, err)
	}
	f := NewFloor(NewPlan(seats), v[event])
	f.Hear(v[event], states)
	return f, nil
}

// LockSeats locks more seats than Load did, for a choice that was made after it:
// those that nobody else has locked. They may be out of order, since nothing waits.
// The World's clock was read before, so what was taken since then counts as taken.
func (w *World) LockSeats(ctx context.Context, tx pgx.Tx, r Request) error {
	s := NewScope()
	s.plans = w.plans
	s.Request(Request{EventID: r.EventID, Seats: r.Seats, Accessible: r.Accessible})
	for k := range s.seats {
		if w.seats[k] != nil {
			delete(s.seats, k)
		}
	}
	if len(s.seats) == 0 {
		return nil
	}
	b := new(batch)
	events, ids := s.seatArrays()
	w.lockSeats(b, sqlLockSeatsSkip, events, ids)
	return b.send(ctx, tx, "lock more seats")
}

// Free: every seat of the request is in the World and free now.
func (w *World) Free(r Request) bool {
	for _, id := range r.Seats {
		if s := w.seats[seatKey{r.EventID, id}]; s == nil || !s.freeAt(w.Now) {
			return false
		}
	}
	return true
}

// Taken are the seats of an event that are locked and not free.
func (w *World) Taken(event int64) map[int32]bool {
	out := make(map[int32]bool)
	for k, s := range w.seats {
		if k.event == event && !s.freeAt(w.Now) {
			out[k.seat] = true
		}
	}
	return out
}

// Tell corrects a floor's picture of seats that are not as it thought. What this
// transaction has changed itself is not told: it may not be committed.
func (w *World) Tell(event int64, seats []int32, f *Floor) {
	for _, id := range seats {
		s := w.seats[seatKey{event, id}]
		if s == nil {
			continue
		}
		if _, ours := w.was.seats[s]; !ours {
			f.See(id, s.State, orNull(s.HeldUntil))
		}
	}
}
