package check

import (
	"context"
	"errors"
	"fmt"
)

// P3, seat and money (cases/faults.md): at quiet an order has its sold lines, a
// live ticket for each place and its price kept at the provider, or it has none
// of the three. Money that only rests as an authorization counts as kept when
// nobody is to capture it: it is the buyer's and was not given back. A payment
// that belongs to no attempt of ours is money for nothing.
var p3 = Invariant{
	ID: "P3", Statement: "sold, ticketed and paid go together, for every order",
	Needs: []Source{Database, Provider},
	find: func(ctx context.Context, e *Evidence) ([]Finding, error) {
		if e.Payments == nil {
			return nil, errors.New("no list of payments; give --fakepay")
		}
		attempts, err := collect[attempt](ctx, e.DB, sqlAttempts)
		if err != nil {
			return nil, err
		}
		orders, err := collect[paidSeats](ctx, e.DB, sqlPaidSeats)
		if err != nil {
			return nil, err
		}
		found := seatsAndMoney(orders, attempts, e.Payments)
		stray, err := collect[soldAlone](ctx, e.DB, sqlSoldWithoutOrder)
		for _, s := range stray {
			found = append(found, Finding{
				What:     fmt.Sprintf("hold %s has %d sold lines and no order", s.Hold, s.Lines),
				Evidence: map[string]any{"event": s.Event, "hold": s.Hold},
			})
		}
		return found, err
	},
}

type paidSeats struct {
	Event    int64
	Order    string
	Hold     string
	State    string
	Amount   int64
	Currency string
	Sold     int32 // places of sold lines
	Value    int64 // their price
	Tickets  int32 // live ones
}

type soldAlone struct {
	Event int64
	Hold  string
	Lines int32
}

func seatsAndMoney(orders []paidSeats, attempts []attempt, payments []Payment) []Finding {
	var found []Finding
	of := byOrder(attempts, payments)
	for _, o := range orders {
		var kept, resting int64
		for _, p := range of[o.Order] {
			kept += p.Captured - p.Refunded
			resting += p.resting()
		}
		why := ""
		switch {
		case o.Tickets != o.Sold:
			why = fmt.Sprintf("%d places sold and %d live tickets", o.Sold, o.Tickets)
		case o.Value != kept:
			why = fmt.Sprintf("places worth %d sold and %d kept at the provider", o.Value, kept)
		case resting != 0:
			why = fmt.Sprintf("%d rests authorized at the provider, neither captured nor voided", resting)
		default:
			continue
		}
		found = append(found, Finding{
			What:     fmt.Sprintf("order %s (%s, %d %s): %s", o.Order, o.State, o.Amount, o.Currency, why),
			Evidence: map[string]any{"event": o.Event, "order": o.Order, "hold": o.Hold, "payments": of[o.Order]},
		})
	}
	for _, p := range of[""] {
		if p.Captured != p.Refunded || p.resting() != 0 {
			found = append(found, Finding{
				What:     fmt.Sprintf("payment %s (reference %q) belongs to no attempt and has money", p.ID, p.Reference),
				Evidence: map[string]any{"payment": p},
			})
		}
	}
	return found
}
