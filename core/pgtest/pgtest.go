// Package pgtest gives each test its own database on a real PostgreSQL.
//
// The first call in a test process starts a private cluster and migrates a
// template; each test then gets a copy of the template (some 30 ms), connected as
// the application's role, whose privileges are part of what is tested. The cluster
// ends with the process, however that ends. A machine without PostgreSQL fails the
// test and is told what to install: nothing is skipped.
package pgtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pg/cluster"
	"github.com/ropeline/ropeline/core/pg/migrate"
)

// AppRole is the role the application and therefore its tests connect as.
const AppRole = "ropeline_app"

const (
	template     = "ropeline_template"
	setupTimeout = 2 * time.Minute
	// Parallel tests have a pool each.
	serverConns = 400
)

// DB is one test's database.
type DB struct {
	*pg.DB          // as AppRole
	URL      string // as AppRole
	OwnerURL string // as the owner, who may do anything: to break rules on purpose

	ownerMu sync.Mutex
	owner   *pgx.Conn // opened by the first call of Owner
}

var shared struct {
	once sync.Once
	c    *cluster.Cluster
	err  error
	n    atomic.Int64
	// CREATE DATABASE fails when another session copies the same template.
	copying sync.Mutex
}

func start() {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	c, err := cluster.Start(ctx, cluster.Options{Throwaway: true, MaxConns: serverConns})
	if err != nil {
		shared.err = err
		return
	}
	if err := c.CreateDatabase(ctx, template); err != nil {
		shared.err = fmt.Errorf("template database: %w", err)
		return
	}
	if _, err := migrate.Up(ctx, c.OwnerURL(template)); err != nil {
		shared.err = err
		return
	}
	shared.c = c
}

// Cluster is the process's private cluster, started if need be.
func Cluster(t testing.TB) *cluster.Cluster {
	t.Helper()
	shared.once.Do(start)
	if shared.err != nil {
		t.Fatalf("private PostgreSQL for tests: %v", shared.err)
	}
	return shared.c
}

// New gives the test a migrated database of its own and drops it afterwards.
func New(t testing.TB) *DB {
	t.Helper()
	return NewWith(t, pg.Options{})
}

// NewWith is New with the options of the pool.
func NewWith(t testing.TB, o pg.Options) *DB {
	t.Helper()
	c := Cluster(t)
	name := fmt.Sprintf("t%d", shared.n.Add(1))
	admin(t, func(ctx context.Context, conn *pgx.Conn) error {
		shared.copying.Lock()
		defer shared.copying.Unlock()
		_, err := conn.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template)
		return err
	})
	t.Cleanup(func() {
		admin(t, func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
			return err
		})
	})
	db := &DB{URL: c.URL(AppRole, name), OwnerURL: c.OwnerURL(name)}
	db.DB = db.Open(t, o)
	return db
}

// Open makes another pool to the same database, as a second process would, and
// closes it with the test.
func (db *DB) Open(t testing.TB, o pg.Options) *pg.DB {
	t.Helper()
	p, err := pg.Open(t.Context(), db.URL, o)
	if err != nil {
		t.Fatalf("open the test's database: %v", err)
	}
	t.Cleanup(p.Close)
	return p
}

// Owner runs a statement as the owner, whose privileges the application lacks.
func (db *DB) Owner(t testing.TB, sql string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	db.ownerMu.Lock()
	defer db.ownerMu.Unlock()
	if db.owner == nil {
		conn, err := pgx.Connect(ctx, db.OwnerURL)
		if err != nil {
			t.Fatalf("connect as the owner: %v", err)
		}
		db.owner = conn
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
	}
	if _, err := db.owner.Exec(ctx, sql, args...); err != nil {
		t.Fatalf("as the owner: %v\n%s", err, sql)
	}
}

func admin(t testing.TB, fn func(context.Context, *pgx.Conn) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, shared.c.OwnerURL("postgres"))
	if err != nil {
		t.Fatalf("connect to the private PostgreSQL: %v", err)
	}
	defer conn.Close(ctx)
	if err := fn(ctx, conn); err != nil {
		t.Fatalf("private PostgreSQL: %v", err)
	}
}
