// Package problem is the one shape of a refusal in the booking core: a code for
// machines, a sentence for people, a cause for operators.
//
// Every package of core returns *Error for what a caller may be told; core/api
// turns it into an RFC 9457 answer in one place. Anything that is not an *Error
// is a fault of ours: people see "internal", the log sees the cause.
package problem

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"
)

// Error is a refusal. Values are immutable once returned: the With methods copy.
type Error struct {
	Code       string         // stable, snake_case: "seat_taken"
	Status     int            // HTTP status
	Detail     string         // a sentence for people
	Extra      map[string]any // members of the answer beside the standard ones
	RetryAfter time.Duration  // > 0: when asking again makes sense
	Err        error          // the cause, for the log only
}

// New returns a refusal with a status, a code and a sentence.
func New(status int, code, detail string) *Error {
	return &Error{Code: code, Status: status, Detail: detail}
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Detail, e.Err)
	}
	return e.Code + ": " + e.Detail
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is compare by code, so that a sentinel still matches after
// With, Because or a different sentence.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// With returns a copy that carries one more member.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Extra = maps.Clone(e.Extra)
	if c.Extra == nil {
		c.Extra = make(map[string]any, 1)
	}
	c.Extra[key] = value
	return &c
}

// Because returns a copy that carries a cause.
func (e *Error) Because(err error) *Error {
	c := *e
	c.Err = err
	return &c
}

// Say returns a copy with another sentence.
func (e *Error) Say(format string, args ...any) *Error {
	c := *e
	c.Detail = fmt.Sprintf(format, args...)
	return &c
}

// As finds the refusal in err's chain. nil: err is a fault, not a refusal.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// The refusals that any part of the core may have to give. The others stand
// beside the code that decides them.
var (
	NotFound = New(http.StatusNotFound, "not_found", "There is nothing here that belongs to you.")

	// Overloaded: refused before any work was done.
	Overloaded = &Error{Status: http.StatusServiceUnavailable, Code: "overloaded", RetryAfter: time.Second,
		Detail: "Too many people are buying at this moment. Nothing was changed; please try again."}

	// Busy: tried, rolled back, nothing was changed.
	Busy = &Error{Status: http.StatusServiceUnavailable, Code: "busy", RetryAfter: time.Second,
		Detail: "This could not be done just now. Nothing was changed; please try again."}

	// OutcomeUnknown: the COMMIT was sent and not answered. Asking again with the
	// same Idempotency-Key tells what happened.
	OutcomeUnknown = &Error{Status: http.StatusServiceUnavailable, Code: "outcome_unknown", RetryAfter: 2 * time.Second,
		Detail: "We do not know yet whether this was done. Repeat the same request with the same Idempotency-Key to find out."}
)
