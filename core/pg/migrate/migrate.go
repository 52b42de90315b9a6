// Package migrate brings a database to the schema of this build, and says whether
// a database has it. It is apart from pg so that only commands that migrate carry
// database/sql.
package migrate

import (
	"context"
	"database/sql"
	"fmt"

	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/migrations"
)

// The application asks at its start whether the schema is the one it knows.
const (
	sqlGrant   = `GRANT SELECT ON goose_db_version TO ropeline_app`
	sqlVersion = `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`
)

// Up applies what is missing, as the owner of the database. Several processes may
// call it at once: a session lock lets one work and the others find it done.
// It returns the names of the files applied.
func Up(ctx context.Context, ownerURL string) ([]string, error) {
	db, err := sql.Open("pgx", ownerURL)
	if err != nil {
		return nil, fmt.Errorf("owner's database URL: %w", err)
	}
	defer db.Close()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, fmt.Errorf("migration lock: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	done, err := p.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	if _, err := db.ExecContext(ctx, sqlGrant); err != nil {
		return nil, fmt.Errorf("let the application read the schema's version: %w", err)
	}
	names := make([]string, len(done))
	for i, r := range done {
		names[i] = r.Source.Path
	}
	return names, nil
}

// Check tells whether the database has exactly the schema of this build.
func Check(ctx context.Context, q pg.Querier) error {
	var have int64
	if err := q.QueryRow(ctx, sqlVersion).Scan(&have); err != nil {
		if pg.IsConnection(err) {
			return fmt.Errorf("the database does not answer: %w", err)
		}
		return fmt.Errorf("the database has no schema yet (run `bookingd migrate`): %w", err)
	}
	want, err := latest()
	switch {
	case err != nil:
		return err
	case have < want:
		return fmt.Errorf("the database has schema version %d, this build needs %d: run `bookingd migrate`", have, want)
	case have > want:
		return fmt.Errorf("the database has schema version %d, this build knows only %d: run a newer build", have, want)
	}
	return nil
}

func latest() (int64, error) {
	entries, err := migrations.FS.ReadDir(".")
	if err != nil {
		return 0, fmt.Errorf("read migrations: %w", err)
	}
	var last int64
	for _, e := range entries {
		n, err := goose.NumericComponent(e.Name())
		if err != nil {
			return 0, fmt.Errorf("migration %s: %w", e.Name(), err)
		}
		last = max(last, n)
	}
	return last, nil
}
