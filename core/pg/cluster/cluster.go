// Package cluster starts a private PostgreSQL from the installed binaries: for
// tests and for the demo, never for production.
//
// It listens on a unix socket in its own directory and on nothing else, so there
// is no port to collide and no password to leak. It runs as a non-root user (the
// server refuses root), and its life is tied to the process that started it: a
// small shell waits on a pipe and stops the server when the pipe closes, so that a
// starter that panics or is killed leaves nothing behind.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	owner        = "ropeline_owner" // superuser of the private cluster, owner of its databases
	port         = "5432"           // only names the socket file
	startTimeout = 60 * time.Second
	stopTimeout  = 30 * time.Second
	maxSocket    = 90 // bytes of the socket's directory: sockaddr_un has room for 107
)

// Options of a cluster. The zero value is a durable cluster in a temporary directory.
type Options struct {
	// Dir holds data, socket and log. Empty: a temporary directory that is removed
	// by Stop. Otherwise it is kept, and started again if it has data.
	Dir string
	// Throwaway switches fsync and full page writes off: fast, and worthless after a
	// crash of the machine. A crash of the server or of its clients loses nothing.
	Throwaway bool
	// MaxConns of the server; default 100.
	MaxConns int
	// Settings are further postgresql.conf settings, name to value.
	Settings map[string]string
}

// Cluster is a running server.
type Cluster struct {
	dir    string
	temp   bool
	cmd    *exec.Cmd
	hold   *os.File // write end of the pipe: closing it stops the server
	once   sync.Once
	exited chan struct{}
}

// Start starts a cluster, making it first if the directory has none.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	bin, err := findBinaries()
	if err != nil {
		return nil, err
	}
	who, err := serverUser()
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: o.Dir, temp: o.Dir == "", exited: make(chan struct{})}
	if err := c.prepareDir(who); err != nil {
		return nil, err
	}
	if err := c.initdb(ctx, bin, who, o); err != nil {
		c.removeTemp()
		return nil, err
	}
	if err := c.launch(bin, who, o); err != nil {
		c.removeTemp()
		return nil, err
	}
	if err := c.waitReady(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// Dir is the directory of data, socket and log.
func (c *Cluster) Dir() string { return c.dir }

// URL of a database for a role. Local connections are trusted: the socket's
// directory belongs to the server's user.
func (c *Cluster) URL(role, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Host: "", Path: "/" + database}
	u.RawQuery = url.Values{"host": {c.socketDir()}, "port": {port}}.Encode()
	return u.String()
}

// OwnerURL is URL for the role that owns the databases and may create more.
func (c *Cluster) OwnerURL(database string) string { return c.URL(owner, database) }

// CreateDatabase makes an empty database unless it is there.
func (c *Cluster) CreateDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, c.OwnerURL("postgres"))
	if err != nil {
		return fmt.Errorf("connect to the private PostgreSQL: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var there bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&there); err != nil || there {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	return err
}

// Stop ends the server in order and removes a temporary directory. It may be
// called more than once.
func (c *Cluster) Stop() {
	c.once.Do(func() {
		_ = c.hold.Close()
		select {
		case <-c.exited:
		case <-time.After(stopTimeout):
			_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
			<-c.exited
		}
		c.removeTemp()
	})
}

func (c *Cluster) dataDir() string   { return filepath.Join(c.dir, "data") }
func (c *Cluster) socketDir() string { return filepath.Join(c.dir, "sock") }
func (c *Cluster) logFile() string   { return filepath.Join(c.dir, "postgres.log") }

func (c *Cluster) removeTemp() {
	if c.temp && c.dir != "" {
		_ = os.RemoveAll(c.dir)
	}
}

func (c *Cluster) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.OwnerURL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-c.exited:
			return fmt.Errorf("the private PostgreSQL stopped at once; its log says:\n%s", tail(c.logFile()))
		case <-ctx.Done():
			return fmt.Errorf("the private PostgreSQL is not ready (%w); its log says:\n%s", errors.Join(ctx.Err(), err), tail(c.logFile()))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
