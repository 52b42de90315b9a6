package ledger

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/pg"
)

// foldBite bounds the journals of one fold, but for those of a single transaction.
const foldBite = 5000

// Folded is what one fold did.
type Folded struct {
	Journals int64
	Waiting  int64         // journals that are committed and hidden behind an open transaction
	Hidden   time.Duration // age of the oldest of them
}

// Fold takes the postings of transactions that are over for everybody into the
// balances, once each, and seals them. Sums are not kept by the postings' own
// transactions: a row for each account would be the one row every sale waits for.
//
// It goes by transaction id below the oldest one still open, never by "id > last": a
// transaction that began first and commits last would be passed over for ever.
func Fold(ctx context.Context, tx pgx.Tx) (f Folded, err error) {
	var mine bool
	if err := tx.QueryRow(ctx, sqlFoldLock).Scan(&mine); err != nil {
		return f, fmt.Errorf("lock the fold: %w", err)
	}
	if !mine {
		return f, nil
	}
	n, from, before, err := lastSeal(ctx, tx)
	if err != nil {
		return f, err
	}
	var to string
	if err := tx.QueryRow(ctx, sqlFoldTo, from, foldBite).Scan(&to); err != nil {
		return f, fmt.Errorf("how far a fold may go: %w", err)
	}
	s, err := digest(ctx, tx, from, to, before)
	if err != nil {
		return f, err
	}
	if f.Journals = s.journals; s.journals > 0 {
		if _, err := tx.Exec(ctx, sqlFold, from, to); err != nil {
			return f, fmt.Errorf("fold: %w", err)
		}
		if _, err := tx.Exec(ctx, sqlSeal, n+1, from, to, s.journals, s.postings, s.digest); err != nil {
			return f, fmt.Errorf("seal: %w", err)
		}
	}
	var seconds float64
	if err := tx.QueryRow(ctx, sqlUnfolded, to).Scan(&f.Waiting, &seconds); err != nil {
		return f, fmt.Errorf("count what is not folded: %w", err)
	}
	f.Hidden = time.Duration(seconds * float64(time.Second))
	return f, nil
}

func lastSeal(ctx context.Context, q pg.Querier) (n int64, to string, digest []byte, err error) {
	err = q.QueryRow(ctx, sqlLastSeal).Scan(&n, &to, &digest)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, "0", nil, nil
	}
	if err != nil {
		return 0, "", nil, fmt.Errorf("read the last seal: %w", err)
	}
	return n, to, digest, nil
}

type seal struct {
	journals, postings int64
	digest             []byte
}

// digest chains what lies between two transactions to the seal before.
func digest(ctx context.Context, q pg.Querier, from, to string, before []byte) (s seal, err error) {
	var own []byte
	if err := q.QueryRow(ctx, sqlDigest, from, to).Scan(&s.journals, &s.postings, &own); err != nil {
		return s, fmt.Errorf("digest of journals: %w", err)
	}
	sum := sha256.Sum256(append(append([]byte(nil), before...), own...))
	s.digest = sum[:]
	return s, nil
}

// Balance is a line of the trial balance. Amount > 0 is a debit.
type Balance struct {
	Kind     string
	Amount   money.Amount
	Postings int64
}

// Trial is the trial balance from the folds, of one event or ("") of everything, by
// currency and kind. Its sum is zero in every currency.
func Trial(ctx context.Context, q pg.Querier, event string) ([]Balance, error) {
	rows, err := q.Query(ctx, sqlBalances, event)
	if err != nil {
		return nil, fmt.Errorf("read balances: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (b Balance, err error) {
		return b, row.Scan(&b.Kind, &b.Amount.Currency, &b.Amount.Minor, &b.Postings)
	})
	if err != nil {
		return nil, fmt.Errorf("read balances: %w", err)
	}
	return list, nil
}
