package check

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ropeline/ropeline/loadtest/history"
)

// A story is a small sale in rows: one event of ten seats at 5,000 each, with a
// limit of 4, and three accounts. Each test plants one violation into a clean one.
type story struct {
	*testing.T
	db *pgxpool.Pool
	t0 time.Time
	n  int
}

func tell(t *testing.T) *story {
	s := &story{T: t, db: database(t), t0: time.Now().Add(-time.Minute).Truncate(time.Millisecond)}
	run(t, s.db, `INSERT INTO account (subject, email) SELECT 'dev|' || n, n || '@example.org' FROM generate_series(1, 3) n`)
	run(t, s.db, `INSERT INTO event (slug, organiser, title, place, starts_at, time_zone, currency, max_per_account)
	              VALUES ('night', 'org', 'Night', 'Hall', now() + interval '1 day', 'Europe/Berlin', 'EUR', 4)`)
	run(t, s.db, `INSERT INTO seat (event_id, seat_id, class) SELECT 1, n, 'A' FROM generate_series(1, 10) n`)
	run(t, s.db, `INSERT INTO counter (event_id, id, kind, name, class, capacity) VALUES (1, 1, 'area', 'Floor', 'A', 3)`)
	run(t, s.db, `INSERT INTO account_event (event_id, account_id) SELECT 1, n FROM generate_series(1, 3) n`)
	return s
}

// id makes a uuid that says what it is when a test fails.
func (s *story) id() string {
	s.n++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", s.n)
}

// hold takes seats at second `at` of the story for `ttl` seconds.
func (s *story) hold(account, at, ttl int, seats ...int) string {
	s.Helper()
	id := s.id()
	from, until := s.at(at), s.at(at+ttl)
	run(s.T, s.db, `INSERT INTO hold VALUES (1, $1, $2, 1, $3, $3, $4, 0, $5, 'EUR', $6)`, id, account, from, until, 5000*len(seats), len(seats))
	for i, seat := range seats {
		run(s.T, s.db, `UPDATE seat SET state = 'held', hold_id = $2, hold_version = hold_version + 1, held_until = $3 WHERE seat_id = $1`, seat, id, until)
		run(s.T, s.db, `INSERT INTO hold_line (event_id, hold_id, line, seat_id, hold_version, account_id, qty, price, state, held_until)
			SELECT 1, $1, $2, seat_id, hold_version, $3, 1, 5000, 1, $4 FROM seat WHERE seat_id = $5`, id, i, account, until, seat)
	}
	return id
}

// sell confirms a hold at second `at`, captures it and returns order and payment.
func (s *story) sell(hold string, at int) (order string, paid Payment) {
	s.Helper()
	order, attempt := s.id(), s.id()
	when := s.at(at)
	run(s.T, s.db, `INSERT INTO orders (event_id, id, account_id, hold_id, state, amount, currency, fee, current_attempt, created_at, updated_at)
		SELECT 1, $1, account_id, id, 'captured', amount, 'EUR', amount / 20, $2, $3, $3 FROM hold WHERE id = $4`, order, attempt, when, hold)
	run(s.T, s.db, `INSERT INTO attempt (event_id, id, order_id, provider, phase, want, card_token, amount, currency, authorized, captured, created_at, next_at)
		SELECT 1, $1, id, 'fakepay', 'answered', 'keep', 'tok_ok', amount, 'EUR', amount, amount, $3, $3 FROM orders WHERE id = $2`, attempt, order, when)
	run(s.T, s.db, `UPDATE hold SET state = 2 WHERE id = $1`, hold)
	run(s.T, s.db, `UPDATE hold_line SET state = 2 WHERE hold_id = $1`, hold)
	run(s.T, s.db, `UPDATE seat SET state = 'sold' WHERE hold_id = $1`, hold)
	run(s.T, s.db, `INSERT INTO ticket (event_id, id, order_id, line, unit, seat_id, hold_version, account_id, issued_at)
		SELECT 1, gen_random_uuid(), $1, line, 1, seat_id, hold_version, account_id, $3 FROM hold_line WHERE hold_id = $2`, order, hold, when)
	run(s.T, s.db, `UPDATE account_event a SET sold = sold + (SELECT count(*) FROM ticket WHERE order_id = $1)
		WHERE account_id = (SELECT account_id FROM orders WHERE id = $1)`, order)
	var amount int64
	if err := s.db.QueryRow(s.Context(), `SELECT amount FROM orders WHERE id = $1`, order).Scan(&amount); err != nil {
		s.Fatal(err)
	}
	s.post(order, "confirm", "receivable:fakepay", amount, "payable:org", -amount+amount/20, "revenue", -amount/20)
	s.post(order, "capture", "clearing:fakepay", amount, "receivable:fakepay", -amount)
	return order, Payment{ID: "pay_" + attempt, Reference: "1-" + attempt, Amount: amount, Currency: "EUR", Authorized: amount, Captured: amount}
}

// post writes a journal; legs are account, amount, account, amount, ...
func (s *story) post(order, kind string, legs ...any) {
	s.Helper()
	id := order + " " + kind
	run(s.T, s.db, `INSERT INTO journal (event_id, id, kind, order_id, at) VALUES (1, $1, $2, $3, now())`, id, kind, order)
	var accounts []string
	var amounts []int64
	for i := 0; i < len(legs); i += 2 {
		accounts = append(accounts, legs[i].(string))
		amounts = append(amounts, legs[i+1].(int64))
	}
	run(s.T, s.db, `INSERT INTO posting (event_id, journal_id, line, account, amount, currency)
		SELECT 1, $1, n, a, m, 'EUR' FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS x(a, m, n)`, id, accounts, amounts)
}

func (s *story) at(second int) time.Time { return s.t0.Add(time.Duration(second) * time.Second) }

// expect runs one invariant and holds it against the number of findings.
func (s *story) expect(inv Invariant, want int, payments []Payment, spans ...history.Span) []Finding {
	s.Helper()
	if payments == nil {
		payments = []Payment{}
	}
	found, err := Run(s.Context(), []Invariant{inv}, &Evidence{DB: s.db, Payments: payments, History: spans})
	if err != nil {
		s.Fatal(err)
	}
	if len(found) != want {
		s.Fatalf("%s found %d exceptions, want %d: %+v", inv.ID, len(found), want, found)
	}
	return found
}
