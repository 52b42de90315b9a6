package check

import (
	"context"
	"errors"
	"fmt"
)

// P1, charge once (cases/faults.md; MONEY 5.9): of one order at most one attempt
// is to be kept, and at quiet at most one payment at the provider has money that
// was not returned, never more than the order's price. The provider's list is
// the ground truth; our rows only say which order a reference belongs to.
var p1 = Invariant{
	ID: "P1", Statement: "no order is charged twice or more than its price",
	Needs: []Source{Database, Provider},
	find: func(ctx context.Context, e *Evidence) ([]Finding, error) {
		if e.Payments == nil {
			return nil, errors.New("no list of payments; give --fakepay")
		}
		attempts, err := collect[attempt](ctx, e.DB, sqlAttempts)
		if err != nil {
			return nil, err
		}
		return chargedTwice(attempts, e.Payments), nil
	},
}

type attempt struct {
	ID       string
	Event    int64
	Order    string
	State    string
	Amount   int64
	Currency string
	Want     string
	Phase    string
}

func chargedTwice(attempts []attempt, payments []Payment) []Finding {
	orders := map[string]attempt{} // any attempt of the order stands for it
	keep := map[string][]string{}
	for _, a := range attempts {
		orders[a.Order] = a
		if a.Want == "keep" {
			keep[a.Order] = append(keep[a.Order], a.ID)
		}
	}
	var found []Finding
	for order, ids := range keep {
		if len(ids) > 1 {
			found = append(found, Finding{
				What:     fmt.Sprintf("order %s keeps %d attempts", order, len(ids)),
				Evidence: map[string]any{"order": order, "attempts": ids},
			})
		}
	}
	for order, list := range byOrder(attempts, payments) {
		var kept int64
		var charged []string
		for _, p := range list {
			if net := p.Captured - p.Refunded; net != 0 {
				kept += net
				charged = append(charged, p.ID)
			}
		}
		if a := orders[order]; len(charged) > 1 || kept > a.Amount {
			found = append(found, Finding{
				What:     fmt.Sprintf("order %s costs %d %s and %d payments keep %d", order, a.Amount, a.Currency, len(charged), kept),
				Evidence: map[string]any{"event": a.Event, "order": order, "payments": charged},
			})
		}
	}
	return found
}
