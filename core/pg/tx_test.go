package pg_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pgtest"
	"github.com/ropeline/ropeline/core/problem"
)

// table makes a table for the test, writable by the application's role.
func table(t *testing.T, db *pgtest.DB) {
	t.Helper()
	db.Owner(t, `CREATE TABLE thing (n int PRIMARY KEY, v int NOT NULL DEFAULT 0 CONSTRAINT v_is_small CHECK (v < 10))`)
	db.Owner(t, `INSERT INTO thing VALUES (1), (2)`)
	db.Owner(t, `GRANT ALL ON thing TO ropeline_app`)
}

// atCommit runs a statement when a transaction that inserted into thing commits.
func atCommit(t *testing.T, db *pgtest.DB, sql string) {
	t.Helper()
	db.Owner(t, `CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN `+sql+`; RETURN NULL; END'`)
	db.Owner(t, `CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON thing DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION at_commit()`)
}

func exec(sql string) func(context.Context, pgx.Tx) error {
	return func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql)
		return err
	}
}

func value(t *testing.T, db *pgtest.DB, sql string) (n int) {
	t.Helper()
	if err := db.Pool.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Two transactions lock two rows in opposite order: one is the deadlock's victim,
// runs again, and both are done.
func TestADeadlockIsRunAgain(t *testing.T) {
	db := pgtest.NewWith(t, pg.Options{LockTimeout: 20 * time.Second, StatementTimeout: 20 * time.Second})
	table(t, db)
	var first sync.WaitGroup // both hold their first row before either asks for its second
	first.Add(2)
	var tries atomic.Int32
	run := func(a, b int) error {
		met := false
		return db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
			tries.Add(1)
			const add = `UPDATE thing SET v = v + 1 WHERE n = $1`
			if _, err := tx.Exec(ctx, add, a); err != nil {
				return err
			}
			if !met {
				met = true
				first.Done()
				first.Wait()
			}
			_, err := tx.Exec(ctx, add, b)
			return err
		})
	}
	other := make(chan error)
	go func() { other <- run(2, 1) }()
	if err := errors.Join(run(1, 2), <-other); err != nil {
		t.Fatal(err)
	}
	if n := value(t, db, `SELECT sum(v) FROM thing`); n != 4 || tries.Load() < 3 {
		t.Errorf("sum %d after %d tries", n, tries.Load())
	}
}

func TestALockThatIsNotGotIsBusy(t *testing.T) {
	db := pgtest.NewWith(t, pg.Options{LockTimeout: 20 * time.Millisecond})
	table(t, db)
	err := db.InTx(t.Context(), func(ctx context.Context, _ pgx.Tx) error {
		return db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `LOCK TABLE thing`); err != nil {
				return err
			}
			return db.InTx(ctx, exec(`UPDATE thing SET v = 1`))
		})
	})
	if p := problem.As(err); p == nil || p.Code != "busy" || p.RetryAfter <= 0 {
		t.Errorf("got %v", err)
	}
	if n := value(t, db, `SELECT sum(v) FROM thing`); n != 0 {
		t.Error("something was written")
	}
}

func TestAFailedOrPanickingTransactionLeavesNothing(t *testing.T) {
	db := pgtest.NewWith(t, pg.Options{MaxConns: 1})
	table(t, db)
	boom := errors.New("boom")
	err := db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		return errors.Join(exec(`INSERT INTO thing VALUES (3)`)(ctx, tx), boom)
	})
	if !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
			_ = exec(`INSERT INTO thing VALUES (4)`)(ctx, tx)
			panic("boom")
		})
	}()
	if n := value(t, db, `SELECT count(*) FROM thing`); n != 2 { // and the only connection came back
		t.Errorf("%d rows", n)
	}
}

// A COMMIT that takes longer than anybody waits: the caller is told that the
// outcome is unknown, and the COMMIT goes on to its end.
func TestASlowCommitIsUnknownAndGoesOn(t *testing.T) {
	db := pgtest.NewWith(t, pg.Options{CommitWait: 50 * time.Millisecond, StatementTimeout: time.Minute})
	table(t, db)
	// The COMMIT waits until the test lets go of an advisory lock.
	db.Owner(t, `SELECT pg_advisory_lock(7)`)
	atCommit(t, db, `PERFORM pg_advisory_xact_lock(7)`)
	err := db.Once(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		return errors.Join(exec(`SET LOCAL lock_timeout = 0`)(ctx, tx), exec(`INSERT INTO thing VALUES (3)`)(ctx, tx))
	})
	if !errors.Is(err, pg.ErrCommitUnknown) || !errors.Is(err, pg.ErrCommitSlow) {
		t.Fatalf("got %v", err)
	}
	db.Owner(t, `SELECT pg_advisory_unlock(7)`)
	db.Close() // waits for the connection that commits
	again := db.Open(t, pg.Options{})
	var n int
	if err := again.Pool.QueryRow(t.Context(), `SELECT count(*) FROM thing`).Scan(&n); err != nil || n != 3 {
		t.Errorf("%d rows, %v", n, err)
	}
}

// A client that gives up while COMMIT runs does not take it back.
func TestAContextThatEndsDoesNotReachTheCommit(t *testing.T) {
	db := pgtest.New(t)
	table(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Once(ctx, func(ctx context.Context, tx pgx.Tx) error {
		defer cancel()
		return exec(`INSERT INTO thing VALUES (3)`)(ctx, tx)
	})
	if err != nil || value(t, db, `SELECT count(*) FROM thing`) != 3 {
		t.Errorf("not committed: %v", err)
	}
}

// A backend that dies in COMMIT says nothing about it.
func TestACommitThatLosesItsServerIsUnknown(t *testing.T) {
	db := pgtest.New(t)
	table(t, db)
	atCommit(t, db, `PERFORM pg_terminate_backend(pg_backend_pid())`)
	err := db.InTx(t.Context(), exec(`INSERT INTO thing VALUES (3)`))
	if p := problem.As(err); p == nil || p.Code != "outcome_unknown" || errors.Is(err, pg.ErrCommitSlow) {
		t.Errorf("got %v", err)
	}
}

// A server that says why it refused a COMMIT has rolled back: that is no unknown.
func TestADeferredConstraintIsDefinite(t *testing.T) {
	db := pgtest.New(t)
	table(t, db)
	atCommit(t, db, `RAISE EXCEPTION ''no'' USING ERRCODE = ''23514'', CONSTRAINT = ''not_today''`)
	err := db.InTx(t.Context(), exec(`INSERT INTO thing VALUES (3)`))
	if errors.Is(err, pg.ErrCommitUnknown) || pg.Constraint(err) != "not_today" {
		t.Errorf("got %v", err)
	}
}

// A statement nobody waits for any more is not cancelled by a second connection:
// none is dialled once the first is up.
func TestNoCancelRequestIsEverSent(t *testing.T) {
	db := pgtest.New(t)
	table(t, db)
	conn, err := db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	var opErr *net.OpError
	if err := conn.Conn().PgConn().CancelRequest(t.Context()); err == nil || errors.As(err, &opErr) {
		t.Errorf("a second connection was dialled: %v", err)
	}
}

func TestConstraintsBecomeRefusals(t *testing.T) {
	db := pgtest.New(t)
	table(t, db)
	small := problem.New(409, "too_big", "Too big.")
	err := pg.Refusals{"v_is_small": small}.Map(db.InTx(t.Context(), exec(`UPDATE thing SET v = 10`)))
	var pgErr *pgconn.PgError
	if p := problem.As(err); p == nil || p.Code != "too_big" || !errors.As(err, &pgErr) {
		t.Errorf("got %v", err)
	}
	err = pg.Refusals{}.Map(db.InTx(t.Context(), exec(`UPDATE thing SET v = 10`)))
	if problem.As(err) != nil || !pg.IsConstraint(err) {
		t.Errorf("an unmapped constraint: %v", err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for _, url := range []string{"postgres://%zz", "postgres://nobody@/none?host=" + t.TempDir()} {
		if db, err := pg.Open(t.Context(), url, pg.Options{ConnectTimeout: time.Second}); err == nil {
			db.Close()
			t.Errorf("%s was opened", url)
		}
	}
}

// A pool that is used up refuses in time, before any work.
func TestAPoolThatIsUsedUpIsOverloaded(t *testing.T) {
	db := pgtest.NewWith(t, pg.Options{MaxConns: 1, AcquireTimeout: 20 * time.Millisecond})
	err := db.InTx(t.Context(), func(ctx context.Context, _ pgx.Tx) error {
		return db.InTx(ctx, exec(`SELECT`))
	})
	if p := problem.As(err); p == nil || p.Code != "overloaded" {
		t.Errorf("got %v", err)
	}
	if err := db.InTx(t.Context(), exec(`SELECT`)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A server that is away, in the ways a pool finds out: a connection cut in the middle of
// a transaction, one that died idle, one that is refused.
func TestAServerThatIsAwayIsAConnectionError(t *testing.T) {
	db := pgtest.New(t)
	p := pgtest.NewProxy(t, db)
	open := func() *pg.DB {
		d, err := pg.Open(t.Context(), p.URL, pg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Close)
		return d
	}
	ask := func(q pg.Querier) error {
		_, err := pg.Now(t.Context(), q)
		return err
	}
	cut, waiting := open(), open()
	inTx := cut.Once(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		p.Leave()
		return ask(tx)
	})
	atBegin := waiting.Once(t.Context(), exec(`SELECT`))
	refused := waiting.Once(t.Context(), exec(`SELECT`))
	for name, err := range map[string]error{
		"in a transaction": inTx, "at begin": atBegin, "refused": refused, "refused to a read": ask(waiting.Pool),
	} {
		if err == nil || !pg.IsConnection(err) {
			t.Errorf("%s: %v is none", name, err)
		}
	}
	for name, err := range map[string]error{"none": nil, "a statement": db.Once(t.Context(), exec(`SELECT 1/0`)), "another": errors.New("x")} {
		if pg.IsConnection(err) {
			t.Errorf("%s: %v is one", name, err)
		}
	}
}
