package hold

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Changes are what others are told about one event after a transaction: the rows
// of its outbox message.
type Changes struct {
	EventID  int64           `json:"event"`
	Seats    []SeatChange    `json:"seats,omitempty"`
	Counters []CounterChange `json:"counters,omitempty"`
}

// SeatChange is a seat's new state. HeldUntil is set while it is held: expiry is no
// event of its own, whoever draws a map knows each seat's end.
type SeatChange struct {
	Seat      int32      `json:"seat"`
	State     string     `json:"state"`
	HeldUntil *time.Time `json:"held_until,omitempty"`
}

// CounterChange is a counter's new sums.
type CounterChange struct {
	ID        int64 `json:"id"`
	Held      int   `json:"held"`
	Sold      int   `json:"sold"`
	Available int   `json:"available"`
}

// Write brings the tables up to the World with one statement a table, those for rows
// that are there in one round trip, and returns the changes by event. Rows that a refused request touched and
// gave back are not written.
func (w *World) Write(ctx context.Context, tx pgx.Tx) ([]Changes, error) {
	b := new(batch)
	seats, counters := w.changedSeats(), w.changedCounters()
	w.writeSeats(b, w.takeSeats(b, seats))
	w.writeHolds(b)
	w.writeLines(b)
	w.writeCounters(b, counters)
	w.writeAccounts(b)
	if err := b.send(ctx, tx, "write places"); err != nil {
		return nil, err
	}
	if err := w.writeNewAccounts(ctx, tx); err != nil {
		return nil, err
	}
	if err := w.writeCreated(ctx, tx); err != nil {
		return nil, err
	}
	return changes(seats, counters), nil
}

func (w *World) changedSeats() []*Seat {
	var out []*Seat
	for s, was := range w.was.seats {
		if *s != was {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b *Seat) int { return cmp.Or(cmp.Compare(a.EventID, b.EventID), cmp.Compare(a.ID, b.ID)) })
	return out
}

func (w *World) changedCounters() []*Counter {
	var out []*Counter
	for c, was := range w.was.counters {
		if *c != was {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *Counter) int { return cmp.Or(cmp.Compare(a.EventID, b.EventID), cmp.Compare(a.ID, b.ID)) })
	return out
}

// takeSeats writes those that have gone to new holds, and returns the others.
func (w *World) takeSeats(b *batch, seats []*Seat) (rest []*Seat) {
	var (
		events      []int64
		first, last []int32
		holds       [][16]byte
		untils      []time.Time
	)
	for _, s := range seats {
		n := len(events) - 1
		switch {
		case s.State != SeatHeld || s.Version != w.was.seats[s].Version+1:
			rest = append(rest, s)
		case n >= 0 && events[n] == s.EventID && last[n] == s.ID-1 && holds[n] == s.HoldID && untils[n].Equal(s.HeldUntil):
			last[n] = s.ID
		default:
			events, first, last = append(events, s.EventID), append(first, s.ID), append(last, s.ID)
			holds, untils = append(holds, s.HoldID), append(untils, s.HeldUntil)
		}
	}
	if len(events) > 0 {
		b.exec(sqlTakeSeats, events, first, last, holds, untils)
	}
	return rest
}

func (w *World) writeSeats(b *batch, seats []*Seat) {
	if len(seats) == 0 {
		return
	}
	var (
		n        = len(seats)
		events   = make([]int64, n)
		ids      = make([]int32, n)
		states   = make([]string, n)
		holds    = make([][16]byte, n)
		versions = make([]int32, n)
		untils   = make([]time.Time, n)
	)
	for i, s := range seats {
		events[i], ids[i], states[i], holds[i], versions[i], untils[i] = s.EventID, s.ID, s.State, s.HoldID, s.Version, s.HeldUntil
	}
	b.exec(sqlWriteSeats, events, ids, states, holds, versions, untils)
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (w *World) writeHolds(b *batch) {
	var (
		events           []int64
		ids              [][16]byte
		states, extended []int16
		untils           []time.Time
	)
	for h, was := range w.was.holds {
		if h.head() != was {
			events, ids = append(events, h.EventID), append(ids, h.ID)
			states, untils, extended = append(states, int16(h.State)), append(untils, h.HeldUntil), append(extended, h.Extended)
		}
	}
	if len(ids) > 0 {
		b.exec(sqlWriteHolds, events, ids, states, untils, extended)
	}
}

func (w *World) writeLines(b *batch) {
	var (
		events     []int64
		ids        [][16]byte
		ns, states []int16
		versions   []int32
		untils     []time.Time
	)
	for l, was := range w.was.lines {
		if *l != was {
			h := w.owner[l]
			events, ids, ns = append(events, h.EventID), append(ids, h.ID), append(ns, l.N)
			states, versions, untils = append(states, int16(l.State)), append(versions, l.Version), append(untils, l.HeldUntil)
		}
	}
	if len(ids) > 0 {
		b.exec(sqlWriteLines, events, ids, ns, states, versions, untils, w.Now)
	}
}

func (w *World) writeCounters(b *batch, counters []*Counter) {
	var (
		events, ids        []int64
		held, sold, excess []int32
	)
	for _, c := range counters {
		events, ids = append(events, c.EventID), append(ids, c.ID)
		held, sold, excess = append(held, int32(c.Held)), append(sold, int32(c.Sold)), append(excess, int32(c.Excess))
	}
	if len(ids) > 0 {
		b.exec(sqlWriteCounters, events, ids, held, sold, excess)
	}
}

func (w *World) writeAccounts(b *batch) {
	var (
		events, ids   []int64
		sold, budgets []int32
		since         []*time.Time
	)
	for a, was := range w.was.accounts {
		// Live is summed anew under the lock each time, never stored.
		if !a.New && (a.Sold != was.Sold || a.Budget != was.Budget || !a.Since.Equal(was.Since)) {
			events, ids, sold = append(events, a.EventID), append(ids, a.ID), append(sold, int32(a.Sold))
			budgets, since = append(budgets, int32(a.Budget)), append(since, orNull(a.Since))
		}
	}
	if len(ids) > 0 {
		b.exec(sqlWriteAccounts, events, ids, sold, budgets, since)
	}
}

// changes groups what was changed by event.
func changes(seats []*Seat, counters []*Counter) []Changes {
	by := make(map[int64]*Changes)
	of := func(event int64) *Changes {
		c := by[event]
		if c == nil {
			c = &Changes{EventID: event}
			by[event] = c
		}
		return c
	}
	for _, s := range seats {
		c := of(s.EventID)
		c.Seats = append(c.Seats, SeatChange{Seat: s.ID, State: s.State, HeldUntil: orNull(s.HeldUntil)})
	}
	for _, x := range counters {
		c := of(x.EventID)
		c.Counters = append(c.Counters, CounterChange{x.ID, x.Held, x.Sold, x.Available()})
	}
	out := make([]Changes, 0, len(by))
	for _, c := range by {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Changes) int { return cmp.Compare(a.EventID, b.EventID) })
	return out
}
