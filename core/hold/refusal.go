package hold

import (
	"net/http"

	"github.com/ropeline/ropeline/core/problem"
)

// What a request can be refused for. The Extra members are set where they are returned.
var (
	ErrInvalidHold  = problem.New(http.StatusUnprocessableEntity, "invalid_hold", "This is not a set of places.")
	ErrInvalidLimit = problem.New(http.StatusUnprocessableEntity, "invalid_limit", "This is not a limit.")
	ErrInvalidSeat  = problem.New(http.StatusUnprocessableEntity, "invalid_seat", "This event has no such seat.")
	ErrInvalidType  = problem.New(http.StatusUnprocessableEntity, "invalid_class", "These places are not sold as that.")
	ErrInvalidArea  = problem.New(http.StatusUnprocessableEntity, "invalid_counter", "This event has no such area or class.")
	ErrLimit        = problem.New(http.StatusUnprocessableEntity, "limit_exceeded", "This is more than one account may have at this event.")
	ErrNotOnSale    = problem.New(http.StatusConflict, "not_on_sale", "This event is not on sale.")
	ErrSeatTaken    = problem.New(http.StatusConflict, "seat_taken", "At least one of these seats has just been taken. Nothing was held.")
	ErrNotEnough    = problem.New(http.StatusConflict, "not_enough_places", "There are not that many places left. Nothing was held.")
	ErrKept         = problem.New(http.StatusConflict, "seat_kept", "These seats are kept for people who need them. Nothing was held.")
	ErrOrphan       = problem.New(http.StatusConflict, "orphan_seat", "This would leave a single seat alone. Nothing was held.")
	ErrBudget       = problem.New(http.StatusTooManyRequests, "hold_budget", "You have held places too often without buying them. Please try again later.")
	ErrNoExtension  = problem.New(http.StatusConflict, "extension_refused", "This hold cannot be extended.")
	ErrHoldExpired  = problem.New(http.StatusGone, "hold_expired", "Your time for these places is over.")
	ErrReleased     = problem.New(http.StatusGone, "hold_released", "These places were given back.")
	ErrHoldSold     = problem.New(http.StatusConflict, "hold_sold", "These places are bought. Cancel the order to give them back.")
)

// Conflict: the refusal is about what others have, so the map's version goes with it.
func Conflict(err error) bool {
	p := problem.As(err)
	if p == nil {
		return false
	}
	switch p.Code {
	case ErrSeatTaken.Code, ErrNotEnough.Code, ErrOrphan.Code, ErrKept.Code:
		return true
	}
	return false
}
