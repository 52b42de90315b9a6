package check

import (
	"context"
	"fmt"
)

// L1, balanced (cases/faults.md): the postings of every journal sum to zero in
// each currency, and no journal is empty.
var l1 = Invariant{
	ID: "L1", Statement: "every journal sums to zero in each currency",
	Needs: []Source{Database},
	find: func(ctx context.Context, e *Evidence) ([]Finding, error) {
		rows, err := collect[unbalanced](ctx, e.DB, sqlJournals)
		var found []Finding
		for _, r := range rows {
			what := fmt.Sprintf("journal %q is off by %d %s", r.Journal, r.Sum, r.Currency)
			if r.Postings == 0 {
				what = fmt.Sprintf("journal %q has no postings", r.Journal)
			}
			found = append(found, Finding{What: what, Evidence: map[string]any{"event": r.Event, "journal": r.Journal, "sum": r.Sum}})
		}
		return found, err
	},
}

type unbalanced struct {
	Event    int64
	Journal  string
	Currency string
	Sum      int64
	Postings int32
}

// LedgerSum is what all postings sum to, over all currencies by amount: 0 in
// books that balance.
func LedgerSum(ctx context.Context, db Querier) (int64, error) {
	balances, err := collect[balance](ctx, db, sqlBalances)
	sums := map[string]int64{}
	for _, b := range balances {
		sums[b.Currency] += b.Sum
	}
	var total int64
	for _, s := range sums {
		total += max(s, -s)
	}
	return total, err
}
