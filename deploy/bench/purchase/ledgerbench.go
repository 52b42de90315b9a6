package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/deploy/bench/figures"
)

const (
	ledgerClients = 8
	postBatch     = 64 // journals of one transaction: a batch of confirmations
	turns         = 3  // of each side
)

// ledgerBench measures what the database's check of the zero sum costs a posting, and what
// the journal costs a confirming transaction. The sides take turns.
func ledgerBench(ctx context.Context, s *server, out *figures.Figures) error {
	with, without, err := inTurns(func(check bool) (float64, error) {
		state := map[bool]string{true: "ENABLE", false: "DISABLE"}[check]
		if err := s.exec(ctx, `ALTER TABLE posting `+state+` TRIGGER posting_balances`); err != nil {
			return 0, err
		}
		return s.drive(ctx, func(ctx context.Context, tx pgx.Tx, _ int64) error {
			journals := make([]ledger.Journal, postBatch)
			for i := range journals {
				journals[i] = confirmation(uuid.New())
			}
			_, err := ledger.PostAll(ctx, tx, journals)
			return err
		})
	})
	if err != nil {
		return err
	}
	out.Note("%.0f journals/s with the database's check, %.0f without", with*postBatch, without*postBatch)
	out.Ratio("ledger.check_overhead", 1/with, 1/without) // time of one

	if err := s.exec(ctx, `ALTER TABLE posting ENABLE TRIGGER posting_balances`); err != nil {
		return err
	}
	if err := s.stockOrders(ctx); err != nil {
		return err
	}
	with, without, err = inTurns(func(journal bool) (float64, error) {
		return s.drive(ctx, func(ctx context.Context, tx pgx.Tx, n int64) error {
			order, err := confirm(ctx, tx, n)
			if err != nil || !journal {
				return err
			}
			_, err = ledger.Post(ctx, tx, confirmation(order))
			return err
		})
	})
	if err != nil {
		return err
	}
	out.Note("%.0f confirmations/s with the journal, %.0f without", with, without)
	out.Ratio("ledger.post_overhead", 1/with, 1/without)
	return nil
}

// inTurns measures both sides several times, one after the other, and gives their means.
func inTurns(side func(on bool) (float64, error)) (with, without float64, err error) {
	for range turns {
		for _, on := range []bool{false, true} {
			v, err := side(on)
			if err != nil {
				return 0, 0, err
			}
			if on {
				with += v / turns
			} else {
				without += v / turns
			}
		}
	}
	return with, without, nil
}

// drive runs transactions from several clients for a while, and gives their rate.
func (s *server) drive(ctx context.Context, fn func(context.Context, pgx.Tx, int64) error) (float64, error) {
	var n atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	begin := time.Now()
	for range ledgerClients {
		all.Go(func() {
			for time.Since(begin) < s.window() && failed.Load() == nil {
				err := s.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error { return fn(ctx, tx, seats.Add(1)) })
				if err != nil {
					failed.Store(&err)
					return
				}
				n.Add(1)
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(n.Load()) / time.Since(begin).Seconds(), nil
}

// seats numbers the transactions: each confirms an order of its own.
var seats atomic.Int64

func confirmation(order uuid.UUID) ledger.Journal {
	eur := func(n int64) money.Amount { return money.Of(n, "EUR") }
	return ledger.Journal{EventID: 1, ID: order.String() + ":confirm", Kind: "confirm", OrderID: order, At: time.Now(), Postings: []ledger.Posting{
		ledger.Credit(ledger.Payable("Bench"), eur(4750)), ledger.Credit(ledger.Revenue, eur(250)), ledger.Debit(ledger.Receivable("fakepay"), eur(5000))}}
}

// orders that wait for their confirmation, two seats each, as the tables have them after
// the payment was authorized.
const stockedOrders = 150_000

func (s *server) stockOrders(ctx context.Context) error {
	for _, sql := range []string{
		`INSERT INTO venue (slug, name, city, country, geometry_hash, geometry, seat_count) VALUES ('hall', 'Hall', 'Bonn', 'DE', 'x', '{}', 0)`,
		`INSERT INTO event (slug, venue_id, organiser, title, place, starts_at, time_zone, currency) VALUES ('gig', 1, 'Bench', 'Gig', 'Bonn', now() + interval '1 year', 'UTC', 'EUR')`,
		`INSERT INTO event_version VALUES (1)`,
		`INSERT INTO hold SELECT 1, md5('h' || n)::uuid, n, 1, now(), now(), now() + interval '1 hour', 0, 5000, 'EUR' FROM generate_series(1, $1::int) n`,
		`INSERT INTO account_event (event_id, account_id) SELECT 1, n FROM generate_series(1, $1::int) n`,
		`INSERT INTO seat (event_id, seat_id, class, state, hold_id, hold_version, held_until)
		 SELECT 1, 2 * n - k, 'A', 'held', md5('h' || n)::uuid, 1, now() + interval '1 hour' FROM generate_series(1, $1::int) n, generate_series(0, 1) k`,
		`INSERT INTO hold_line (event_id, hold_id, line, seat_id, hold_version, account_id, qty, price, state, held_until)
		 SELECT 1, md5('h' || n)::uuid, k + 1, 2 * n - k, 1, n, 1, 2500, 1, now() + interval '1 hour' FROM generate_series(1, $1::int) n, generate_series(0, 1) k`,
		`INSERT INTO orders (event_id, id, account_id, hold_id, state, amount, currency, fee, created_at, updated_at)
		 SELECT 1, md5('o' || n)::uuid, n, md5('h' || n)::uuid, 'verifying', 5000, 'EUR', 250, now(), now() FROM generate_series(1, $1::int) n`,
		`INSERT INTO attempt (event_id, id, order_id, provider, phase, card_token, amount, currency, created_at, next_at)
		 SELECT 1, md5('a' || n)::uuid, md5('o' || n)::uuid, 'fakepay', 'sent', 'tok', 5000, 'EUR', now(), now() FROM generate_series(1, $1::int) n`,
	} {
		args := []any{stockedOrders}
		if !contains(sql, "$1") {
			args = nil
		}
		if err := s.exec(ctx, sql, args...); err != nil {
			return err
		}
	}
	seats.Store(0)
	return s.exec(ctx, `VACUUM ANALYZE`)
}

// confirm writes what a confirmation writes beside its journal: the locks in the order of
// the house, then places, order, payment, tickets, outbox, and the version last.
func confirm(ctx context.Context, tx pgx.Tx, n int64) (order uuid.UUID, err error) {
	if n > stockedOrders {
		return order, fmt.Errorf("the %d orders are used up: a shorter -seconds", stockedOrders)
	}
	if err := tx.QueryRow(ctx, `SELECT md5('o' || $1::int)::uuid FROM event WHERE id = 1 FOR SHARE`, n).Scan(&order); err != nil {
		return order, err
	}
	b := new(pgx.Batch)
	for _, sql := range []string{
		`SELECT FROM account_event WHERE event_id = 1 AND account_id = $1::int FOR NO KEY UPDATE`,
		`SELECT FROM seat WHERE event_id = 1 AND seat_id IN (2 * $1::int - 1, 2 * $1::int) ORDER BY seat_id FOR NO KEY UPDATE`,
		`SELECT FROM orders WHERE event_id = 1 AND id = md5('o' || $1::int)::uuid FOR NO KEY UPDATE`,
		`SELECT FROM attempt WHERE event_id = 1 AND id = md5('a' || $1::int)::uuid FOR NO KEY UPDATE`,
		`UPDATE seat SET state = 'sold', held_until = NULL WHERE event_id = 1 AND seat_id IN (2 * $1::int - 1, 2 * $1::int)`,
		`UPDATE hold_line SET state = 2 WHERE event_id = 1 AND hold_id = md5('h' || $1::int)::uuid`,
		`UPDATE hold SET state = 2 WHERE event_id = 1 AND id = md5('h' || $1::int)::uuid`,
		`UPDATE account_event SET sold = 2 WHERE event_id = 1 AND account_id = $1::int`,
		`UPDATE orders SET state = 'confirmed', version = version + 1 WHERE event_id = 1 AND id = md5('o' || $1::int)::uuid`,
		`UPDATE attempt SET want = 'keep', authorized = 5000, phase = 'answered' WHERE event_id = 1 AND id = md5('a' || $1::int)::uuid`,
		`INSERT INTO ticket (event_id, id, order_id, line, unit, seat_id, hold_version, account_id, issued_at)
		 SELECT 1, gen_random_uuid(), md5('o' || $1::int)::uuid, k + 1, 1, 2 * $1::int - k, 1, $1::int, now() FROM generate_series(0, 1) k`,
		`INSERT INTO outbox (lane, aggregate, seq, kind, payload) VALUES ($1::int % 64, 'order:1:' || $1::int, 1, 'order_confirmed', '{"event": 1, "state": "confirmed"}')`,
		`UPDATE event_version SET v = v + (0 * $1::int) + 1 WHERE event_id = 1`,
	} {
		b.Queue(sql, n)
	}
	return order, tx.SendBatch(ctx, b).Close()
}
