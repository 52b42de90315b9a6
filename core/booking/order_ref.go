package booking

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/problem"
)

// Ref is the public id of an order, a ticket or a payment: "<event>-<uuid>". The
// event stands in front because it is the first column of every key: whoever reads
// a reference, a provider's webhook included, knows where its rows are.
type Ref struct {
	Event int64
	ID    uuid.UUID
}

func (r Ref) String() string { return strconv.FormatInt(r.Event, 10) + "-" + r.ID.String() }

// MarshalText makes a Ref a JSON string.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// ErrNoRef: the text is not a reference. It is told like any other thing that is
// not there.
var ErrNoRef = problem.NotFound.Say("This is not the id of anything here.")

// ParseRef reads a Ref in its one spelling.
func ParseRef(s string) (Ref, error) {
	event, id, ok := strings.Cut(s, "-")
	n, err := strconv.ParseInt(event, 10, 64)
	if !ok || err != nil || n <= 0 {
		return Ref{}, ErrNoRef
	}
	u, err := uuid.Parse(id)
	if err != nil {
		return Ref{}, ErrNoRef
	}
	if r := (Ref{n, u}); r.String() == s { // one thing has one id: no "007-", no braces
		return r, nil
	}
	return Ref{}, ErrNoRef
}

func (k orderKey) ref() Ref { return Ref{k.event, k.id} }

// at completes a command about a thing that names its event itself.
func (e *Engine) at(ctx context.Context, cmd Command, r Ref) (Command, error) {
	if slug, known := e.slugs.Load(r.Event); known {
		cmd.EventSlug = slug.(string)
		return cmd, nil
	}
	var slug string
	err := e.db.Pool.QueryRow(ctx, sqlEventSlug, r.Event).Scan(&slug)
	if errors.Is(err, pgx.ErrNoRows) {
		return cmd, problem.NotFound
	}
	if err != nil {
		return cmd, fmt.Errorf("find event: %w", err)
	}
	e.slugs.Store(r.Event, slug)
	cmd.EventSlug = slug
	return cmd, nil
}
