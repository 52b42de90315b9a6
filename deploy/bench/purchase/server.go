package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pg/cluster"
	"github.com/ropeline/ropeline/core/pg/migrate"
	"github.com/ropeline/ropeline/deploy/bench/figures"
)

// server is a migrated database that waits for its disk.
type server struct {
	owner         *pgx.Conn
	db            *pg.DB // as the application
	seconds, rows int
	payments      int
	url, ownerURL string
	undo          []func()
}

func (s *server) window() time.Duration { return time.Duration(s.seconds) * time.Second }

func (s *server) close() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
}

func startServer(ctx context.Context, out *figures.Figures) (*server, error) {
	s := new(server)
	err := s.start(ctx)
	if err != nil {
		s.close()
		return nil, err
	}
	var fsync, commit string
	if err := s.owner.QueryRow(ctx, `SELECT current_setting('fsync'), current_setting('synchronous_commit')`).Scan(&fsync, &commit); err != nil {
		s.close()
		return nil, err
	}
	if fsync != "on" || commit != "on" {
		s.close()
		return nil, fmt.Errorf("fsync is %s and synchronous_commit %s: both must be on", fsync, commit)
	}
	out.Note("a new server, fsync on")
	return s, nil
}

func (s *server) start(ctx context.Context) error {
	c, err := cluster.Start(ctx, cluster.Options{MaxConns: 100, Settings: map[string]string{"max_wal_size": "4GB", "shared_buffers": "512MB"}})
	if err != nil {
		return err
	}
	s.undo = append(s.undo, c.Stop)
	if err := c.CreateDatabase(ctx, "purchase"); err != nil {
		return err
	}
	if _, err := migrate.Up(ctx, c.OwnerURL("purchase")); err != nil {
		return err
	}
	s.url, s.ownerURL = c.URL("ropeline_app", "purchase"), c.OwnerURL("purchase")
	if s.owner, err = pgx.Connect(ctx, s.ownerURL); err != nil {
		return err
	}
	s.undo = append(s.undo, func() { _ = s.owner.Close(context.WithoutCancel(ctx)) })
	if s.db, err = pg.Open(ctx, c.URL("ropeline_app", "purchase"), pg.Options{MaxConns: 32, StatementTimeout: time.Minute, LockTimeout: time.Minute}); err != nil {
		return err
	}
	s.undo = append(s.undo, s.db.Close)
	return nil
}

func (s *server) exec(ctx context.Context, sql string, args ...any) error {
	if _, err := s.owner.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("%w\n%s", err, sql)
	}
	return nil
}
