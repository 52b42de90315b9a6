package booking

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
)

// Two lanes have the first hold of one account: the second lane's request has its turn
// later, and the others of its batch are not kept waiting.
func TestTheFirstHoldOfAnAccountInTwoLanes(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	mine, _ := x.e.newcomers.enter([]hold.AccountRef{{Event: 1, ID: 2}}) // as the other lane does
	rs := x.waiters(3, func(i int) HoldRequest { return seats(int32(i + 1)) })
	if skipped := x.e.settle(rs, hold.Skip); len(skipped) != 1 || skipped[0] != rs[1] || rs[0].err != nil || rs[2].err != nil {
		t.Fatalf("skipped %v; %v, %v", skipped, rs[0].err, rs[2].err)
	}
	x.e.newcomers.leave(mine)
	if skipped := x.e.settle(rs[1:2], hold.Skip); len(skipped) != 0 || rs[1].err != nil {
		t.Fatalf("after the other lane: %v", rs[1].err)
	}
	if n := len(x.e.newcomers.set); n != 0 {
		t.Errorf("%d accounts are left behind", n)
	}
}

// The first hold of an account is committed after a second try of the same request has found
// no row of the account, and before it finds the seats held: they are its own. It is not told
// that they are taken, but what the first was.
func TestTheFirstHoldIsNobodyElses(t *testing.T) {
	x := newSale(t, saleSpec{seats: 4})
	rs := x.waiters(1, func(int) HoldRequest { return seats(1, 2) })
	other, err := x.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	account, id := rs[0].key.account, uuid.New()
	for _, w := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO account_event (event_id, account_id) VALUES (1, $1)`, []any{account}},
		{`UPDATE seat SET state = 'held', hold_id = $1, hold_version = 1, held_until = now() + interval '8 min' WHERE seat_id IN (1, 2)`, []any{id}},
		{`INSERT INTO hold (event_id, id, account_id, state, created_at, first_held_at, held_until, amount, currency, places)
			VALUES (1, $1, $2, 1, now(), now(), now() + interval '8 min', 5000, 'EUR', 2)`, []any{id, account}},
		{`INSERT INTO hold_line (event_id, hold_id, line, seat_id, hold_version, account_id, qty, price, state, held_until)
			SELECT 1, $1, n, n, 1, $2, 1, 2500, 1, now() + interval '8 min' FROM generate_series(1, 2) n`, []any{id, account}},
		{`INSERT INTO idempotency (slot, event_id, account_id, id, body_hash, status, body) VALUES ($1, 1, $2, $3, $4, 201, 'the first')`,
			[]any{slotOf(x.now(), 0), account, rs[0].row.id, rs[0].print}},
	} {
		if _, err := other.Exec(t.Context(), w.sql, w.args...); err != nil {
			t.Fatal(err)
		}
	}
	skipped := make(chan []*request, 1)
	go func() { skipped <- x.e.settle(rs, hold.Block) }()
	x.until("the second waits for the seats", func() bool {
		return x.count1(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
	})
	if err := other.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := <-skipped; len(again) != 1 {
		t.Fatalf("not put off: %s, %v", rs[0].answer.Body, rs[0].err)
	}
	if again := x.e.settle(rs, hold.Block); len(again) != 0 || rs[0].err != nil || string(rs[0].answer.Body) != "the first" {
		t.Errorf("its next turn: %s, %v", rs[0].answer.Body, rs[0].err)
	}
}

// Another process writes an account's first row at the same time. Whoever is second runs
// again, and finds what the first has done: also the answer to its own key.
func TestTheFirstHoldOfAnAccountInTwoProcesses(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, limit: 2})
	for account, sameKey := range map[int64]bool{1: false, 2: true} {
		c := x.command(account)
		other, err := x.db.Pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		exec := func(sql string, args ...any) {
			t.Helper()
			if _, err := other.Exec(t.Context(), sql, args...); err != nil {
				t.Fatal(err)
			}
		}
		id := uuid.New()
		exec(`INSERT INTO account_event (event_id, account_id) VALUES (1, $1)`, account)
		exec(`UPDATE seat SET state = 'held', hold_id = $1, hold_version = 1, held_until = now() + interval '8 min' WHERE seat_id = $2`, id, account+4)
		exec(`INSERT INTO hold (event_id, id, account_id, state, created_at, first_held_at, held_until, amount, currency, places)
			VALUES (1, $1, $2, 1, now(), now(), now() + interval '8 min', 2500, 'EUR', 1)`, id, account)
		exec(`INSERT INTO hold_line (event_id, hold_id, line, seat_id, hold_version, account_id, qty, price, state, held_until)
			VALUES (1, $1, 1, $2, 1, $3, 1, 2500, 1, now() + interval '8 min')`, id, account+4, account)
		if sameKey {
			row := key{1, account, c.Route, c.Key}.row()
			exec(`INSERT INTO idempotency (slot, event_id, account_id, id, body_hash, status, body) VALUES ($1, 1, $2, $3, $4, 201, 'the other''s')`,
				slotOf(x.now(), 0), account, row.id, c.fingerprint())
		}
		type end struct {
			a   Answer
			err error
		}
		done := make(chan end, 1)
		go func() {
			a, err := x.e.Hold(context.Background(), c, seats(int32(account)*2-1, int32(account)*2)) // with the other's, one too many
			done <- end{a, err}
		}()
		x.until("the second waits for the first", func() bool {
			return x.count1(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
		})
		if err := other.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		switch got := <-done; {
		case sameKey && (got.err != nil || !got.a.Replayed || string(got.a.Body) != "the other's"):
			t.Errorf("with the other's key: %+v, %v", got.a, got.err)
		case !sameKey:
			wantCode(t, got.err, "limit_exceeded") // it counts what the first has taken
		}
	}
	if n := x.count1(`SELECT count(*) FROM account_event`); n != 2 {
		t.Errorf("%d rows of two accounts", n)
	}
}
