package booking

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/core/ticket"
)

// TicketView is a ticket as its owner sees it. The code of a revoked ticket is not
// shown: a picture of it would look as good as a valid one.
type TicketView struct {
	ID Ref `json:"id"`
	Occasion
	Label string `json:"label"`
	Fare  string `json:"fare"` // name of the price it was sold at
	Code  string `json:"code"`
	State string `json:"state"` // valid | revoked
}

// Tickets lists the tickets of an account, newest first.
func (e *Engine) Tickets(ctx context.Context, account int64) ([]TicketView, error) {
	return e.ticketViews(ctx, e.db.Pool, sqlTicketsOfAccount, account, maxListed)
}

// Ticket shows one ticket to its owner.
func (e *Engine) Ticket(ctx context.Context, account int64, r Ref) (TicketView, error) {
	list, err := e.ticketViews(ctx, e.db.Pool, sqlTicket, r.Event, r.ID, account)
	if err != nil {
		return TicketView{}, err
	}
	if len(list) == 0 {
		return TicketView{}, problem.NotFound.Say("You have no such ticket.")
	}
	return list[0], nil
}

// TicketKeys is the JWKS with which anybody can verify a ticket's code.
func (e *Engine) TicketKeys() []byte { return e.tickets.JWKS() }

func (e *Engine) ticketViews(ctx context.Context, q pg.Querier, sql string, args ...any) ([]TicketView, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	list, err := pgx.CollectRows(rows, e.ticketView)
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	if list == nil {
		list = []TicketView{}
	}
	return list, nil
}

func (e *Engine) ticketView(row pgx.CollectableRow) (TicketView, error) {
	var (
		id      uuid.UUID
		v       = TicketView{State: "valid"}
		event   int64
		of      occasionRow
		unit    int16
		version int32
		revoked *time.Time
		p       place
	)
	if err := row.Scan(append(of.dest(), &event, &id, &unit, &version, &revoked, &p.section, &p.row, &p.number, &p.counter, &v.Fare)...); err != nil {
		return v, err
	}
	v.ID, v.Occasion, v.Label = Ref{event, id}, of.occasion(), p.label()
	if revoked != nil {
		v.State = "revoked"
		return v, nil
	}
	v.Code = e.tickets.Sign(ticket.Claims{Event: event, Ticket: id, HoldVersion: version, Unit: unit, Label: v.Label})
	return v, nil
}
