package booking

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// TestAnOrderWaitsForABusyLock: somebody sits on the seat's row for longer than one
// lock may be waited for. The order waits its turn; nobody is told "busy".
func TestAnOrderWaitsForABusyLock(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1, pool: pg.Options{LockTimeout: 20 * time.Millisecond}})
	h := x.mustHold(1, seats(1))
	other, err := pgx.Connect(t.Context(), x.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.WithoutCancel(t.Context()))
	tx, err := other.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT FROM seat WHERE seat_id = 1 FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	ordered := make(chan error, 1)
	go func() { _, err := x.order(1, h.ID); ordered <- err }()
	// Two different transactions are seen waiting: the first one gave up.
	waiting := map[string]bool{}
	if !x.eventually(func() bool {
		var since string
		if err := x.db.Pool.QueryRow(t.Context(), sqlWaitingSince).Scan(&since); err != nil {
			t.Fatal(err)
		}
		waiting[since] = since != ""
		return len(waiting) > 2 || len(waiting) == 2 && !hasEmpty(waiting)
	}) {
		t.Fatal("the order did not come back for the seat")
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ordered; err != nil {
		t.Fatalf("order: %v", err)
	}
}

const sqlWaitingSince = `SELECT coalesce(max(xact_start)::text, '') FROM pg_stat_activity WHERE wait_event_type = 'Lock'`

func hasEmpty(m map[string]bool) bool { _, ok := m[""]; return ok }
