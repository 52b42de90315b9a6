package e2e

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/deploy/stack"
	"github.com/ropeline/ropeline/loadtest/check"
)

// judged fails the test for every exception to what can be recomputed from the database and the provider's own list:
// seats sold once, journals at zero and equal to the provider's money, one charge at most, and no money without a seat.
func judged(t *testing.T, s *stack.Stack) {
	t.Helper()
	list, err := check.Select("B1,L1,L2,P1,P3")
	if err != nil {
		t.Fatal(err)
	}
	db, err := pgx.Connect(t.Context(), s.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	findings, err := check.Run(t.Context(), list, &check.Evidence{DB: db, Payments: charges(t, s)})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Errorf("%s: %s %v", f.Invariant, f.What, f.Evidence)
	}
}
