package booking

import (
	"testing"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pgtest"
)

// lossy is an engine whose COMMITs are done and whose answers may be lost.
func (x *sale) lossy() (*Engine, *pgtest.Proxy) {
	x.t.Helper()
	p := pgtest.NewProxy(x.t, x.db)
	db, err := pg.Open(x.t.Context(), p.URL, pg.Options{})
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(db.Close)
	return x.engine(db, Config{}), p
}

// The server committed and its answer was lost: the rerun with the same keys finds
// what happened, so the buyer gets the answer, once, and holds once.
func TestALostCommitOfABatchIsFoundByItsKeys(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	e, p := x.lossy()
	p.LoseCommits(1)
	v, err := x.holdAs(e, 1, "k", seats(1, 2))
	if err != nil || v.State != "active" || p.Lost.Load() != 1 {
		t.Fatalf("%+v, %v, %d lost", v, err, p.Lost.Load())
	}
	var holds, keys int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM hold), (SELECT count(*) FROM idempotency)`).Scan(&holds, &keys); err != nil || holds != 1 || keys != 1 {
		t.Errorf("%d holds, %d keys, %v", holds, keys, err)
	}
	again, err := x.holdAs(e, 1, "k", seats(1, 2))
	if err != nil || again.ID != v.ID {
		t.Errorf("asked again: %+v, %v", again, err)
	}
}

// Every COMMIT is lost: the buyer is told that we do not know, never that the seats
// are taken, and the key tells when the line is back.
func TestCommitsThatAreAllLostAreUnknown(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	e, p := x.lossy()
	p.LoseCommits(100)
	_, err := x.holdAs(e, 1, "k", seats(1, 2))
	if got := wantCode(t, err, "outcome_unknown"); got.Status != 503 || got.RetryAfter <= 0 {
		t.Errorf("%+v", got)
	}
	p.LoseCommits(0)
	if v, err := x.holdAs(e, 1, "k", seats(1, 2)); err != nil || v.State != "active" {
		t.Errorf("asked again: %+v, %v", v, err)
	}
}
