package hold

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

var errNoCounter = problem.NotFound.Say("This event has no such area or class.")

// HasCounter refuses a counter that the event does not have.
func HasCounter(ctx context.Context, q pg.Querier, event, counter int64) error {
	var there bool
	if err := q.QueryRow(ctx, sqlHasCounter, event, counter).Scan(&there); err != nil {
		return fmt.Errorf("look for a counter: %w", err)
	}
	if !there {
		return errNoCounter
	}
	return nil
}

// SetLimit changes what a counter may hold and sell. Lowered below what is held and
// sold it leaves an excess: nothing is taken back, nothing more is sold until it fits,
// and the excess only shrinks. A trigger records every change with who made it and why,
// also those that do not come this way.
func SetLimit(ctx context.Context, tx pgx.Tx, event, counter int64, capacity, overbook int, actor, reason string) (Counter, Changes, error) {
	s := NewScope()
	k := counterKey{event, counter}
	s.counters[k] = struct{}{}
	w := newWorld(time.Time{})
	if err := w.lock(ctx, tx, s, Block); err != nil {
		return Counter{}, Changes{}, err
	}
	c := w.counters[k]
	if c == nil {
		return Counter{}, Changes{}, errNoCounter
	}
	if err := w.read(ctx, tx, s); err != nil { // what has expired is no reason for an excess
		return Counter{}, Changes{}, err
	}
	c.Capacity, c.Overbook = capacity, overbook
	c.Excess = max(0, c.Held+c.Sold-capacity-overbook)
	b := new(batch)
	b.exec(sqlActor, actor, reason)
	b.exec(sqlSetLimit, event, counter, capacity, overbook, c.Excess)
	if err := b.send(ctx, tx, "set limit"); err != nil {
		return Counter{}, Changes{}, err
	}
	return *c, Changes{EventID: event, Counters: []CounterChange{{c.ID, c.Held, c.Sold, c.Available()}}}, nil
}

// Unseated is a place that was sold and for which there is no seat.
type Unseated struct {
	Hold    uuid.UUID
	Order   *uuid.UUID // nil: sold without one
	Account int64
	Email   string
	Line    int16
	Unit    int
	SoldAt  time.Time // when it was held; the order of the list
}

// DeniedBoarding names who has no place when everybody comes who bought one in an
// overbooked class. Who has a numbered seat has a place; after them those who bought
// first.
func DeniedBoarding(ctx context.Context, q pg.Querier, event, counter int64) ([]Unseated, error) {
	rows, err := q.Query(ctx, sqlDenied, event, counter)
	if err != nil {
		return nil, fmt.Errorf("denied boarding: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Unseated])
	if err != nil {
		return nil, fmt.Errorf("denied boarding: %w", err)
	}
	return out, nil
}

// Statements of limits.
const (
	sqlActor    = `SELECT set_config('ropeline.actor', $1, true), set_config('ropeline.reason', $2, true)`
	sqlSetLimit = `UPDATE counter SET capacity = $3, overbook = $4, excess = $5 WHERE event_id = $1 AND id = $2`

	sqlHasCounter = `SELECT EXISTS (SELECT FROM counter WHERE event_id = $1 AND id = $2)`

	sqlDenied = `
SELECT x.hold_id, x.order_id, x.account_id, x.email, x.line, x.unit, x.created_at
  FROM (SELECT l.hold_id, o.id AS order_id, l.account_id, a.email, l.line, u AS unit, h.created_at,
               row_number() OVER (ORDER BY l.seat_id IS NULL, h.created_at, l.hold_id, l.line, u) AS place
          FROM hold_line l
          JOIN hold h ON h.event_id = l.event_id AND h.id = l.hold_id
          JOIN account a ON a.id = l.account_id
          LEFT JOIN orders o ON o.event_id = l.event_id AND o.hold_id = l.hold_id
         CROSS JOIN generate_series(1, l.qty) AS u
         WHERE l.event_id = $1 AND l.counter_id = $2 AND l.state = 2) AS x
  JOIN counter c ON c.event_id = $1 AND c.id = $2
 WHERE x.place > c.capacity ORDER BY x.place`
)

var limitStatements = map[string]string{"actor": sqlActor, "set limit": sqlSetLimit, "denied": sqlDenied, "has counter": sqlHasCounter}
