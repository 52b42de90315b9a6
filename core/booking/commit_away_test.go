package booking

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pgtest"
	"github.com/ropeline/ropeline/core/problem"
)

// lossyShop is a shop whose COMMITs may lose their answers. No loop runs, so every
// COMMIT is a buyer's.
func lossyShop(t *testing.T) (*shop, *pgtest.Proxy) {
	t.Helper()
	x := newShop(t, saleSpec{seats: 4})
	p := pgtest.NewProxy(t, x.db)
	db, err := pg.Open(t.Context(), p.URL, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	x.shut(db)
	return x, p
}

// The server commits, its answer is lost, and it is away when the engine asks again:
// nobody may be told that nothing was changed, and nothing else but that it is not
// known. Once the server is back the same key tells.
func TestACommitWhoseServerIsThenAwayIsUnknown(t *testing.T) {
	t.Parallel()
	x, p := lossyShop(t)
	var h HoldView
	var o OrderView
	take := func(r HoldRequest) func(c Command) (Answer, error) {
		return func(c Command) (a Answer, err error) {
			a, err = x.e.Hold(t.Context(), c, r)
			if err == nil {
				h, err = viewOf(a, err)
			}
			return a, err
		}
	}
	place := func(c Command) (a Answer, err error) {
		a, err = x.e.PlaceOrder(t.Context(), c, OrderRequest{Hold: h.ID})
		if err == nil {
			o, err = orderOf(a, err)
		}
		return a, err
	}
	for _, step := range []struct {
		name string
		do   func(c Command) (Answer, error)
	}{
		{"hold", take(seats(1, 2))},
		{"release", func(c Command) (Answer, error) { return x.e.Release(t.Context(), c, ReleaseRequest{Hold: h.ID}) }},
		{"hold to cancel", take(seats(3))},
		{"order to cancel", place},
		{"cancel", func(c Command) (Answer, error) { return x.e.CancelOrder(t.Context(), c, CancelRequest{Order: o.ID}) }},
		{"hold to pay", take(seats(4))},
		{"order to pay", place},
		{"pay", func(c Command) (Answer, error) {
			return x.e.Pay(t.Context(), c, PayRequest{Order: o.ID, CardToken: fakepay.TokenOK})
		}},
	} {
		c := x.command(1)
		for _, db := range []*pg.DB{x.e.db, x.e.laneDB} {
			db.Pool.Reset() // a connection that died idle fails before any COMMIT
		}
		p.LoseACommit(p.Leave)
		if a, err := step.do(c); !errors.Is(err, problem.OutcomeUnknown) {
			t.Errorf("%s: got %+v, %v", step.name, a, err)
		}
		p.Return()
		var a Answer
		var err error
		if !x.eventually(func() bool { a, err = step.do(c); return !errors.Is(err, problem.Busy) }) || err != nil || !a.Replayed {
			t.Fatalf("%s, asked again: %+v, %v", step.name, a, err)
		}
	}
}

// Whatever a rerun fails with, halved or alone: what is said of the COMMIT before it is
// that it is not known.
func TestAFailureAfterALostCommitIsUnknown(t *testing.T) {
	t.Parallel()
	x := newSale(t, saleSpec{seats: 4})
	rs := x.waiters(4, func(i int) HoldRequest { return seats(int32(i + 1)) })
	for _, r := range rs[:3] {
		r.rerun = true // what settle does after pg.ErrCommitUnknown
	}
	x.db.Owner(t, `REVOKE INSERT ON idempotency FROM ropeline_app`)
	x.e.settle(rs, hold.Skip)
	for i, r := range rs {
		if got := errors.Is(r.err, problem.OutcomeUnknown); r.err == nil || got != r.rerun {
			t.Errorf("request %d: %v", i, r.err)
		}
	}
}

// A rerun that had its account's row for its own knows that nothing was done before: what it
// then decides is the truth. An account without a row is nobody's own before it is taken, for
// which the rerun has its turn alone.
func TestARerunThatHadTheKeyKnows(t *testing.T) {
	t.Parallel()
	x := newSale(t, saleSpec{seats: 2})
	x.mustHold(9, seats(1))
	r := x.waiter(1, seats(1))
	r.rerun = true
	if again := x.e.settle([]*request{r}, hold.Skip); len(again) != 1 || !r.rerun {
		t.Fatalf("decided on an account that nobody has: %v", r.err)
	}
	x.e.settle([]*request{r}, hold.Block)
	wantCode(t, r.err, "seat_taken")

	// Somebody may still be about to commit what was lost: that is waited for.
	r = x.waiter(2, seats(1))
	r.rerun = true
	other, err := x.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(t.Context(), `INSERT INTO account_event (event_id, account_id) VALUES (1, 2)`); err != nil {
		t.Fatal(err)
	}
	again := make(chan []*request, 1)
	go func() { again <- x.e.settle([]*request{r}, hold.Block) }()
	x.until("the rerun waits for the lost COMMIT", func() bool {
		return x.count1(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
	})
	if err := other.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := <-again; len(left) != 1 {
		t.Errorf("decided while its account's first row was being written: %v", r.err)
	}
}

// The caller's time is up while the engine finds out what became of the COMMIT.
func TestACallerWhoLeavesAfterALostCommitIsToldUnknown(t *testing.T) {
	t.Parallel()
	x := newSale(t, saleSpec{seats: 2})
	e, p := x.lossy()
	ctx, cancel := context.WithCancel(t.Context())
	p.LoseACommit(cancel)
	_, err := e.once(ctx, x.command(1), nil, func(context.Context, pgx.Tx, *hold.Event) (int, any, error) {
		return http.StatusOK, "done", nil
	})
	if !errors.Is(err, problem.OutcomeUnknown) || p.Lost.Load() != 1 {
		t.Errorf("got %v, %d lost", err, p.Lost.Load())
	}
}
