package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// Story is what became of one seat, from the first hold on.
type Story struct {
	Event string
	Seat  int32
	Label string
	Class string
	State string // now: available, held, sold, blocked
	Steps []Step // by time
}

// Step is one change: who, when, and why.
type Step struct {
	At      time.Time
	What    string // held, lapsed, given back, replaced, ordered, sold, revoked
	Why     string
	Version int32 // of the seat, as the line carries it last
	Hold    uuid.UUID
	Account int64
	Email   string
}

// Trace tells the story of a seat, named by its number in the plan or as
// section/row/number. It reads hold lines, holds, orders and tickets, which are never
// deleted, and nothing is written for it while a sale runs but the moment in which a
// line is given back.
func Trace(ctx context.Context, q pg.Querier, event, seat string) (Story, error) {
	s := Story{Event: event}
	var (
		id                   int64
		section, row, number string
		version              int32
		currency             money.Currency
		now                  time.Time
	)
	err := q.QueryRow(ctx, sqlTraceSeat, event, seat).Scan(&id, &s.Seat, &section, &row, &number, &s.Class, &s.State, &version, &currency, &now)
	if errors.Is(err, pgx.ErrNoRows) {
		if err := q.QueryRow(ctx, sqlEventID, event).Scan(&id); errors.Is(err, pgx.ErrNoRows) {
			return s, problem.NotFound.Say("There is no event %q.", event)
		} else if err != nil {
			return s, fmt.Errorf("find event: %w", err)
		}
		return s, problem.NotFound.Say("Event %q has no seat %q; name it by its number, or as section/row/number.", event, seat)
	}
	if err != nil {
		return s, fmt.Errorf("find seat: %w", err)
	}
	s.Label = hold.Label(section, row, number)
	rows, err := q.Query(ctx, sqlTraceLines, id, s.Seat)
	if err != nil {
		return s, fmt.Errorf("read the lines of a seat: %w", err)
	}
	var l tracedLine
	_, err = pgx.ForEachRow(rows, l.fields(), func() error {
		s.Steps = append(s.Steps, l.steps(id, currency, now)...)
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("read the lines of a seat: %w", err)
	}
	// Stable: what happened in one moment stays in the order of its cause.
	slices.SortStableFunc(s.Steps, func(a, b Step) int { return a.At.Compare(b.At) })
	s.Steps = slices.CompactFunc(s.Steps, func(a, b Step) bool { return a == b }) // a line with two tickets tells of its hold twice
	return s, nil
}

// tracedLine is one line of a seat with everything that hangs on it.
type tracedLine struct {
	hold            uuid.UUID
	version         int32
	account         int64
	email           string
	created, until  time.Time
	extended        int16
	price           int64
	state           hold.LineState
	ended           *time.Time
	replacedBy      *uuid.UUID
	order           *uuid.UUID
	orderState, why string
	ordered         *time.Time
	ticket          *uuid.UUID
	issued, revoked *time.Time
}

func (l *tracedLine) fields() []any {
	return []any{&l.hold, &l.version, &l.account, &l.email, &l.created, &l.until, &l.extended, &l.price, &l.state, &l.ended, &l.replacedBy,
		&l.order, &l.orderState, &l.why, &l.ordered, &l.ticket, &l.issued, &l.revoked}
}

func (l *tracedLine) steps(event int64, c money.Currency, now time.Time) (all []Step) {
	step := func(at time.Time, what, why string, args ...any) {
		all = append(all, Step{At: at.UTC(), What: what, Why: fmt.Sprintf(why, args...), Version: l.version, Hold: l.hold, Account: l.account, Email: l.email})
	}
	until := fmt.Sprintf("until %s", time.Time(l.until).UTC().Format(stampLayout))
	if l.extended > 0 {
		until += ", extended for a payment"
	}
	step(l.created, "held", "%s, for %s", until, money.Of(l.price, c))
	if l.order != nil {
		step(*l.ordered, "ordered", "order %s", Ref{event, *l.order})
	}
	lapsed := l.ended == nil || l.ended.After(l.until)
	if sold := l.issued != nil; sold && !l.issued.Before(l.until) {
		step(l.until, "lapsed", "its time was over")
		step(*l.issued, "sold", "order %s, ticket %s: paid late, and the seat was still free", Ref{event, *l.order}, Ref{event, *l.ticket})
	} else if sold {
		step(*l.issued, "sold", "order %s, ticket %s", Ref{event, *l.order}, Ref{event, *l.ticket})
	} else if lapsed && !l.until.After(now) {
		step(l.until, "lapsed", "its time was over")
	}
	if l.revoked != nil {
		step(*l.revoked, "revoked", "ticket %s, order %s %s", Ref{event, *l.ticket}, l.orderState, cmp.Or(l.why, "without a reason"))
	}
	switch {
	case l.ended == nil:
	case l.replacedBy != nil:
		step(*l.ended, "replaced", "by hold %s of the same account", *l.replacedBy)
	case l.order != nil:
		step(*l.ended, "given back", "order %s: %s", l.orderState, cmp.Or(l.why, "without a reason"))
	default:
		step(*l.ended, "given back", "by the buyer")
	}
	return all
}
