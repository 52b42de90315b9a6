package stack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ropeline/ropeline/core/pg/cluster"
)

const (
	database = "ropeline"
	appRole  = "ropeline_app"
	// maxData keeps the name of PostgreSQL's socket within what the kernel allows.
	maxData = 80
	// connections: bookingd's pools, the checker and a psql or two.
	connections = 200
)

// startPostgres runs the private cluster. Its data lies in our directory when PostgreSQL's user can get there, which it
// cannot in root's home, where a fresh clone often is; then it lies below /var/tmp and a link shows where.
func (s *Stack) startPostgres(ctx context.Context) (string, error) {
	data := s.path("postgres")
	if cluster.Unreachable(data) != "" || len(data) > maxData {
		var err error
		if data, err = elsewhere(data); err != nil {
			return "", err
		}
	}
	c, err := cluster.Start(ctx, cluster.Options{Dir: data, MaxConns: connections, Throwaway: s.cfg.Throwaway})
	if err != nil {
		return "", err
	}
	s.postgres = c
	if err := c.CreateDatabase(ctx, database); err != nil {
		return "", err
	}
	s.OwnerURL, s.DatabaseURL = c.OwnerURL(database), c.URL(appRole, database)
	s.served = s.DatabaseURL
	if s.cfg.Database != nil {
		if s.served, err = s.cfg.Database(s.DatabaseURL); err != nil {
			return "", err
		}
	}
	return "ready in " + data, nil
}

// elsewhere makes a directory for data that cannot lie at link, and the link to it; a later start finds it there. The name
// is random: below /var/tmp anybody could have prepared a foreseeable one.
func elsewhere(link string) (string, error) {
	if data, err := os.Readlink(link); err == nil {
		return data, os.MkdirAll(data, 0o700)
	}
	data, err := os.MkdirTemp("/var/tmp", "ropeline-")
	if err != nil {
		return "", fmt.Errorf("the place of PostgreSQL's data: %w", err)
	}
	if err := os.Symlink(data, link); err != nil {
		return "", fmt.Errorf("the place of PostgreSQL's data: %w", err)
	}
	return data, nil
}

// Forget removes everything a stopped stack kept in dir.
func Forget(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if data, err := os.Readlink(filepath.Join(dir, "postgres")); err == nil {
		if err := os.RemoveAll(data); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}
