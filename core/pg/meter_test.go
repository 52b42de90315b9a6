package pg_test

import (
	"context"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pgtest"
)

// What is done for buyers and what goes on aside are told apart, whoever has the connection later.
func TestLoadTellsBuyersFromTheRest(t *testing.T) {
	db := pgtest.NewWith(t, pg.Options{MaxConns: 1})
	reserved, err := db.Reserve(1)
	if err != nil {
		t.Fatal(err)
	}
	sleep := func(ctx context.Context, on *pg.DB) {
		t.Helper()
		if _, err := on.Pool.Exec(ctx, `SELECT pg_sleep(0.05)`); err != nil {
			t.Fatal(err)
		}
	}
	begin := db.Load()
	sleep(pg.Aside(t.Context()), db.DB)
	if u := db.Load(); u.Busy != begin.Busy || u.Done != begin.Done {
		t.Errorf("%+v after work aside, %+v before", u, begin)
	}
	sleep(pg.ForBuyers(pg.Aside(t.Context())), db.DB)
	u := db.Load()
	if got := u.Busy - begin.Busy; got < 50*time.Millisecond || u.Done != begin.Done+1 {
		t.Errorf("%s busy and %d done for a buyer's 50 ms", got, u.Done-begin.Done)
	}
	if sleep(t.Context(), reserved); db.Load().Done != u.Done || reserved.Load().Done != 1 {
		t.Errorf("work on the reserved connection counts as %+v and %+v", db.Load(), reserved.Load())
	}
	// One that waits, and one that gives up.
	held, err := db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if u := db.Load(); u.InUse != 1 || u.Waiting != 0 {
		t.Errorf("one in use: %+v", u)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() { _, err := db.Pool.Acquire(ctx); gone <- err }()
	for db.Load().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-gone; err == nil {
		t.Error("who gave up has a connection")
	}
	held.Release()
	if u := db.Load(); u.InUse != 0 || u.Waiting != 0 || u.Wait == 0 {
		t.Errorf("at the end %+v", u)
	}
}
