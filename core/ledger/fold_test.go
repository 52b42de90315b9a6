package ledger_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/pgtest"
)

func fold(t *testing.T, db *pgtest.DB) (f ledger.Folded) {
	t.Helper()
	err := db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) (err error) {
		f, err = ledger.Fold(ctx, tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func verify(t *testing.T, db *pgtest.DB) string {
	t.Helper()
	faults, err := ledger.Verify(t.Context(), db.Pool)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(faults)
}

func trial(t *testing.T, db *pgtest.DB) (text string, sums map[money.Currency]int64) {
	t.Helper()
	list, err := ledger.Trial(t.Context(), db.Pool, "")
	if err != nil {
		t.Fatal(err)
	}
	sums = map[money.Currency]int64{}
	var b strings.Builder
	for _, x := range list {
		sums[x.Amount.Currency] += x.Amount.Minor
		fmt.Fprintf(&b, "%s %s (%d) ", x.Kind, x.Amount, x.Postings)
	}
	return b.String(), sums
}

// B50 of the books: the transaction that began first commits last. A cursor on ids
// would pass its journal over.
func TestTheFoldMissesNoTransaction(t *testing.T) {
	db := pgtest.New(t)
	late, err := db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = late.Rollback(context.Background()) }()
	if _, err := ledger.Post(t.Context(), late, confirm("began first")); err != nil {
		t.Fatal(err)
	}
	if _, err := post(t, db, confirm("began second")); err != nil {
		t.Fatal(err)
	}
	if f := fold(t, db); f.Journals != 0 || f.Waiting != 1 {
		t.Errorf("with an older transaction open: %+v, want nothing folded and one waiting", f)
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f := fold(t, db); f.Journals != 2 || f.Waiting != 0 {
		t.Errorf("after its commit: %+v, want both", f)
	}
	text, _ := trial(t, db)
	if want := "payable -19.00 EUR (2) receivable 20.00 EUR (2) revenue -1.00 EUR (2) "; text != want {
		t.Errorf("trial balance %q, want %q", text, want)
	}
	if f := fold(t, db); f.Journals != 0 {
		t.Errorf("folded twice: %+v", f)
	}
	if got := verify(t, db); got != "[]" {
		t.Errorf("faults: %s", got)
	}
}

func TestTheTrialBalanceIsZeroInEveryCurrency(t *testing.T) {
	db := pgtest.New(t)
	for i, c := range []money.Currency{"JPY", "EUR", "KWD"} {
		n := int64(18600 + i)
		j := journal(string(c), ledger.Debit(ledger.Receivable("p"), money.Of(n, c)), ledger.Credit(ledger.Payable("o"), money.Of(n, c)))
		if _, err := post(t, db, j); err != nil {
			t.Fatal(err)
		}
	}
	fold(t, db)
	text, sums := trial(t, db)
	for c, s := range sums {
		if s != 0 {
			t.Errorf("%s is off by %d", c, s)
		}
	}
	for _, want := range []string{"receivable 18600 JPY", "receivable 186.01 EUR", "receivable 18.602 KWD"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}

// L1 to L4 and the folds: each kind of damage, done as the owner since the application
// cannot, is named.
func TestVerifyNamesTheDamage(t *testing.T) {
	for _, tc := range []struct{ name, damage, want string }{
		{"an amount", `UPDATE posting SET amount = amount + 1 WHERE journal_id = 'a' AND line = 1`, "L1: journal a of event 1 is off by 1 EUR"},
		{"two amounts", `UPDATE posting SET amount = amount * 2 WHERE journal_id = 'a'`, "L3: what seal 1 covers"},
		{"a moved account", `UPDATE posting SET account = 'payable:mine' WHERE account = 'payable:lights'`, "L3: what seal 1 covers"},
		{"a lost journal", `WITH p AS (DELETE FROM posting WHERE journal_id = 'a') DELETE FROM journal WHERE id = 'a'`, "it had 2 journals and 6 postings, now 1 and 3"},
		{"a lost seal", `DELETE FROM ledger_seal WHERE n = 1`, "a seal is missing"},
		{"a privilege", `GRANT UPDATE ON posting TO ropeline_app`, "L3: role ropeline_app may UPDATE posting"},
		{"a fold", `UPDATE ledger_balance SET balance = balance + 1 WHERE account = 'revenue'`, "folds: account revenue of event 1"},
		{"a cause", `INSERT INTO journal VALUES (1, 'x', 'capture', gen_random_uuid(), now())`, "L4: capture of order"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			db := pgtest.New(t)
			for _, id := range []string{"a", "b"} {
				if _, err := post(t, db, confirm(id)); err != nil {
					t.Fatal(err)
				}
			}
			fold(t, db)
			if _, err := post(t, db, confirm("c")); err != nil {
				t.Fatal(err)
			}
			fold(t, db)
			if got := verify(t, db); got != "[]" {
				t.Fatalf("before: %s", got)
			}
			// The trigger and the foreign key are the owner's to switch off.
			db.Owner(t, `ALTER TABLE posting DISABLE TRIGGER USER`)
			db.Owner(t, tc.damage)
			if got := verify(t, db); !strings.Contains(got, tc.want) {
				t.Errorf("faults: %s\nwant one with %q", got, tc.want)
			}
		})
	}
}

// A set of journals is one statement; what is booked already stays as it is.
func TestJournalsOfASetAreBookedOnce(t *testing.T) {
	db := pgtest.New(t)
	if _, err := post(t, db, confirm("b")); err != nil {
		t.Fatal(err)
	}
	err := db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		n, err := ledger.PostAll(ctx, tx, []ledger.Journal{confirm("c"), confirm("b"), confirm("a")})
		if n != 2 {
			t.Errorf("%d new, want 2", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := balance(t, db, ledger.Receivable("fakepay")); got != 3000 {
		t.Errorf("receivable %d", got)
	}
}

// The chart of the code and of the table are the same.
func TestTheChartIsTheTables(t *testing.T) {
	db := pgtest.New(t)
	for _, k := range ledger.Chart {
		a := ledger.Account(k.Name + ":x")
		if a.Kind() != k.Name {
			t.Errorf("%s is of kind %s", a, a.Kind())
		}
		if _, err := post(t, db, journal(k.Name, ledger.Debit(a, eur(1)), ledger.Credit(ledger.Revenue, eur(1)))); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}
