package hold

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/problem"
)

// Release gives a live hold back at its owner's wish. Another account's hold is
// not found, like one that never was.
func (w *World) Release(event, account int64, id uuid.UUID) (*Hold, error) {
	h, err := w.own(event, account, id)
	if err != nil {
		return nil, err
	}
	return h, w.attempt(func() error { return w.GiveBack(h) })
}

// own finds an account's active hold, or says why there is none.
func (w *World) own(event, account int64, id uuid.UUID) (*Hold, error) {
	h := w.holds[holdKey{event, id}]
	if h == nil || h.AccountID != account {
		return nil, problem.NotFound.Say("You have no such hold.")
	}
	switch h.StateAt(w.Now) {
	case Expired:
		return nil, ErrHoldExpired
	case Released:
		return nil, ErrReleased
	case Sold:
		return nil, ErrHoldSold
	}
	return h, nil
}

// GiveBack returns lines of a hold, held or sold, to inventory: those with the
// given numbers, or all. Lines that were returned already are left alone, so each
// comes back once. A hold with nothing left is Released.
//
// The rows of the hold's account, counters and seats must be in the World.
func (w *World) GiveBack(h *Hold, lines ...int16) error {
	left := false
	for _, l := range h.Lines {
		if !contains(lines, l.N) {
			left = left || l.State != LineNone
			continue
		}
		if err := w.giveBackLine(h, l); err != nil {
			return err
		}
	}
	if !left && h.State != Released {
		w.touchHold(h)
		h.State = Released
	}
	return nil
}

func contains(lines []int16, n int16) bool {
	for _, l := range lines {
		if l == n {
			return true
		}
	}
	return len(lines) == 0
}

func (w *World) giveBackLine(h *Hold, l *Line) error {
	acc := w.accounts[accountKey{h.EventID, h.AccountID}]
	if acc == nil {
		return fmt.Errorf("account %d is not locked", h.AccountID)
	}
	if l.Counter != 0 && l.State != LineNone {
		c := w.counters[counterKey{h.EventID, l.Counter}]
		if c == nil {
			return fmt.Errorf("counter %d is not locked", l.Counter)
		}
		w.touchCounter(c)
		if l.State == LineSold {
			c.Sold -= l.Qty
		} else {
			c.Held -= l.Qty
		}
		// A place that comes back while the limit is exceeded is not for sale: the
		// excess shrinks by it and never grows again.
		c.Excess = max(0, c.Excess-l.Qty)
	}
	if l.Seat != 0 {
		s := w.seats[seatKey{h.EventID, l.Seat}]
		if s == nil {
			return fmt.Errorf("seat %d is not locked", l.Seat)
		}
		if s.ownedBy(h, l) {
			w.touchSeat(s)
			s.State, s.HoldID, s.HeldUntil = SeatAvailable, uuid.Nil, noTime
		}
	}
	w.touchAccount(acc)
	switch {
	case l.State == LineSold:
		acc.Sold -= l.Qty
	case l.State == LineHeld && l.HeldUntil.After(w.Now):
		acc.Live -= l.Qty
	}
	if l.State != LineNone {
		w.touchLine(l)
		l.State = LineNone
	}
	return nil
}

// ownedBy: the seat is held by or sold to exactly this line.
func (s *Seat) ownedBy(h *Hold, l *Line) bool {
	return (s.State == SeatHeld || s.State == SeatSold) && s.HoldID == h.ID && s.Version == l.Version
}
