// Package ledger is double entry, append only: a journal is a fact about money,
// its postings sum to zero in every currency, and nothing is ever changed.
//
// The sum is checked three times: here with a good message, by a statement trigger
// for whoever goes around this package, and by the auditor over everything. The
// application's role has INSERT and SELECT on the tables and nothing else.
package ledger

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
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
	Kind     string    // "confirm", "capture", "late_money", ...
	OrderID  uuid.UUID // the zero value: of no order
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
	n, err := PostAll(ctx, tx, []Journal{j})
	return n == 1, err
}

// PostAll books journals, of one order or of many, with one statement, and returns
// how many were new. It writes them in the order of their names: two transactions that
// book the same facts wait for each other in a row and not in a circle.
func PostAll(ctx context.Context, tx pgx.Tx, journals []Journal) (posted int64, err error) {
	if len(journals) == 0 {
		return 0, nil
	}
	sorted := slices.Clone(journals)
	slices.SortFunc(sorted, func(a, b Journal) int { return cmp.Or(cmp.Compare(a.EventID, b.EventID), cmp.Compare(a.ID, b.ID)) })
	var r rows
	for _, j := range sorted {
		if err := j.check(); err != nil {
			return 0, err
		}
		r.add(j)
	}
	// One INSERT of all postings: the trigger looks at the rows of one statement.
	err = tx.QueryRow(ctx, sqlPost, r.events, r.ids, r.kinds, r.orders, r.times,
		r.ofEvent, r.ofJournal, r.lines, r.accounts, r.amounts, r.currencies).Scan(&posted)
	if err != nil {
		return 0, fmt.Errorf("post %s: %w", sorted[0].ID, err)
	}
	return posted, nil
}

// rows are journals and their postings as parallel arrays.
type rows struct {
	events     []int64
	ids, kinds []string
	orders     []uuid.UUID
	times      []time.Time

	ofEvent    []int64
	ofJournal  []string
	lines      []int16
	accounts   []string
	amounts    []int64
	currencies []string
}

func (r *rows) add(j Journal) {
	r.events, r.ids, r.kinds = append(r.events, j.EventID), append(r.ids, j.ID), append(r.kinds, j.Kind)
	r.orders, r.times = append(r.orders, j.OrderID), append(r.times, j.At)
	line := int16(0)
	for _, p := range j.Postings {
		if p.Amount.Minor == 0 {
			continue
		}
		line++
		r.ofEvent, r.ofJournal, r.lines = append(r.ofEvent, j.EventID), append(r.ofJournal, j.ID), append(r.lines, line)
		r.accounts, r.amounts = append(r.accounts, string(p.Account)), append(r.amounts, p.Amount.Minor)
		r.currencies = append(r.currencies, string(p.Amount.Currency))
	}
}
