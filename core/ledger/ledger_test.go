package ledger_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pgtest"
)

func eur(n int64) money.Amount { return money.Of(n, "EUR") }

func journal(id string, p ...ledger.Posting) ledger.Journal {
	return ledger.Journal{EventID: 1, ID: id, Kind: "confirm", OrderID: uuid.New(), At: time.Now(), Postings: p}
}

func post(t *testing.T, db *pgtest.DB, j ledger.Journal) (posted bool, err error) {
	t.Helper()
	err = db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) (err error) {
		posted, err = ledger.Post(ctx, tx, j)
		return err
	})
	return posted, err
}

func confirm(id string) ledger.Journal {
	return journal(id, ledger.Debit(ledger.Receivable("fakepay"), eur(1000)),
		ledger.Credit(ledger.Payable("lights"), eur(950)), ledger.Credit(ledger.Revenue, eur(50)))
}

func balance(t *testing.T, db *pgtest.DB, a ledger.Account) (n int64) {
	t.Helper()
	if err := db.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(amount), 0) FROM posting WHERE account = $1`, string(a)).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A fact that is heard twice is booked once.
func TestAJournalIsPostedOnce(t *testing.T) {
	db := pgtest.New(t)
	for i, want := range []bool{true, false} {
		if posted, err := post(t, db, confirm("a/confirm")); err != nil || posted != want {
			t.Errorf("time %d: %v, %v", i+1, posted, err)
		}
	}
	if r, p, v := balance(t, db, ledger.Receivable("fakepay")), balance(t, db, ledger.Payable("lights")), balance(t, db, ledger.Revenue); r != 1000 || p != -950 || v != -50 {
		t.Errorf("receivable %d, payable %d, revenue %d", r, p, v)
	}
}

func TestPostingsOfNothingAreDropped(t *testing.T) {
	db := pgtest.New(t)
	for id, j := range map[string]ledger.Journal{
		"no fee": journal("no fee", ledger.Debit(ledger.Receivable("p"), eur(5)), ledger.Credit(ledger.Payable("o"), eur(5)), ledger.Credit(ledger.Revenue, eur(0))),
		"free":   journal("free", ledger.Debit(ledger.Receivable("p"), eur(0)), ledger.Credit(ledger.Payable("o"), eur(0))),
	} {
		if posted, err := post(t, db, j); !posted || err != nil {
			t.Errorf("%s: %v, %v", id, posted, err)
		}
	}
}

// B45: what does not balance is refused with its difference, before the database
// sees it.
func TestAnUnbalancedJournalIsRefused(t *testing.T) {
	db := pgtest.New(t)
	r, p := ledger.Receivable("p"), ledger.Payable("o")
	for want, j := range map[string]ledger.Journal{
		"off by 0.01 EUR":  journal("j", ledger.Debit(r, eur(101)), ledger.Credit(p, eur(100))),
		"off by":           journal("j", ledger.Debit(r, eur(100)), ledger.Credit(p, money.Of(100, "USD"))),
		"off by -1.00 EUR": journal("j", ledger.Credit(p, eur(100))),
		"out of range":     journal("j", ledger.Debit(r, eur(math.MaxInt64)), ledger.Debit(r, eur(1))),
		"bad posting":      journal("j", ledger.Debit("", eur(1)), ledger.Credit(p, eur(1))),
		"needs both":       journal("", ledger.Debit(r, eur(1)), ledger.Credit(p, eur(1))),
	} {
		if _, err := post(t, db, j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := post(t, db, confirm("j")); err != nil {
		t.Errorf("a refused journal left its id behind: %v", err)
	}
}

// B45, AB29: who goes around this package meets the trigger and the privileges.
func TestTheDatabaseGuardsTheLedgerItself(t *testing.T) {
	db := pgtest.New(t)
	if _, err := post(t, db, confirm("a")); err != nil {
		t.Fatal(err)
	}
	try := func(sql string) error {
		_, err := db.Pool.Exec(t.Context(), sql)
		return err
	}
	for _, sql := range []string{
		`UPDATE posting SET amount = 1`, `DELETE FROM posting`, `TRUNCATE posting`, `UPDATE journal SET kind = ''`, `DELETE FROM journal`,
		`ALTER TABLE posting DISABLE TRIGGER ALL`, `DROP TABLE posting`, `SET ROLE ropeline_owner`, `COPY posting TO PROGRAM 'true'`,
	} {
		if c := pg.Code(try(sql)); c != "42501" {
			t.Errorf("%s: %q, want permission denied", sql, c)
		}
	}
	for sql, constraint := range map[string]string{
		`INSERT INTO posting VALUES (1, 'a', 9, 'revenue', 5, 'EUR')`:                                            "posting_balances",
		`INSERT INTO posting VALUES (1, 'a', 8, 'revenue', 5, 'EUR'), (1, 'a', 9, 'revenue', -5, 'USD')`:         "posting_balances",
		`INSERT INTO posting VALUES (1, 'a', 9, 'revenue', 0, 'EUR')`:                                            "posting_amount_check",
		`INSERT INTO posting VALUES (1, 'none', 1, 'revenue', 5, 'EUR'), (1, 'none', 2, 'payable:y', -5, 'EUR')`: "posting_event_id_journal_id_fkey",
		`INSERT INTO posting VALUES (1, 'a', 8, 'revenue', 5, 'EUR'), (1, 'a', 9, 'pocket', -5, 'EUR')`:          "account_in_chart",
		`INSERT INTO posting VALUES (1, 'a', 1, 'revenue', 5, 'EUR'), (1, 'a', 2, 'receivable', -5, 'EUR')`:      "posting_pkey",
	} {
		if c := pg.Constraint(try(sql)); c != constraint {
			t.Errorf("%s: refused by %q, want %s", sql, c, constraint)
		}
	}
}
