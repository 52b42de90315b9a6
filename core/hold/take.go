package hold

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/money"
)

// Take decides a request on the rows of the World: all places, or what can be had
// if the request accepts fewer, or none. replaced is the hold that was given up for
// it, nil if the request named none.
//
// The hold that is replaced is released first and in memory, so its own places
// neither block the new one nor count twice; a refusal brings it back whole.
func (w *World) Take(r Request) (taken, replaced *Hold, err error) {
	err = w.attempt(func() error {
		ev, acc := w.events[r.EventID], w.accounts[accountKey{r.EventID, r.AccountID}]
		if ev == nil || acc == nil {
			return fmt.Errorf("event %d or account %d is not locked", r.EventID, r.AccountID)
		}
		if err := ev.opensTo(acc, w.Now); err != nil {
			return err
		}
		first := w.Now
		if r.Replace != uuid.Nil {
			if replaced, err = w.Release(r.EventID, r.AccountID, r.Replace); err != nil {
				return err
			}
			first = replaced.FirstHeldAt
		}
		room := ev.MaxPerAccount - acc.Sold - acc.Live
		if n := r.count(); n > room && (!r.Fewer || room <= 0) {
			return ErrLimit.With("limit", ev.MaxPerAccount).With("held", acc.Live).With("sold", acc.Sold).With("requested", n)
		}
		if r.Seats, r.Places, err = w.had(r, ev, room); err != nil {
			return err
		}
		if err := w.leavesNobodyAlone(r, ev); err != nil {
			return err
		}
		if r.Replace == uuid.Nil {
			if err := w.spend(ev, acc); err != nil {
				return err
			}
		}
		taken, err = w.place(r, ev, acc, first)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return taken, replaced, nil
}

// place gives the places, which are free, to a new hold.
func (w *World) place(r Request, ev *Event, acc *Account, first time.Time) (*Hold, error) {
	h := &Hold{
		EventID: r.EventID, ID: r.ID, AccountID: r.AccountID, State: Active, CreatedAt: w.Now,
		FirstHeldAt: first, HeldUntil: ev.endOf(w.Now, first), Currency: ev.Currency,
	}
	total := money.Of(0, ev.Currency)
	n := 0
	add := func(l *Line, class string) error {
		l.N, l.State, l.HeldUntil = int16(len(h.Lines)+1), LineHeld, h.HeldUntil
		l.Price = w.prices[priceKey{r.EventID, class}]
		if l.Counter != 0 {
			c := w.counters[counterKey{r.EventID, l.Counter}]
			w.touchCounter(c)
			c.Held += l.Qty
		}
		sum, err := money.Of(l.Price, ev.Currency).Times(int64(l.Qty))
		if err == nil {
			total, err = total.Add(sum)
		}
		if err != nil {
			return fmt.Errorf("price of hold %s: %w", h.ID, err)
		}
		n += l.Qty
		h.Lines = append(h.Lines, l)
		return nil
	}
	for _, id := range slices.Sorted(slices.Values(r.Seats)) {
		s := w.seats[seatKey{r.EventID, id}]
		w.takeSeat(s, h.ID, SeatHeld, h.HeldUntil)
		if err := add(&Line{Seat: id, Counter: s.Counter, Version: s.Version, Qty: 1}, s.Class); err != nil {
			return nil, err
		}
	}
	for _, p := range r.Places {
		c := w.counters[counterKey{r.EventID, p.Counter}]
		l := &Line{Counter: p.Counter, Qty: p.Quantity}
		class, _ := w.classOf(c, p.Class)
		if class != c.Class {
			l.Class = class
		}
		if err := add(l, class); err != nil {
			return nil, err
		}
	}
	h.Amount = total.Minor
	w.touchAccount(acc)
	acc.Live += n
	acc.Used = true
	w.create(h)
	return h, nil
}

// takeSeat moves a free seat to a hold under a new version, which shuts out
// whoever had it before. The line of a hold that had ended stays as it is: its time
// ended it, and the seat's version says so too.
func (w *World) takeSeat(s *Seat, to uuid.UUID, state string, until time.Time) {
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
