package hold

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/problem"
)

// LockEvent is LockEvents for one.
func LockEvent(ctx context.Context, tx pgx.Tx, id int64) (*Event, error) {
	evs, err := LockEvents(ctx, tx, []int64{id})
	if err != nil {
		return nil, err
	}
	if evs[id] == nil {
		return nil, problem.NotFound
	}
	return evs[id], nil
}

// LockHold locks everything a hold is about (its account, counters, seats), waiting
// where it must, reclaims, and reads it: what confirm, pay, send, cancel and refund
// begin with. The event is locked already; the order's row comes after this.
//
// Of the World it returns, Alive, Sell, Retake, GiveBack and Extend are the rules;
// Write brings the tables up to it.
func LockHold(ctx context.Context, tx pgx.Tx, ev *Event, id uuid.UUID) (*World, *Hold, error) {
	var account int64
	err := tx.QueryRow(ctx, sqlHoldAccount, ev.ID, id).Scan(&account)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil, problem.NotFound
	}
	if err != nil {
		return nil, nil, fmt.Errorf("find hold: %w", err)
	}
	s := NewScope()
	s.Release(ev.ID, account, id)
	w, err := Load(ctx, tx, map[int64]*Event{ev.ID: ev}, s, Block)
	if err != nil {
		return nil, nil, err
	}
	return w, w.Hold(ev.ID, id), nil
}
