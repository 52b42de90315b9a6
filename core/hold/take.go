package hold

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/money"
)

// SeatConflict is a seat of a refused request, and what it is.
type SeatConflict struct {
	Seat  int32  `json:"seat"`
	State string `json:"state"`
}

// CounterConflict is an area or class of a refused request.
type CounterConflict struct {
	ID        int64 `json:"id"`
	Requested int   `json:"requested"`
	Available int   `json:"available"`
}

// Take decides a request on the rows of the World: all places or none. replaced
// is the hold that was given up for it, nil if the request named none.
//
// The hold that is replaced is released first and in memory, so its own places
// neither block the new one nor count twice; a refusal brings it back whole.
func (w *World) Take(r Request) (taken, replaced *Hold, err error) {
	err = w.attempt(func() error {
		ev, acc := w.events[r.EventID], w.accounts[accountKey{r.EventID, r.AccountID}]
		if ev == nil || acc == nil {
			return fmt.Errorf("event %d or account %d is not locked", r.EventID, r.AccountID)
		}
		if err := ev.OnSale(w.Now); err != nil {
			return err
		}
		first := w.Now
		if r.Replace != uuid.Nil {
			if replaced, err = w.Release(r.EventID, r.AccountID, r.Replace); err != nil {
				return err
			}
			first = replaced.FirstHeldAt
		}
		if n := r.count(); acc.Sold+acc.Live+n > ev.MaxPerAccount {
			return ErrLimit.With("limit", ev.MaxPerAccount).With("held", acc.Live).With("sold", acc.Sold).With("requested", n)
		}
		if err := w.free(r); err != nil {
			return err
		}
		taken, err = w.place(r, ev, acc, first)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return taken, replaced, nil
}

// free tells whether every place can be had now, and names all that cannot.
func (w *World) free(r Request) error {
	var taken []SeatConflict
	for _, id := range r.Seats {
		k := seatKey{r.EventID, id}
		s := w.seats[k]
		if s == nil {
			if w.unknown[k] {
				return ErrInvalidSeat.With("seat", id)
			}
			return fmt.Errorf("seat %d is not locked", id)
		}
		if _, priced := w.prices[priceKey{r.EventID, s.Class}]; !priced {
			taken = append(taken, SeatConflict{id, SeatBlocked})
		} else if !s.freeAt(w.Now) {
			taken = append(taken, SeatConflict{id, s.State})
		}
	}
	short, err := w.short(r)
	if err != nil {
		return err
	}
	switch {
	case len(taken) > 0 && len(short) > 0:
		return ErrSeatTaken.With("seats", taken).With("counters", short)
	case len(taken) > 0:
		return ErrSeatTaken.With("seats", taken)
	case len(short) > 0:
		return ErrNotEnough.With("counters", short)
	}
	return nil
}

// short names the counters that have too little for the request. Ticket types that
// share a counter are added up first: each alone would fit.
func (w *World) short(r Request) (short []CounterConflict, err error) {
	for i, p := range r.Places {
		c := w.counters[counterKey{r.EventID, p.Counter}]
		if c == nil {
			return nil, ErrInvalidArea.With("counter", p.Counter)
		}
		class, ok := w.classOf(c, p.Class)
		if !ok {
			return nil, ErrInvalidType.With("counter", p.Counter).With("class", p.Class)
		}
		if _, priced := w.prices[priceKey{r.EventID, class}]; !priced {
			return nil, ErrInvalidArea.Say("%s is not for sale.", c.Name).With("counter", p.Counter)
		}
		want, counted := 0, false
		for j, other := range r.Places {
			if other.Counter == p.Counter {
				want += other.Quantity
				counted = counted || j < i
			}
		}
		if !counted && c.Available() < want {
			short = append(short, CounterConflict{p.Counter, want, max(0, c.Available())})
		}
	}
	return short, nil
}

// classOf is the price class of places taken as a type; "" is the counter's own.
func (w *World) classOf(c *Counter, asked string) (class string, ok bool) {
	if asked == "" || asked == c.Class {
		return c.Class, true
	}
	return asked, slices.Contains(w.types[counterKey{c.EventID, c.ID}], asked)
}

// place gives the places, which are free, to a new hold.
func (w *World) place(r Request, ev *Event, acc *Account, first time.Time) (*Hold, error) {
	h := &Hold{
		EventID: r.EventID, ID: r.ID, AccountID: r.AccountID, State: Active, CreatedAt: w.Now,
		FirstHeldAt: first, HeldUntil: ev.endOf(w.Now, first), Currency: ev.Currency,
	}
	total := money.Of(0, ev.Currency)
	add := func(l *Line, class string) error {
		l.N, l.State, l.HeldUntil = int16(len(h.Lines)+1), LineHeld, h.HeldUntil
		l.Price = w.prices[priceKey{r.EventID, class}]
		sum, err := money.Of(l.Price, ev.Currency).Times(int64(l.Qty))
		if err == nil {
			total, err = total.Add(sum)
		}
		h.Lines = append(h.Lines, l)
		return err
	}
	for _, id := range slices.Sorted(slices.Values(r.Seats)) {
		s := w.seats[seatKey{r.EventID, id}]
		w.takeSeat(s, h.ID, SeatHeld, h.HeldUntil)
		if err := add(&Line{Seat: id, Version: s.Version, Qty: 1}, s.Class); err != nil {
			return nil, fmt.Errorf("price of hold %s: %w", h.ID, err)
		}
	}
	for _, p := range r.Places {
		c := w.counters[counterKey{r.EventID, p.Counter}]
		w.touchCounter(c)
		c.Held += p.Quantity
		l := &Line{Counter: p.Counter, Qty: p.Quantity}
		class, _ := w.classOf(c, p.Class)
		if class != c.Class {
			l.Class = class
		}
		if err := add(l, class); err != nil {
			return nil, fmt.Errorf("price of hold %s: %w", h.ID, err)
		}
	}
	h.Amount = total.Minor
	w.touchAccount(acc)
	acc.Live += r.count()
	w.create(h)
	return h, nil
}

// takeSeat moves a free seat to a hold under a new version, which shuts out
// whoever had it before.
func (w *World) takeSeat(s *Seat, to uuid.UUID, state string, until time.Time) {
	if s.State == SeatHeld && s.HoldID != to {
		w.overtake(seatKey{s.EventID, s.ID}, s.HoldID)
	}
	w.touchSeat(s)
	s.State, s.HoldID, s.HeldUntil = state, to, until
	s.Version++
}

// endOf is when a hold taken now ends: after the event's time, and never beyond
// the cap on what was first held then.
func (e *Event) endOf(now, first time.Time) time.Time {
	end := now.Add(e.TTL)
	if last := first.Add(max(e.Cap, e.TTL)); end.After(last) {
		return last
	}
	return end
}
