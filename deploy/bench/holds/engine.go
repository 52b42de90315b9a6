package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/hold"
)

// inProcess asks the engine directly.
func inProcess(ctx context.Context, e *booking.Engine, w wish) shooter {
	return func(n int64) (verdict, error) {
		slug, seats, places := w(n)
		r := booking.HoldRequest{}
		if places > 0 {
			r.Places = []hold.Place{{Counter: 1, Quantity: places}}
		} else {
			r.Seats = seats[:]
		}
		_, err := e.Hold(ctx, booking.Command{EventSlug: slug, AccountID: 1 + int64(scatter(n)%buyers), Route: "POST /v1/events/{event}/holds",
			Key: strconv.FormatInt(n, 10), BodyHash: [32]byte{1}}, r)
		switch {
		case err == nil:
			return committed, nil
		case errors.Is(err, hold.ErrSeatTaken), errors.Is(err, hold.ErrNotEnough), errors.Is(err, hold.ErrLimit):
			return refused, nil
		}
		return failed, err
	}
}

func times(n int, s shooter) []shooter {
	all := make([]shooter, n)
	for i := range all {
		all[i] = s
	}
	return all
}
