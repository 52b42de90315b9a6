package booking

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/pg"
)

// matching is one run while it goes on.
type matching struct {
	e   *Engine
	p   payment.Settler
	r   *Reconciliation
	run int64

	differences []difference
	findings    []Break // of no payment of ours: rows of the report, places
	recheck     []Ref   // payments with an open break from before
}

// match loads the report into a table of this transaction and compares sets: row by row
// a million payments would take an hour.
func (m *matching) match(ctx context.Context, tx pgx.Tx) error {
	if err := tx.QueryRow(ctx, sqlReconBegin, m.r.Provider, m.r.From, m.r.Until).Scan(&m.run); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if _, err := tx.Exec(ctx, sqlReconMemory); err != nil {
		return fmt.Errorf("ask for memory: %w", err)
	}
	if _, err := tx.Exec(ctx, sqlReportTable); err != nil {
		return fmt.Errorf("make a table for the report: %w", err)
	}
	if err := clocked(&m.r.Took.Load, func() error { return m.load(ctx, tx) }); err != nil {
		return err
	}
	if err := clocked(&m.r.Took.Keep, func() error { return errors.Join(m.duplicates(ctx, tx), m.keep(ctx, tx)) }); err != nil {
		return err
	}
	return clocked(&m.r.Took.Compare, func() error { return m.compareAll(ctx, tx) })
}

// compareAll compares the payments of the report, of the time, and of open breaks.
func (m *matching) compareAll(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, sqlOpenSubjects, m.r.Provider)
	if err != nil {
		return fmt.Errorf("read open breaks: %w", err)
	}
	subjects, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read open breaks: %w", err)
	}
	for _, s := range subjects {
		if r, err := ParseRef(s); err == nil {
			m.recheck = append(m.recheck, r)
		}
	}
	if err := m.touchTables(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, sqlTouchReport); err != nil { // the most of them, and first
		return fmt.Errorf("find the payments of the report: %w", err)
	}
	if _, err := tx.Exec(ctx, sqlTouchWindow, m.r.Provider, m.r.From.Add(-createdBefore), m.r.Until); err != nil {
		return fmt.Errorf("find the payments of the time: %w", err)
	}
	if err := m.touch(ctx, tx, m.recheck); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `ANALYZE touched`); err != nil {
		return fmt.Errorf("count the payments: %w", err)
	}
	m.differences, err = m.compare(ctx, tx)
	return err
}

// load streams the report into the table. Unreadable rows are breaks; the run goes on.
func (m *matching) load(ctx context.Context, tx pgx.Tx) error {
	next, stop := iter.Pull2(m.p.Settlement(ctx, m.r.From, m.r.Until))
	defer stop()
	row := make([]any, 9)
	var err error
	m.r.Rows, err = tx.CopyFrom(ctx, pgx.Identifier{"report"},
		[]string{"event_id", "attempt_id", "id", "kind", "payment_ref", "amount", "fee", "currency", "at"},
		pgx.CopyFromFunc(func() ([]any, error) {
			for {
				x, err, more := next()
				if !more || err != nil {
					return nil, err
				}
				if x.Unreadable == "" {
					m.fill(row, x)
					return row, nil
				}
				m.findings = append(m.findings, Break{Class: BreakUnreadable, Provider: m.r.Provider, Subject: text(x.Unreadable), Detail: "a row of the report cannot be read"})
				if len(m.findings) > maxBreaks {
					return nil, errors.New("too many rows cannot be read: this is no settlement report")
				}
			}
		}))
	if err != nil {
		return fmt.Errorf("load the report: %w", err)
	}
	_, err = tx.Exec(ctx, `ANALYZE report`)
	return err
}

// fill turns a movement into a row: by our reference where it is one, else by the
// provider's own name of the payment.
func (m *matching) fill(row []any, x payment.Movement) {
	r, err := ParseRef(x.Reference)
	var ref *string
	if err != nil {
		r = Ref{}
		if ref = &x.PaymentRef; x.Kind == payment.MovePayout {
			ref = nil
		}
	}
	row[0], row[1], row[2], row[3], row[4] = r.Event, [16]byte(r.ID), x.ID, string(x.Kind), ref
	row[5], row[6], row[7], row[8] = x.Amount, x.Fee, x.Currency, x.At
}

// duplicates are rows with one id. The first is taken, the others change nothing.
func (m *matching) duplicates(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, sqlDuplicates, maxBreaks)
	if err != nil {
		return fmt.Errorf("find duplicates: %w", err)
	}
	var id, currency string
	var n, amount int64
	_, err = pgx.ForEachRow(rows, []any{&id, &n, &amount, &currency}, func() error {
		there := amount
		m.findings = append(m.findings, Break{Class: BreakDuplicate, Provider: m.r.Provider, Subject: id, There: &there, Currency: currency,
			Detail: fmt.Sprintf("the row is in the report %d times; it counts once", n)})
		return nil
	})
	return err
}

// keep takes new rows into the settlements for good, and books what only a report tells:
// the provider's fees and its payouts to our bank.
func (m *matching) keep(ctx context.Context, tx pgx.Tx) error {
	now, err := pg.Now(ctx, tx)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, sqlKeep, m.r.Provider)
	if err != nil {
		return fmt.Errorf("keep the rows: %w", err)
	}
	var (
		event, n, fee, amount int64
		kind, id              string
		c                     money.Currency
		journals              []ledger.Journal
	)
	_, err = pgx.ForEachRow(rows, []any{&event, &kind, &id, &c, &n, &fee, &amount}, func() error {
		m.r.New += n
		clearing := ledger.Clearing(m.r.Provider)
		post := func(name, kind string, debit ledger.Account, minor int64) {
			journals = append(journals, ledger.Journal{EventID: event, ID: name, Kind: kind, OrderID: uuid.Nil, At: now, Postings: []ledger.Posting{
				ledger.Debit(debit, money.Of(minor, c)), ledger.Credit(clearing, money.Of(minor, c))}})
		}
		switch {
		case !c.Known():
		case kind == string(payment.MovePayout):
			post("settled_payout:"+m.r.Provider+":"+id, "settled_payout", ledger.Bank, amount)
		case fee != 0:
			post(fmt.Sprintf("fees:%s:%d:%s", m.r.Provider, m.run, c), "fee", ledger.ProviderFees(m.r.Provider), fee)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep the rows: %w", err)
	}
	_, err = ledger.PostAll(ctx, tx, journals)
	return err
}

// touchTables makes the tables of payments to be compared, for this transaction.
func (m *matching) touchTables(ctx context.Context, tx pgx.Tx) error {
	for _, sql := range []string{sqlTouchTable, sqlDiffersTable} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return fmt.Errorf("make a table of payments: %w", err)
		}
	}
	return nil
}

// touch names payments to be compared.
func (m *matching) touch(ctx context.Context, tx pgx.Tx, list []Ref) error {
	events, ids := make([]int64, len(list)), make([]uuid.UUID, len(list))
	for i, r := range list {
		events[i], ids[i] = r.Event, r.ID
	}
	if _, err := tx.Exec(ctx, sqlTouch, events, ids); err != nil {
		return fmt.Errorf("name payments: %w", err)
	}
	return nil
}
