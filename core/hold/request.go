package hold

import (
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/problem"
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

// Request asks for places, all or nothing.
type Request struct {
	EventID   int64
	AccountID int64
	ID        uuid.UUID // of the new hold
	Seats     []int32
	Places    []Place
	Replace   uuid.UUID // a live hold of the same account to give up in the same moment; Nil: none
}

// What a request can be refused for. The Extra members are set where they are returned.
var (
	ErrInvalidHold = problem.New(http.StatusUnprocessableEntity, "invalid_hold", "This is not a set of places.")
	ErrInvalidSeat = problem.New(http.StatusUnprocessableEntity, "invalid_seat", "This event has no such seat.")
	ErrInvalidType = problem.New(http.StatusUnprocessableEntity, "invalid_class", "These places are not sold as that.")
	ErrInvalidArea = problem.New(http.StatusUnprocessableEntity, "invalid_counter", "This event has no such area or class.")
	ErrLimit       = problem.New(http.StatusUnprocessableEntity, "limit_exceeded", "This is more than one account may have at this event.")
	ErrNotOnSale   = problem.New(http.StatusConflict, "not_on_sale", "This event is not on sale.")
	ErrSeatTaken   = problem.New(http.StatusConflict, "seat_taken", "At least one of these seats has just been taken. Nothing was held.")
	ErrNotEnough   = problem.New(http.StatusConflict, "not_enough_places", "There are not that many places left. Nothing was held.")
	ErrHoldExpired = problem.New(http.StatusGone, "hold_expired", "Your time for these places is over.")
	ErrReleased    = problem.New(http.StatusGone, "hold_released", "These places were given back.")
	ErrHoldSold    = problem.New(http.StatusConflict, "hold_sold", "These places are bought. Cancel the order to give them back.")
)

// Check refuses what needs no database, and is the bound on everything after it.
func (r Request) Check() error {
	total := len(r.Seats)
	if total > MaxPlaces || len(r.Places) > MaxPlaces {
		return ErrLimit.With("limit", MaxPlaces)
	}
	if total == 0 && len(r.Places) == 0 {
		return ErrInvalidHold.Say("Name at least one seat or place.")
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
	for _, p := range r.Places {
		n += p.Quantity
	}
	return n
}

// OnSale is the rule of the sale window.
func (e *Event) OnSale(now time.Time) error {
	reason := ""
	switch {
	case e.State != "on_sale":
		reason = e.State
	case e.OnSaleAt != nil && now.Before(*e.OnSaleAt):
		reason = "not_yet"
	case e.OffSaleAt != nil && !now.Before(*e.OffSaleAt):
		reason = "ended"
	default:
		return nil
	}
	p := ErrNotOnSale.With("reason", reason)
	if reason == "not_yet" {
		p = p.With("on_sale_at", e.OnSaleAt.UTC())
	}
	return p
}
