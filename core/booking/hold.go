package booking

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
)

// HoldRequest asks for seats and places, all or nothing unless it accepts fewer.
type HoldRequest struct {
	Seats      []int32      `json:"seats"`
	Places     []hold.Place `json:"places"`
	Best       *hold.Best   `json:"best"`         // the best available seats, instead of named ones
	Replace    uuid.UUID    `json:"replace"`      // a live hold of the same account that is given up for this one; Nil: none
	Fewer      bool         `json:"accept_fewer"` // take what can be had of it
	Accessible bool         `json:"accessible"`   // for somebody who needs an accessible seat
}

// ExtendRequest asks for more time.
type ExtendRequest struct {
	Hold uuid.UUID `json:"hold"`
}

// ReleaseRequest gives a hold back.
type ReleaseRequest struct {
	Hold uuid.UUID `json:"hold"`
}

// Hold takes places for the event's hold time. The answer, 201, is a HoldView. A
// waiting order of a replaced hold is cancelled with it.
func (e *Engine) Hold(ctx context.Context, cmd Command, r HoldRequest) (Answer, error) {
	q := hold.Request{AccountID: cmd.AccountID, Seats: r.Seats, Places: r.Places, Best: r.Best, Replace: r.Replace,
		Fewer: r.Fewer, Accessible: r.Accessible}
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Answer{}, fmt.Errorf("hold id: %w", err)
	}
	q.ID = id
	return e.inLane(ctx, cmd, nil, &request{take: &q})
}

// Release gives a live hold back. The answer, 200, is a HoldView; a waiting order
// of the hold is cancelled with it.
func (e *Engine) Release(ctx context.Context, cmd Command, r ReleaseRequest) (Answer, error) {
	return e.inLane(ctx, cmd, []string{r.Hold.String()}, &request{release: r.Hold})
}

// Extend asks for more time on a live hold, as far as the event's policy goes. The
// answer, 200, is a HoldView.
func (e *Engine) Extend(ctx context.Context, cmd Command, r ExtendRequest) (Answer, error) {
	return e.inLane(ctx, cmd, []string{r.Hold.String()}, &request{extend: r.Hold})
}

// inLane hands a command to the lane of its event and waits for the answer.
func (e *Engine) inLane(ctx context.Context, cmd Command, path []string, r *request) (Answer, error) {
	if err := cmd.check(); err != nil {
		return Answer{}, err
	}
	eventID, err := e.EventID(ctx, cmd.EventSlug)
	if err != nil {
		return Answer{}, err
	}
	r.key = key{eventID, cmd.AccountID, cmd.Route, cmd.Key}
	r.row = r.key.row()
	r.print = cmd.fingerprint(path...)
	r.done = make(chan struct{})
	r.queued = time.Now()
	if r.take != nil {
		r.take.EventID = eventID
	}
	a, err := e.laneOf(r).do(ctx, r)
	e.metrics.countHold(r, err)
	return a, err
}
