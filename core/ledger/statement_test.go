package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/pgtest"
)

// TestStatement is the life of one order and one payout as the organiser reads it.
func TestStatement(t *testing.T) {
	db := pgtest.New(t)
	db.Owner(t, `INSERT INTO event (slug, organiser, title, place, starts_at, time_zone, currency) VALUES
		('gala', 'Lights, Ltd', 'Gala', 'Ghent', now(), 'UTC', 'EUR'), ('ball', 'Lights, Ltd', 'Ball', 'Ghent', now(), 'UTC', 'EUR')`)
	day := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	owner := "Lights, Ltd"
	order := uuid.MustParse("11111111-2222-3333-4444-555555555555")
	at := func(days int, event int64, kind string, o uuid.UUID, p ...ledger.Posting) {
		t.Helper()
		if _, err := post(t, db, ledger.Journal{EventID: event, ID: kind, Kind: kind, OrderID: o, At: day.AddDate(0, 0, days), Postings: p}); err != nil {
			t.Fatal(err)
		}
	}
	at(0, 1, "confirm", order, ledger.Debit(ledger.Receivable("p"), eur(10000)), ledger.Credit(ledger.Payable(owner), eur(9500)), ledger.Credit(ledger.Revenue, eur(500)))
	at(0, 1, "capture", order, ledger.Debit(ledger.Clearing("p"), eur(10000)), ledger.Credit(ledger.Receivable("p"), eur(10000)))
	at(1, 2, "confirm", order, ledger.Debit(ledger.Receivable("p"), eur(200)), ledger.Credit(ledger.Payable(owner), eur(200)))
	at(2, 1, "refund_reserved", order, ledger.Debit(ledger.Payable(owner), eur(4750)), ledger.Debit(ledger.Revenue, eur(250)),
		ledger.Credit(ledger.RefundsDue, eur(4000)), ledger.Credit(ledger.FeesKept(owner), eur(1000)))
	at(3, 1, "payout", uuid.Nil, ledger.Debit(ledger.Payable(owner), eur(5000)), ledger.Credit(ledger.Bank, eur(5000)))

	write := func(event string, p ledger.Period) string {
		t.Helper()
		var b strings.Builder
		if err := ledger.WriteStatement(t.Context(), db.Pool, &b, owner, event, p); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const head = "at,event,order,kind,currency,gross,platform_fee,fee_kept,net,balance\n"
	if got, want := write("gala", ledger.Period{}), head+`2027-03-01T12:00:00.000Z,gala,1-11111111-2222-3333-4444-555555555555,confirm,EUR,100.00,5.00,0.00,95.00,95.00
2027-03-03T12:00:00.000Z,gala,1-11111111-2222-3333-4444-555555555555,refund_reserved,EUR,-50.00,-2.50,10.00,-37.50,57.50
2027-03-04T12:00:00.000Z,gala,,payout,EUR,-50.00,0.00,0.00,-50.00,7.50
`; got != want {
		t.Errorf("of the event:\n%s\nwant\n%s", got, want)
	}
	if got, want := write("", ledger.Period{From: day.AddDate(0, 0, 2), Until: day.AddDate(0, 0, 3)}), head+`2027-03-03T12:00:00.000Z,,,opening,EUR,,,,,97.00
2027-03-03T12:00:00.000Z,gala,1-11111111-2222-3333-4444-555555555555,refund_reserved,EUR,-50.00,-2.50,10.00,-37.50,59.50
`; got != want {
		t.Errorf("of a day:\n%s\nwant\n%s", got, want)
	}
	err := ledger.WriteStatement(t.Context(), db.Pool, &strings.Builder{}, "Nobody", "", ledger.Period{})
	if !errors.Is(err, ledger.ErrNoOrganiser) {
		t.Errorf("of nobody: %v", err)
	}
	err = db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		owed, err := ledger.Owed(ctx, tx, owner, 1, "EUR")
		if owed.Minor != 750 {
			t.Errorf("owed %s, want 7.50 EUR", owed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAPeriodRunsForward(t *testing.T) {
	for _, c := range []struct{ from, until, want string }{
		{"2027-03-01", "2027-03-02", ""}, {"2027-03-01", "", ""}, {"", "2027-03-01", ""},
		{"2027-03-02", "2027-03-01", "from: 2027-03-02 is not before until, 2027-03-01"},
		{"2027-03-01", "2027-03-01", "from: 2027-03-01 is not before until"},
		{"March", "", `from: "March" is no day`},
	} {
		_, err := ledger.ParsePeriod(c.from, c.until)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %s: %v, want %q", c.from, c.until, err, c.want)
		}
	}
}
