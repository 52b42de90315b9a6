package pg

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Querier is what a read needs: a pool or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// Options bound the pool and its transactions. Zero values take the defaults.
type Options struct {
	MaxConns         int32         // connections of the pool; default 16
	ConnectTimeout   time.Duration // of one dial with its handshake; default 5 s
	AcquireTimeout   time.Duration // longest wait of a transaction for a connection; default 2 s
	StatementTimeout time.Duration // of each statement of a transaction; default 2 s
	LockTimeout      time.Duration // longest wait for one lock; default 250 ms
	CommitWait       time.Duration // after this a caller is told outcome_unknown; default 5 s
	ApplicationName  string        // shown in pg_stat_activity; default "bookingd"
}

func (o Options) withDefaults() Options {
	if o.MaxConns <= 0 {
		o.MaxConns = 16
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = 5 * time.Second
	}
	if o.AcquireTimeout <= 0 {
		o.AcquireTimeout = 2 * time.Second
	}
	if o.StatementTimeout <= 0 {
		o.StatementTimeout = 2 * time.Second
	}
	if o.LockTimeout <= 0 {
		o.LockTimeout = 250 * time.Millisecond
	}
	if o.CommitWait <= 0 {
		o.CommitWait = 5 * time.Second
	}
	if o.ApplicationName == "" {
		o.ApplicationName = "bookingd"
	}
	return o
}

// DB is a pool of connections of the application's role.
type DB struct {
	Pool  *pgxpool.Pool // for reads outside a transaction; writes go through InTx
	opts  Options
	meter *meter
	begun bool // its sessions have the limits of a transaction for good: BEGIN need not set them

	mu       sync.Mutex
	reserved []*DB
}

// Open connects and checks that the server answers.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	o = o.withDefaults()
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	cfg.MaxConns = o.MaxConns
	cfg.ConnConfig.ConnectTimeout = o.ConnectTimeout
	cfg.ConnConfig.RuntimeParams["application_name"] = o.ApplicationName
	// Rows leave the server in UTC whatever the server's zone is: what people read
	// is made from the event's own zone, never from this one.
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	m := new(meter)
	cfg.ConnConfig.Tracer = m
	cfg.BeforeConnect = func(_ context.Context, cc *pgx.ConnConfig) error {
		dialOnce(&cc.Config)
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("database pool: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("database does not answer: %w", err)
	}
	return &DB{Pool: pool, opts: o, meter: m}, nil
}

// Reserve sets n connections beside the pool apart, for work that must not wait for
// a connection because others have taken them all. They are dialled when first
// needed and closed with db. Only transactions run on them, so their limits are the
// sessions': a BEGIN that sets each is a part of a small batch that shows.
func (db *DB) Reserve(n int32) (*DB, error) {
	cfg := db.Pool.Config()
	cfg.MaxConns, cfg.MinConns = n, 0
	m := new(meter)
	cfg.ConnConfig.Tracer = m
	for _, s := range db.opts.settings() {
		cfg.ConnConfig.RuntimeParams[s[0]] = s[1]
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		return nil, fmt.Errorf("reserve connections: %w", err)
	}
	r := &DB{Pool: pool, opts: db.opts, meter: m, begun: true}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.reserved = append(db.reserved, r)
	return r, nil
}

// Close waits for running transactions and closes the connections.
func (db *DB) Close() {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, r := range db.reserved {
		r.Close()
	}
	db.Pool.Close()
}

// Now reads the database's clock. Inside a transaction that decides something it
// is a statement of its own *after* the locks: read inside the locking SELECT it
// would be from before the wait.
func Now(ctx context.Context, q Querier) (time.Time, error) {
	var t time.Time
	if err := q.QueryRow(ctx, sqlNow).Scan(&t); err != nil {
		return time.Time{}, fmt.Errorf("read the database's clock: %w", err)
	}
	return t.UTC(), nil
}

const sqlNow = `SELECT clock_timestamp()`
