package booking

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/problem"
)

// Command says who asks for what, once: (event, account, route, key) is the scope
// of an Idempotency-Key.
type Command struct {
	EventSlug string
	AccountID int64
	Route     string   // the route's pattern, not the URL
	Key       string   // Idempotency-Key
	BodyHash  [32]byte // SHA-256 of the request's body
}

// Answer is what was stored with the effect and is given again to every replay.
type Answer struct {
	Status   int
	Body     []byte
	Replayed bool
}

const maxKey = 255 // bytes of an Idempotency-Key

// What a command can be refused for before it is looked at.
var (
	ErrKeyRequired = problem.New(http.StatusBadRequest, "idempotency_key_required",
		"This call needs an Idempotency-Key header, so that it is done once however often it is sent.")
	ErrKeyInvalid = problem.New(http.StatusBadRequest, "idempotency_key_invalid",
		"The Idempotency-Key must be 1 to 255 printable ASCII characters.")
	ErrInProgress = problem.New(http.StatusConflict, "idempotency_in_progress",
		"The same request is being worked on. Ask again in a moment.")
	ErrMismatch = problem.New(http.StatusUnprocessableEntity, "idempotency_mismatch",
		"This Idempotency-Key was used for a different request.")
)

func (c Command) check() error {
	if c.Key == "" {
		return ErrKeyRequired
	}
	if len(c.Key) > maxKey {
		return ErrKeyInvalid
	}
	for i := range len(c.Key) {
		if c.Key[i] < 0x20 || c.Key[i] > 0x7e {
			return ErrKeyInvalid
		}
	}
	if c.AccountID <= 0 || c.Route == "" {
		return fmt.Errorf("command without account or route: %+v", c)
	}
	return nil
}

// fingerprint is what must be equal for a replay: the body and what the path names.
func (c Command) fingerprint(path ...string) []byte {
	h := sha256.New()
	_, _ = h.Write(c.BodyHash[:])
	for _, p := range path {
		_, _ = fmt.Fprintf(h, "|%d|%s", len(p), p)
	}
	return h.Sum(nil)
}

// EventID finds an event by its public name, once per process.
func (e *Engine) EventID(ctx context.Context, slug string) (int64, error) {
	if id, ok := e.events.Load(slug); ok {
		return id.(int64), nil
	}
	var id int64
	err := e.db.Pool.QueryRow(ctx, sqlEventID, slug).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		// Not remembered: an import may add it, and strangers may ask for anything.
		return 0, problem.NotFound.Say("There is no event %q.", slug)
	}
	if err != nil {
		return 0, fmt.Errorf("find event: %w", err)
	}
	e.events.Store(slug, id)
	return id, nil
}

// encode makes the bytes of an answer. They are stored, so a replay is
// byte for byte the first answer.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return b, nil
}
