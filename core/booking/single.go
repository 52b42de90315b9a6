package booking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// effect does one command's work inside its transaction and returns the answer to
// store. It runs from nothing each time: a deadlock or an unknown COMMIT runs it
// again. The event's row is locked FOR SHARE, the key is taken; further locks
// follow in the order of the package comment.
type effect func(ctx context.Context, tx pgx.Tx, ev *hold.Event) (status int, body any, err error)

// once runs a command in a transaction of its own, once per key. path is what the
// URL names beside the event (a hold, an order): another path is another request.
//
// A refusal has no effect and is not stored: asked again, it is decided anew.
func (e *Engine) once(ctx context.Context, cmd Command, path []string, fn effect) (Answer, error) {
	if err := cmd.check(); err != nil {
		return Answer{}, err
	}
	eventID, err := e.EventID(ctx, cmd.EventSlug)
	if err != nil {
		return Answer{}, err
	}
	k := key{eventID, cmd.AccountID, cmd.Route, cmd.Key}
	if !e.flight.enter(k) {
		return Answer{}, ErrInProgress
	}
	defer e.flight.leave(k)
	print := cmd.fingerprint(path...)
	for rerun := false; ; rerun = true {
		var a Answer
		err := e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
			a, err = runOnce(ctx, tx, k, print, fn)
			return err
		})
		// A COMMIT that failed says nothing: the same key tells what happened. One
		// that did not answer in time is left to the client, who has the key too.
		if !rerun && errors.Is(err, pg.ErrCommitUnknown) && !errors.Is(err, pg.ErrCommitSlow) {
			continue
		}
		if rerun && err != nil && !decided(err) {
			return Answer{}, problem.OutcomeUnknown.Because(err)
		}
		a.Replayed = a.Replayed && !rerun
		return a, err
	}
}

// decided: a rule refused, for which a transaction had the key as its own. Anything
// else (the server is away, a lock was busy, the caller's time is up, the key is still
// held by the lost COMMIT) says nothing about what an earlier COMMIT did.
func decided(err error) bool {
	p := problem.As(err)
	return p != nil && p.Status < http.StatusInternalServerError && !errors.Is(err, ErrInProgress)
}

func runOnce(ctx context.Context, tx pgx.Tx, k key, print []byte, fn effect) (Answer, error) {
	var free bool
	var now time.Time
	if err := tx.QueryRow(ctx, sqlTryKey, k.hash()).Scan(&free, &now); err != nil {
		return Answer{}, fmt.Errorf("lock idempotency key: %w", err)
	}
	if !free {
		return Answer{}, ErrInProgress
	}
	ev, err := hold.LockEvent(ctx, tx, k.event)
	if err != nil {
		return Answer{}, err
	}
	row, today, slots := k.row(), slotOf(now, 0), slotsAt(now)
	if tag, err := tx.Exec(ctx, sqlTakeKey, slots, row.event, row.account, row.id, print, today); err != nil {
		return Answer{}, fmt.Errorf("take idempotency key: %w", err)
	} else if tag.RowsAffected() == 0 {
		return replay(ctx, tx, row, print, slots)
	}
	status, v, err := fn(ctx, tx, ev)
	if err != nil {
		return Answer{}, err
	}
	body, err := encode(v)
	if err != nil {
		return Answer{}, err
	}
	tag, err := tx.Exec(ctx, sqlStoreAnswer, slots, row.event, row.account, row.id, today, status, body)
	if err != nil {
		return Answer{}, fmt.Errorf("store answer: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return Answer{}, ErrInProgress // a batch has done it meanwhile, on another day's side of midnight
	}
	return Answer{Status: status, Body: body}, nil
}

// replay gives the stored answer. It counts itself in the row because a
// transaction without a write has no WAL, and its COMMIT would not wait until the
// standby has the answer it repeats.
func replay(ctx context.Context, tx pgx.Tx, k keyRow, print []byte, slots []int16) (Answer, error) {
	var (
		a    = Answer{Replayed: true}
		same bool
	)
	err := tx.QueryRow(ctx, sqlReplay, slots, k.event, k.account, k.id, print).Scan(&same, &a.Status, &a.Body)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // refused and deleted since: as if it never was
		return Answer{}, problem.Busy
	case err != nil:
		return Answer{}, fmt.Errorf("replay: %w", err)
	case !same:
		return Answer{}, ErrMismatch
	}
	return a, nil
}
