package check

import (
	"context"
	"errors"
	"fmt"
)

// L2, conservation (cases/faults.md; MONEY 4): all balances together are zero,
// and the books agree with what they are about. Clearing is the provider's own
// captures minus its refunds; receivable is the price of orders confirmed and
// not yet captured; what organisers and the platform earned is the price of the
// lines that are sold.
var l2 = Invariant{
	ID: "L2", Statement: "balances sum to zero and equal the provider's money and the seats sold",
	Needs: []Source{Database, Provider},
	find: func(ctx context.Context, e *Evidence) ([]Finding, error) {
		if e.Payments == nil {
			return nil, errors.New("no list of payments; give --fakepay")
		}
		balances, err := collect[balance](ctx, e.DB, sqlBalances)
		if err != nil {
			return nil, err
		}
		owed, err := collect[owing](ctx, e.DB, sqlOwed)
		if err != nil {
			return nil, err
		}
		return conserved(balances, owed, e.Payments), nil
	},
}

// balance is of all accounts of one kind: "clearing:fakepay" is of kind clearing.
type balance struct {
	Kind     string
	Currency string
	Sum      int64 // debits minus credits
}

type owing struct {
	Currency  string
	Confirmed int64 // price of orders confirmed and not captured
	Sold      int64 // price of sold lines
}

func conserved(balances []balance, owed []owing, payments []Payment) []Finding {
	type side struct{ book, fact int64 }
	type name struct{ currency, what string }
	sides := map[name]*side{}
	at := func(currency, what string) *side {
		k := name{currency, what}
		if sides[k] == nil {
			sides[k] = &side{}
		}
		return sides[k]
	}
	const (
		all        = "the sum of all accounts and zero"
		clearing   = "clearing and the provider's captures minus refunds"
		receivable = "receivable and the orders confirmed but not captured"
		earned     = "payable with revenue and the price of the lines sold"
	)
	for _, b := range balances {
		at(b.Currency, all).book += b.Sum
		switch b.Kind {
		case "clearing":
			at(b.Currency, clearing).book += b.Sum
		case "receivable":
			at(b.Currency, receivable).book += b.Sum
		case "payable", "revenue":
			at(b.Currency, earned).book -= b.Sum // credits: what we owe and earned
		}
	}
	for _, p := range payments {
		at(p.Currency, clearing).fact += p.Captured - p.Refunded
	}
	for _, o := range owed {
		at(o.Currency, receivable).fact += o.Confirmed
		at(o.Currency, earned).fact += o.Sold
	}
	var found []Finding
	for k, s := range sides {
		if s.book != s.fact {
			found = append(found, Finding{
				What:     fmt.Sprintf("%s differ: %d and %d %s", k.what, s.book, s.fact, k.currency),
				Evidence: map[string]any{"currency": k.currency, "books": s.book, "facts": s.fact},
			})
		}
	}
	return found
}
