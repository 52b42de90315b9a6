package pg_test

import (
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pgtest"
)

// A warm pool has its connections, and those reserved beside it, before anybody asks for one.
func TestAWarmPoolDialsByItself(t *testing.T) {
	db := pgtest.New(t).Open(t, pg.Options{MaxConns: 3, Warm: true})
	aside, err := db.Reserve(2)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); db.Pool.Stat().IdleConns() < 3 || aside.Pool.Stat().IdleConns() < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d of 3 and %d of 2 connections", db.Pool.Stat().IdleConns(), aside.Pool.Stat().IdleConns())
		}
	}
}
