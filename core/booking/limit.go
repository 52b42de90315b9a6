package booking

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event"
	"github.com/ropeline/ropeline/core/hold"
)

// LimitRequest sets what a counter may sell.
type LimitRequest struct {
	Counter            int64
	Capacity, Overbook int
	Actor, Reason      string // who wants it and why, for the record
}

// LimitView is a counter's limit and what stands against it.
type LimitView struct {
	Counter   int64  `json:"counter"`
	Name      string `json:"name"`
	Capacity  int    `json:"capacity"`
	Overbook  int    `json:"overbook"`
	Held      int    `json:"held"`
	Sold      int    `json:"sold"`
	Excess    int    `json:"excess"` // held and sold beyond the limit; it only shrinks
	Available int    `json:"available"`
}

const (
	// MaxCapacity of a counter.
	MaxCapacity = 1_000_000
	// MaxReason of a change of a limit, in characters.
	MaxReason = 200
)

// SetLimit changes a limit of an event, during the sale too. It waits for the batch
// that has the counter, and the next batch sees it. Lowered below what is sold it
// leaves an excess, and nothing is sold until it fits again.
func (e *Engine) SetLimit(ctx context.Context, slug string, r LimitRequest) (LimitView, error) {
	r.Reason = strings.TrimSpace(r.Reason)
	switch {
	case r.Capacity < 0 || r.Capacity > MaxCapacity || r.Overbook < 0 || r.Overbook > r.Capacity:
		return LimitView{}, hold.ErrInvalidLimit.Say("A capacity is 0 to %d, and what is sold past it no more than itself.", MaxCapacity)
	case r.Reason == "" || utf8.RuneCountInString(r.Reason) > MaxReason:
		return LimitView{}, hold.ErrInvalidLimit.Say("Say why the limit is changed, in at most %d characters; it is kept on record.", MaxReason)
	}
	id, err := e.EventID(ctx, slug)
	if err != nil {
		return LimitView{}, err
	}
	var c hold.Counter
	err = e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := hold.LockEvent(ctx, tx, id); err != nil {
			return err
		}
		says, err := event.CheckArea(ctx, tx, id, r.Counter, r.Capacity, r.Overbook)
		if err != nil {
			return err
		}
		if says != "" {
			return hold.ErrInvalidLimit.Say("The limit %s. A larger area is another plan: import the venue under a new slug.", says)
		}
		var changed hold.Changes
		if c, changed, err = hold.SetLimit(ctx, tx, id, r.Counter, r.Capacity, r.Overbook, r.Actor, r.Reason); err != nil {
			return err
		}
		if _, err := publish(ctx, tx, []hold.Changes{changed}); err != nil {
			return fmt.Errorf("set limit: %w", err)
		}
		return nil
	})
	if err != nil {
		return LimitView{}, err
	}
	return LimitView{c.ID, c.Name, c.Capacity, c.Overbook, c.Held, c.Sold, c.Excess, max(0, c.Available())}, nil
}

// DeniedView is a place that was sold and for which there is no seat.
type DeniedView struct {
	Order   *Ref   `json:"order"` // null: sold without one
	Account int64  `json:"account"`
	Email   string `json:"email"`
	Line    int16  `json:"line"`
	Unit    int    `json:"unit"`    // of the line, from 1
	HeldAt  Stamp  `json:"held_at"` // the order of the list: who came last is denied
}

// DeniedBoarding names who has no place in an overbooked class if everybody comes.
func (e *Engine) DeniedBoarding(ctx context.Context, slug string, counter int64) ([]DeniedView, error) {
	id, err := e.EventID(ctx, slug)
	if err != nil {
		return nil, err
	}
	// No rows of a counter that is not there would read "everybody has a place".
	if err := hold.HasCounter(ctx, e.db.Pool, id, counter); err != nil {
		return nil, err
	}
	list, err := hold.DeniedBoarding(ctx, e.db.Pool, id, counter)
	if err != nil {
		return nil, err
	}
	out := make([]DeniedView, len(list))
	for i, u := range list {
		out[i] = DeniedView{Account: u.Account, Email: u.Email, Line: u.Line, Unit: u.Unit, HeldAt: Stamp(u.SoldAt)}
		if u.Order != nil {
			out[i].Order = &Ref{id, *u.Order}
		}
	}
	return out, nil
}
