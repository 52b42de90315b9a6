// Package ledger is double entry, append only: a journal is a fact about money,
// its postings sum to zero in every currency, and nothing is ever changed.
//
// The sum is checked three times: here with a good message, by a statement trigger
// for whoever goes around this package, and by the auditor over everything. The
// application's role has INSERT and SELECT on the tables and nothing else.
package ledger

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/money"
)

// Posting moves an amount: > 0 is a debit, < 0 a credit, 0 is not a posting.
type Posting struct {
	Account Account
	Amount  money.Amount
}

// Debit and Credit make postings of a positive amount.
func Debit(a Account, m money.Amount) Posting { return Posting{a, m} }

// Credit is the other side of Debit.
func Credit(a Account, m money.Amount) Posting {
	m.Minor = -m.Minor
	return Posting{a, m}
}

// Journal is one fact and its postings.
type Journal struct {
	EventID int64
	// ID names the fact: attempt or order, kind, cumulative amount. Posting it again
	// has no effect, so a fact that is heard twice is booked once.
	ID       string
	Kind     string // "confirm", "capture", "late_money", ...
	OrderID  uuid.UUID
	At       time.Time
	Postings []Posting // those of amount 0 are dropped: a fee may be nothing
}

// check is the rule: at least two postings, sum zero in each currency, no overflow.
func (j Journal) check() error {
	sums := make(map[money.Currency]money.Amount, 1)
	n := 0
	for _, p := range j.Postings {
		if p.Amount.Minor == math.MinInt64 || p.Account == "" || !p.Amount.Currency.Known() {
			return fmt.Errorf("journal %s: bad posting %+v", j.ID, p)
		}
		if p.Amount.Minor == 0 {
			continue
		}
		n++
		s, ok := sums[p.Amount.Currency]
		if !ok {
			s = money.Of(0, p.Amount.Currency)
		}
		s, err := s.Add(p.Amount)
		if err != nil {
			return fmt.Errorf("journal %s: %w", j.ID, err)
		}
		sums[p.Amount.Currency] = s
	}
	if j.ID == "" || j.Kind == "" {
		return fmt.Errorf("journal %q of kind %q needs both", j.ID, j.Kind)
	}
	for _, s := range sums {
		if s.Minor != 0 {
			return fmt.Errorf("journal %s is off by %s", j.ID, s)
		}
	}
	if n == 1 {
		return fmt.Errorf("journal %s has one posting", j.ID)
	}
	return nil
}

// Post books a journal. A journal whose id is there already posts nothing and
// returns false. One whose postings are all zero is kept as a fact without postings.
func Post(ctx context.Context, tx pgx.Tx, j Journal) (posted bool, err error) {
	if err := j.check(); err != nil {
		return false, err
	}
	tag, err := tx.Exec(ctx, sqlJournal, j.EventID, j.ID, j.Kind, j.OrderID, j.At)
	if err != nil {
		return false, fmt.Errorf("journal %s: %w", j.ID, err)
	}
	if tag.RowsAffected() == 0 {
		return false, nil
	}
	var (
		accounts   []string
		amounts    []int64
		currencies []string
	)
	for _, p := range j.Postings {
		if p.Amount.Minor != 0 {
			accounts = append(accounts, string(p.Account))
			amounts = append(amounts, p.Amount.Minor)
			currencies = append(currencies, string(p.Amount.Currency))
		}
	}
	if len(accounts) == 0 {
		return true, nil
	}
	// One INSERT: the trigger looks at the rows of one statement.
	if _, err := tx.Exec(ctx, sqlPostings, j.EventID, j.ID, accounts, amounts, currencies); err != nil {
		return false, fmt.Errorf("postings of journal %s: %w", j.ID, err)
	}
	return true, nil
}
