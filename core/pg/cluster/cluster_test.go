package cluster_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg/cluster"
)

// A demo that is stopped and started again finds its data; a second Stop is harmless.
func TestAKeptDirectoryKeepsItsData(t *testing.T) {
	dir, err := os.MkdirTemp("", "ropeline-kept-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for round := range 2 {
		c, err := cluster.Start(ctx, cluster.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Stop)
		if err := c.CreateDatabase(ctx, "kept"); err != nil {
			t.Fatal(err)
		}
		conn, err := pgx.Connect(ctx, c.OwnerURL("kept"))
		if err != nil {
			t.Fatal(err)
		}
		var fsync string
		var rows int
		if _, err := conn.Exec(ctx, `CREATE TABLE IF NOT EXISTS kept (n int)`); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRow(ctx, `SELECT current_setting('fsync'), (SELECT count(*) FROM kept)`).Scan(&fsync, &rows); err != nil {
			t.Fatal(err)
		}
		if fsync != "on" || rows != round {
			t.Errorf("round %d: fsync %s, %d rows", round, fsync, rows)
		}
		if _, err := conn.Exec(ctx, `INSERT INTO kept VALUES (1)`); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close(ctx)
		c.Stop()
		c.Stop()
		if _, err := os.Stat(filepath.Join(dir, "data", "postmaster.pid")); !os.IsNotExist(err) {
			t.Errorf("the server is still there: %v", err)
		}
	}
}

func TestATemporaryDirectoryIsRemoved(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{Throwaway: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := c.Dir()
	c.Stop()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}

func TestADirectoryThatCannotHoldASocketIsRefusedWithTheReason(t *testing.T) {
	_, err := cluster.Start(t.Context(), cluster.Options{Dir: filepath.Join(t.TempDir(), strings.Repeat("x", 100))})
	if err == nil || !strings.Contains(err.Error(), "too long for a unix socket") {
		t.Errorf("got %v", err)
	}
}
