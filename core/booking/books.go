package booking

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/problem"
)

const (
	foldEvery = 10 * time.Second
	// foldAlarm is how long a transaction somewhere may hide committed journals from the
	// fold before somebody is told.
	foldAlarm = time.Minute
)

// fold takes new postings into the balances.
func (e *Engine) fold(ctx context.Context) (again bool, err error) {
	var f ledger.Folded
	err = e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		f, err = ledger.Fold(ctx, tx)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("fold the ledger: %w", err)
	}
	e.books.unfolded.Set(float64(f.Waiting))
	e.books.foldLag.Set(f.Hidden.Seconds())
	if f.Waiting > 0 && f.Hidden > foldAlarm {
		e.log.Error("an open transaction hides journals from the fold; find the oldest in pg_stat_activity", "journals", f.Waiting, "age", f.Hidden.Round(time.Second))
	}
	return f.Journals > 0 && f.Waiting > 0, nil
}

// FoldNow folds until nothing is left that can be folded.
func (e *Engine) FoldNow(ctx context.Context) error {
	for {
		again, err := e.fold(ctx)
		if err != nil || !again {
			return err
		}
	}
}

// VerifyBooks recomputes the ledger and what it must agree with, in one snapshot.
func (e *Engine) VerifyBooks(ctx context.Context) (faults []ledger.Fault, err error) {
	err = e.snapshot(ctx, func(tx pgx.Tx) (err error) {
		faults, err = ledger.Verify(ctx, tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("verify the ledger: %w", err)
	}
	found, err := checkInvariants(ctx, e.db.Pool, "L2", "L5", "P6")
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		faults = append(faults, ledger.Fault{Rule: f.Invariant, Detail: f.Rule + ": " + f.Detail})
	}
	return faults, nil
}

// snapshot runs reads that must agree with each other.
func (e *Engine) snapshot(ctx context.Context, fn func(pgx.Tx) error) error {
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, e.db.Pool, opts, fn)
}

// ErrNoOrganiser: nobody sells under this name.
var ErrNoOrganiser = problem.New(http.StatusNotFound, "no_such_organiser", "No event is of this organiser.")

// WriteStatement writes an organiser's statement as CSV.
func (e *Engine) WriteStatement(ctx context.Context, w io.Writer, organiser, event string, p ledger.Period) error {
	err := e.snapshot(ctx, func(tx pgx.Tx) error { return ledger.WriteStatement(ctx, tx, w, organiser, event, p) })
	if errors.Is(err, ledger.ErrNoOrganiser) {
		return ErrNoOrganiser.Because(err)
	}
	return err
}

// What a payout is refused for.
var (
	ErrPayoutTooMuch = problem.New(http.StatusConflict, "payout_too_much", "The organiser is not owed that much of this event.")
	ErrPayoutDiffers = problem.New(http.StatusConflict, "payout_differs", "This reference was used for another payout.")
)

const maxPayoutRef = 100

// RecordPayout books money that was sent to the organiser of an event from our bank. The
// reference is the bank's: the same one is booked once. The amount is parsed in the
// event's currency.
func (e *Engine) RecordPayout(ctx context.Context, event, amount, reference string) (booked bool, err error) {
	if reference == "" || len(reference) > maxPayoutRef || !storable(reference) {
		return false, fmt.Errorf("the bank's reference: want 1 to %d characters", maxPayoutRef)
	}
	id, err := e.EventID(ctx, event)
	if err != nil {
		return false, err
	}
	err = e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) error {
		ev, err := hold.LockEvent(ctx, tx, id)
		if err != nil {
			return err
		}
		m, err := money.Parse(amount, ev.Currency)
		if err != nil || m.Minor <= 0 {
			return fmt.Errorf("amount %q: want a sum above zero like %s, %s", amount, money.Of(1234500, ev.Currency).Decimal(), decimalsOf(ev.Currency))
		}
		booked, err = e.bookPayout(ctx, tx, ev, m, reference)
		return err
	})
	return booked, err
}

func (e *Engine) bookPayout(ctx context.Context, tx pgx.Tx, ev *hold.Event, m money.Amount, reference string) (bool, error) {
	owed, err := ledger.Owed(ctx, tx, ev.Organiser, ev.ID, m.Currency)
	if err != nil {
		return false, err
	}
	name := "payout:" + reference
	var before int64
	switch err := tx.QueryRow(ctx, sqlPayout, ev.ID, name).Scan(&before); {
	case err == nil && before == m.Minor:
		return false, nil
	case err == nil:
		return false, ErrPayoutDiffers.With("amount", before)
	case !errors.Is(err, pgx.ErrNoRows):
		return false, fmt.Errorf("look for the payout: %w", err)
	}
	if m.Minor > owed.Minor {
		return false, ErrPayoutTooMuch.Say("The organiser is owed %s of this event.", owed).With("owed", owed.Minor)
	}
	var at time.Time
	if err := tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&at); err != nil {
		return false, fmt.Errorf("read the clock: %w", err)
	}
	return ledger.Post(ctx, tx, ledger.Journal{EventID: ev.ID, ID: name, Kind: "payout", OrderID: uuid.Nil, At: at, Postings: []ledger.Posting{
		ledger.Debit(ledger.Payable(ev.Organiser), m), ledger.Credit(ledger.Bank, m)}})
}

const sqlPayout = `SELECT amount FROM posting WHERE event_id = $1 AND journal_id = $2 AND amount > 0`

// TrialBalance is the folded one: as of the last fold.
func (e *Engine) TrialBalance(ctx context.Context, event string) ([]ledger.Balance, error) {
	return ledger.Trial(ctx, e.db.Pool, event)
}

// decimalsOf says how sums of a currency are written: "1" could be a euro or a cent.
func decimalsOf(c money.Currency) string {
	if n := c.Exponent(); n > 0 {
		return fmt.Sprintf("with exactly %d digits after the point (%s)", n, c)
	}
	return fmt.Sprintf("without a point (%s)", c)
}
