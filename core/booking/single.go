package booking

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"

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
	if err := tx.QueryRow(ctx, sqlTryKey, k.hash()).Scan(&free); err != nil {
		return Answer{}, fmt.Errorf("lock idempotency key: %w", err)
	}
	if !free {
		return Answer{}, ErrInProgress
	}
	ev, err := hold.LockEvent(ctx, tx, k.event)
	if err != nil {
		return Answer{}, err
	}
	if tag, err := tx.Exec(ctx, sqlTakeKey, k.event, k.account, k.route, k.key, print); err != nil {
		return Answer{}, fmt.Errorf("take idempotency key: %w", err)
	} else if tag.RowsAffected() == 0 {
		return replay(ctx, tx, k, print)
	}
	status, v, err := fn(ctx, tx, ev)
	if err != nil {
		return Answer{}, err
	}
	body, err := encode(v)
	if err != nil {
		return Answer{}, err
	}
	if _, err := tx.Exec(ctx, sqlStoreAnswer, k.event, k.account, k.route, k.key, status, body); err != nil {
		return Answer{}, fmt.Errorf("store answer: %w", err)
	}
	return Answer{Status: status, Body: body}, nil
}

// replay gives the stored answer. It counts itself in the row because a
// transaction without a write has no WAL, and its COMMIT would not wait until the
// standby has the answer it repeats.
func replay(ctx context.Context, tx pgx.Tx, k key, print []byte) (Answer, error) {
	var (
		a    = Answer{Replayed: true}
		same bool
	)
	err := tx.QueryRow(ctx, sqlReplay, k.event, k.account, k.route, k.key, print).Scan(&same, &a.Status, &a.Body)
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

// key is the scope of an Idempotency-Key.
type key struct {
	event, account int64
	route, key     string
}

func (k key) hash() int64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d|%d|%s|%s", k.event, k.account, k.route, k.key)
	return int64(h.Sum64())
}

// flight knows the keys this process is working on.
type flight struct {
	mu   sync.Mutex
	keys map[key]struct{}
}

// enter returns false if the key is being worked on.
func (f *flight) enter(k key) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, there := f.keys[k]; there {
		return false
	}
	if f.keys == nil {
		f.keys = make(map[key]struct{})
	}
	f.keys[k] = struct{}{}
	return true
}

func (f *flight) leave(k key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.keys, k)
}
