package stack

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A directory that PostgreSQL's user may not enter, as in a clone below root's home, still gets its data: elsewhere, at
// the same place for the next start, and Forget takes it away.
func TestPostgresKeepsItsDataWhereverItLies(t *testing.T) {
	closed, err := os.MkdirTemp("", "ropeline-stack-") // mode 0700
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(closed, "state")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(closed) })

	withPostgres(t, dir, func(s *Stack) {
		query(t, s, `CREATE TABLE kept (n int)`)
		query(t, s, `INSERT INTO kept VALUES (7)`)
	})
	withPostgres(t, dir, func(s *Stack) { query(t, s, `SELECT 1 / count(*) FROM kept WHERE n = 7`) })

	data, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Forget(dir); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{dir, data} {
		if _, err := os.Stat(gone); !os.IsNotExist(err) {
			t.Errorf("%s is still there after Forget: %v", gone, err)
		}
	}
}

func withPostgres(t *testing.T, dir string, f func(*Stack)) {
	t.Helper()
	s := &Stack{cfg: Config{Dir: dir, Progress: Progress{W: io.Discard}}}
	if _, err := s.startPostgres(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Down(); err != nil {
			t.Error(err)
		}
	}()
	f(s)
}

func query(t *testing.T, s *Stack, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
