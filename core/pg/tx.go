package pg

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/problem"
)

const (
	maxAttempts  = 4                     // of a transaction that meets serialization failures or deadlocks
	retryPause   = 10 * time.Millisecond // first pause; doubles, +-50 %
	rollbackWait = 2 * time.Second
)

// InTx runs fn in a transaction and commits it.
//
// Class 40 errors (deadlock, serialization) run fn again, at most maxAttempts
// times in all: fn must start from nothing each time and have no effect outside
// the transaction. A lock that is not got in LockTimeout, or attempts used up,
// become problem.Busy; a COMMIT whose end is not known problem.OutcomeUnknown.
func (db *DB) InTx(ctx context.Context, fn func(ctx context.Context, tx pgx.Tx) error) error {
	pause := retryPause
	for attempt := 1; ; attempt++ {
		err := db.Once(ctx, fn)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrCommitUnknown):
			return problem.OutcomeUnknown.Because(err)
		case IsRetryable(err) && attempt < maxAttempts:
			if !sleep(ctx, jitter(pause)) {
				return problem.Busy.Because(err)
			}
			pause *= 2
		case problem.As(err) != nil:
			return err
		case IsRetryable(err), IsLockTimeout(err), IsConnection(err):
			return problem.Busy.Because(err)
		default:
			return err
		}
	}
}

var (
	// ErrCommitUnknown: COMMIT was sent, and its end is not known.
	ErrCommitUnknown = errors.New("the end of the COMMIT is not known")
	// ErrCommitSlow comes with it when the server has not answered at all yet: the
	// transaction may still hold its locks, so running it again would wait for them.
	ErrCommitSlow = errors.New("the COMMIT is still under way")
)

// Once is InTx without the retries and without the translation: for the batches,
// which decide themselves what to run again.
func (db *DB) Once(ctx context.Context, fn func(ctx context.Context, tx pgx.Tx) error) error {
	tx, err := db.begin(ctx)
	if err != nil {
		return err
	}
	if err := runGuarded(ctx, tx, fn); err != nil {
		rollback(ctx, tx)
		return err
	}
	return db.commit(ctx, tx)
}

// begin waits for a connection only so long: a crowd waiting for the pool would be a
// queue without a bound, holding requests that nobody is waiting for any more.
func (db *DB) begin(ctx context.Context) (pgx.Tx, error) {
	short, cancel := context.WithTimeout(ctx, db.opts.AcquireTimeout)
	defer cancel()
	tx, err := db.Pool.BeginTx(short, pgx.TxOptions{BeginQuery: db.beginSQL()})
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		return nil, problem.Overloaded.Because(fmt.Errorf("begin: %w", err))
	}
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	return tx, nil
}

// beginSQL opens a transaction in one round trip with its limits.
func (db *DB) beginSQL() string {
	if db.begun {
		return "BEGIN"
	}
	var b strings.Builder
	b.WriteString("BEGIN")
	for _, s := range db.opts.settings() {
		b.WriteString("; SET LOCAL " + s[0] + " = " + s[1])
	}
	return b.String()
}

// settings are those of a writing transaction.
//
// The planner is held to index scans and nested loops: every statement of a
// writing transaction names its rows by key, and a fresh table without statistics
// would otherwise be read from end to end under the hottest locks.
//
// Where no index serves (an import counting the events of a venue), the forbidden scan
// is taken all the same, at a cost of 10^10, for which the server would compile the
// plan to machine code first: longer than any of these statements runs.
func (o Options) settings() [][2]string {
	return [][2]string{
		{"statement_timeout", strconv.FormatInt(o.StatementTimeout.Milliseconds(), 10)},
		{"lock_timeout", strconv.FormatInt(o.LockTimeout.Milliseconds(), 10)},
		{"enable_seqscan", "off"}, {"enable_bitmapscan", "off"}, {"enable_hashjoin", "off"}, {"enable_mergejoin", "off"},
		{"plan_cache_mode", "force_custom_plan"}, {"jit", "off"},
	}
}

// runGuarded gives the connection back when fn panics.
func runGuarded(ctx context.Context, tx pgx.Tx, fn func(context.Context, pgx.Tx) error) error {
	done := false
	defer func() {
		if !done {
			rollback(ctx, tx)
		}
	}()
	err := fn(ctx, tx)
	done = true
	return err
}

func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackWait)
	defer cancel()
	_ = tx.Rollback(ctx) // the connection is closed if this fails: the server rolls back by itself
}

// commit never lets go of a COMMIT that is under way: the goroutine keeps the
// connection until the server has answered, however long that takes.
func (db *DB) commit(ctx context.Context, tx pgx.Tx) error {
	end := make(chan error, 1)
	go func() { end <- tx.Commit(context.WithoutCancel(ctx)) }()
	wait := time.NewTimer(db.opts.CommitWait)
	defer wait.Stop()
	select {
	case err := <-end:
		if err == nil || isDefinite(err) {
			return err
		}
		return fmt.Errorf("%w: %w", ErrCommitUnknown, err)
	case <-wait.C:
		return fmt.Errorf("%w: %w after %s", ErrCommitUnknown, ErrCommitSlow, db.opts.CommitWait)
	}
}

func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
