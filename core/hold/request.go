package hold

import (
	"slices"

	"github.com/google/uuid"
)

// MaxPlaces bounds one request before a single row is read. An event's own limit
// per account is lower.
const MaxPlaces = 64

// Place is a quantity of an area or a fare class. Class is the ticket type it is
// taken as, "" for the counter's own: types have prices of their own and share the
// counter's capacity.
type Place struct {
	Counter  int64  `json:"counter"`
	Quantity int    `json:"quantity"`
	Class    string `json:"class,omitempty"`
}

// Best asks for seats without naming them: side by side, in the best row that has
// them, leaving nobody's neighbour alone.
type Best struct {
	Quantity int    `json:"quantity"`
	Class    string `json:"class"` // price class; "" is any
	Apart    bool   `json:"apart"` // seats need not be side by side
}

// Request asks for places, all or nothing.
type Request struct {
	EventID   int64
	AccountID int64
	ID        uuid.UUID // of the new hold
	Seats     []int32
	Places    []Place
	Replace   uuid.UUID // a live hold of the same account to give up in the same moment; Nil: none

	// Fewer accepts what can be had of it, at least one place.
	Fewer bool
	// Accessible: for somebody who needs an accessible seat. Only with it are seats
	// given that are kept for them, and their companions'.
	Accessible bool
	// Best, if not nil, stands for seats that are chosen before Take is called: see
	// Floor.Pick. Seats is then the choice.
	Best *Best
}

// Check refuses what needs no database, and is the bound on everything after it.
func (r Request) Check() error {
	total := len(r.Seats)
	if total > MaxPlaces || len(r.Places) > MaxPlaces {
		return ErrLimit.With("limit", MaxPlaces)
	}
	if total == 0 && len(r.Places) == 0 && r.Best == nil {
		return ErrInvalidHold.Say("Name at least one seat or place.")
	}
	if b := r.Best; b != nil {
		switch {
		case total > 0:
			return ErrInvalidHold.Say("Name seats, or ask for the best available ones, not both.")
		case b.Quantity <= 0:
			return ErrInvalidHold.Say("The best available seats need a quantity of at least 1.")
		case b.Quantity > MaxPlaces:
			return ErrLimit.With("limit", MaxPlaces)
		}
		total = b.Quantity
	}
	seats := slices.Sorted(slices.Values(r.Seats))
	for i, s := range seats {
		if s <= 0 {
			return ErrInvalidSeat.With("seat", s)
		}
		if i > 0 && seats[i-1] == s {
			return ErrInvalidHold.Say("Seat %d is named twice.", s)
		}
	}
	return r.checkPlaces(total)
}

func (r Request) checkPlaces(total int) error {
	type kind struct {
		counter int64
		class   string
	}
	seen := make(map[kind]bool, len(r.Places))
	for _, p := range r.Places {
		k := kind{p.Counter, p.Class}
		switch {
		case p.Quantity <= 0 || p.Counter <= 0:
			return ErrInvalidHold.Say("A place needs a counter and a quantity of at least 1.")
		case seen[k]:
			return ErrInvalidHold.Say("Counter %d is named twice.", p.Counter)
		case p.Quantity > MaxPlaces:
			return ErrLimit.With("limit", MaxPlaces)
		}
		seen[k] = true
		if total += p.Quantity; total > MaxPlaces {
			return ErrLimit.With("limit", MaxPlaces)
		}
	}
	return nil
}

// count is the number of places asked for.
func (r Request) count() int {
	n := len(r.Seats)
	if r.Best != nil {
		n = r.Best.Quantity
	}
	for _, p := range r.Places {
		n += p.Quantity
	}
	return n
}
