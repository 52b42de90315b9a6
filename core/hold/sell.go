package hold

import (
	"fmt"
	"time"
)

var noTime time.Time

// Alive: every line is held and its time is not over, and every seat carries this
// hold and version. At equality of the times it is over.
func (w *World) Alive(h *Hold) bool {
	if h.StateAt(w.Now) != Active {
		return false
	}
	for _, l := range h.Lines {
		if l.State != LineHeld || !l.HeldUntil.After(w.Now) {
			return false
		}
		if l.Seat != 0 {
			s := w.seats[seatKey{h.EventID, l.Seat}]
			if s == nil || s.State != SeatHeld || !s.ownedBy(h, l) || !s.HeldUntil.After(w.Now) {
				return false
			}
		}
	}
	return true
}

// Sell turns a live hold into a sale: lines 1 -> 2.
func (w *World) Sell(h *Hold) error {
	if !w.Alive(h) {
		return ErrHoldExpired
	}
	return w.attempt(func() error {
		for _, l := range h.Lines {
			if l.Counter != 0 {
				c := w.counters[counterKey{h.EventID, l.Counter}]
				if c == nil {
					return fmt.Errorf("counter %d is not locked", l.Counter)
				}
				w.touchCounter(c)
				c.Held -= l.Qty
				c.Sold += l.Qty
			}
			if l.Seat != 0 {
				s := w.seats[seatKey{h.EventID, l.Seat}]
				w.touchSeat(s)
				s.State, s.HeldUntil = SeatSold, noTime
			}
		}
		return w.sold(h, true)
	})
}

// Retake takes the places of a hold that ended by time alone once more and sells
// them, at the price of the hold: lines 0 -> 2. It refuses, and changes nothing,
// unless every place is free now and the account's limit has room for them.
func (w *World) Retake(h *Hold) error {
	switch h.StateAt(w.Now) {
	case Released:
		return ErrReleased
	case Sold:
		return ErrHoldSold
	}
	if w.Alive(h) {
		return fmt.Errorf("hold %s is alive: sell it", h.ID)
	}
	ev, acc := w.events[h.EventID], w.accounts[accountKey{h.EventID, h.AccountID}]
	if ev == nil || acc == nil {
		return fmt.Errorf("event %d or account %d is not locked", h.EventID, h.AccountID)
	}
	n := 0
	for _, l := range h.Lines {
		n += l.Qty
	}
	if acc.Sold+acc.Live+n > ev.MaxPerAccount {
		return ErrLimit.With("limit", ev.MaxPerAccount)
	}
	return w.attempt(func() error {
		for _, l := range h.Lines {
			if err := w.retakeLine(h, l); err != nil {
				return err
			}
		}
		return w.sold(h, false)
	})
}

func (w *World) retakeLine(h *Hold, l *Line) error {
	if l.State == LineSold {
		return fmt.Errorf("line %d of hold %s is sold", l.N, h.ID)
	}
	if l.Counter != 0 {
		c := w.counters[counterKey{h.EventID, l.Counter}]
		if c == nil || l.State != LineNone { // due lines of a locked counter have been reclaimed
			return fmt.Errorf("line %d of hold %s: its counter was not reclaimed", l.N, h.ID)
		}
		if c.Available() < l.Qty {
			return ErrNotEnough
		}
		w.touchCounter(c)
		c.Sold += l.Qty
	}
	if l.Seat != 0 {
		s := w.seats[seatKey{h.EventID, l.Seat}]
		if s == nil {
			return fmt.Errorf("seat %d is not locked", l.Seat)
		}
		if !s.freeAt(w.Now) {
			return ErrSeatTaken
		}
		w.takeSeat(s, h.ID, SeatSold, noTime)
		w.touchLine(l)
		l.Version = s.Version
	}
	return nil
}

// sold finishes a sale: lines, account, hold. live: the lines counted as held.
func (w *World) sold(h *Hold, live bool) error {
	acc := w.accounts[accountKey{h.EventID, h.AccountID}]
	if acc == nil {
		return fmt.Errorf("account %d is not locked", h.AccountID)
	}
	w.touchAccount(acc)
	w.earn(w.events[h.EventID], acc)
	for _, l := range h.Lines {
		w.touchLine(l)
		l.State = LineSold
		acc.Sold += l.Qty
		if live {
			acc.Live -= l.Qty
		}
	}
	w.touchHold(h)
	h.State = Sold
	return nil
}
