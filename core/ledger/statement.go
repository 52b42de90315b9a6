package ledger

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/pg"
)

// Period of a statement: from From (inclusive) to Until (exclusive). Zero: no bound.
type Period struct{ From, Until time.Time }

// ParsePeriod reads two days, either of which may be missing. Days are UTC.
func ParsePeriod(from, until string) (p Period, err error) {
	for _, x := range []struct {
		name, text string
		to         *time.Time
	}{{"from", from, &p.From}, {"until", until, &p.Until}} {
		if x.text == "" {
			continue
		}
		if *x.to, err = time.ParseInLocation(time.DateOnly, x.text, time.UTC); err != nil {
			return p, fmt.Errorf("%s: %q is no day; write it like 2027-03-01", x.name, x.text)
		}
	}
	if !p.From.IsZero() && !p.Until.IsZero() && !p.From.Before(p.Until) {
		return p, fmt.Errorf("from: %s is not before until, %s, which is not in it; for one day write the next as until", from, until)
	}
	return p, nil
}

// ErrNoOrganiser: no event names this organiser.
var ErrNoOrganiser = errors.New("no event is of this organiser")

// statementColumns of the CSV. Amounts are decimals of their currency; net is what the
// line changes for the organiser, balance what is owed to them after it.
var statementColumns = []string{"at", "event", "order", "kind", "currency", "gross", "platform_fee", "fee_kept", "net", "balance"}

// WriteStatement writes what an organiser is owed and why, as CSV: one line a journal,
// oldest first within a currency, of one event or ("") of all. The sum of net is the
// balance. Run it in one snapshot.
func WriteStatement(ctx context.Context, q pg.Querier, w io.Writer, organiser, event string, p Period) error {
	var known bool
	if err := q.QueryRow(ctx, sqlOrganiser, organiser, event).Scan(&known); err != nil {
		return fmt.Errorf("find organiser: %w", err)
	}
	if !known {
		return ErrNoOrganiser
	}
	out := csv.NewWriter(w)
	if err := out.Write(statementColumns); err != nil {
		return err
	}
	balance, err := opening(ctx, q, out, organiser, event, p.From)
	if err != nil {
		return err
	}
	rows, err := q.Query(ctx, sqlStatement, string(Payable(organiser)), string(FeesKept(organiser)), event, orNull(p.From), orNull(p.Until))
	if err != nil {
		return fmt.Errorf("read statement: %w", err)
	}
	var (
		at                   time.Time
		slug, kind           string
		eventID              int64
		order                uuid.UUID
		c                    money.Currency
		payable, kept, share int64
	)
	_, err = pgx.ForEachRow(rows, []any{&at, &slug, &eventID, &order, &kind, &c, &payable, &kept, &share}, func() error {
		ref := ""
		if order != uuid.Nil {
			ref = fmt.Sprintf("%d-%s", eventID, order)
		}
		balance[c] += payable + kept
		d := func(minor int64) string { return money.Of(minor, c).Decimal() }
		return out.Write([]string{at.UTC().Format("2006-01-02T15:04:05.000Z"), slug, ref, kind, string(c),
			d(payable + share), d(share), d(kept), d(payable + kept), d(balance[c])})
	})
	if err != nil {
		return fmt.Errorf("read statement: %w", err)
	}
	out.Flush()
	return out.Error()
}

// opening writes what was owed before the period, a line a currency.
func opening(ctx context.Context, q pg.Querier, out *csv.Writer, organiser, event string, from time.Time) (map[money.Currency]int64, error) {
	balance := map[money.Currency]int64{}
	if from.IsZero() {
		return balance, nil
	}
	rows, err := q.Query(ctx, sqlStatementOpening, string(Payable(organiser)), string(FeesKept(organiser)), event, from)
	if err != nil {
		return nil, fmt.Errorf("read opening balance: %w", err)
	}
	var c money.Currency
	var sum int64
	_, err = pgx.ForEachRow(rows, []any{&c, &sum}, func() error {
		balance[c] = sum
		return out.Write([]string{from.UTC().Format("2006-01-02T15:04:05.000Z"), event, "", "opening", string(c), "", "", "", "", money.Of(sum, c).Decimal()})
	})
	return balance, err
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Owed is what an organiser may be paid for an event, under a lock that keeps a second
// payout out until the transaction ends.
func Owed(ctx context.Context, tx pgx.Tx, organiser string, event int64, c money.Currency) (money.Amount, error) {
	if _, err := tx.Exec(ctx, sqlOwedLock, organiser); err != nil {
		return money.Amount{}, fmt.Errorf("lock payouts: %w", err)
	}
	a := money.Of(0, c)
	if err := tx.QueryRow(ctx, sqlOwed, event, string(Payable(organiser)), string(FeesKept(organiser)), c).Scan(&a.Minor); err != nil {
		return a, fmt.Errorf("read what is owed: %w", err)
	}
	return a, nil
}

// Statements of statements.
const (
	sqlOrganiser = `SELECT EXISTS (SELECT FROM event WHERE organiser = $1 AND ($2 = '' OR slug = $2))`

	// Seen from the organiser: a credit of theirs is above zero.
	sqlStatement = `
SELECT j.at, coalesce(e.slug, ''), j.event_id, j.order_id, j.kind, p.currency,
       coalesce(-sum(p.amount) FILTER (WHERE p.account = $1), 0)::bigint,
       coalesce(-sum(p.amount) FILTER (WHERE p.account = $2), 0)::bigint,
       coalesce(-sum(p.amount) FILTER (WHERE p.account = 'revenue'), 0)::bigint
  FROM journal j JOIN posting p ON p.event_id = j.event_id AND p.journal_id = j.id
  LEFT JOIN event e ON e.id = j.event_id
 WHERE ($3 = '' OR e.slug = $3) AND ($4::timestamptz IS NULL OR j.at >= $4) AND ($5::timestamptz IS NULL OR j.at < $5)
 GROUP BY j.event_id, j.id, e.slug, p.currency
HAVING bool_or(p.account IN ($1, $2)) ORDER BY p.currency, j.at, j.xid, j.event_id, j.id`

	sqlStatementOpening = `
SELECT p.currency, (-sum(p.amount))::bigint
  FROM journal j JOIN posting p ON p.event_id = j.event_id AND p.journal_id = j.id AND p.account IN ($1, $2)
  LEFT JOIN event e ON e.id = j.event_id
 WHERE ($3 = '' OR e.slug = $3) AND j.at < $4 GROUP BY 1 ORDER BY 1`

	sqlOwedLock = `SELECT pg_advisory_xact_lock(hashtextextended('payout:' || $1, 0))`
	sqlOwed     = `SELECT coalesce(-sum(amount), 0)::bigint FROM posting WHERE event_id = $1 AND account IN ($2, $3) AND currency = $4`
)
