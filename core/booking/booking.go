package booking

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/ticket"
)

// Config of the engine. Zero values take the defaults.
type Config struct {
	// SweepOff leaves expired holds uncounted until somebody wants their places.
	// Nothing depends on the sweeper: it keeps the numbers people look at fresh.
	SweepOff   bool
	SweepEvery time.Duration // default 2 s
	AuditEvery time.Duration // default 1 min

	QueueLimit int           // requests that may wait in one lane; default 2048
	QueueWait  time.Duration // estimated wait beyond which a lane refuses; default 500 ms
}

func (c Config) withDefaults() Config {
	if c.SweepEvery <= 0 {
		c.SweepEvery = 2 * time.Second
	}
	if c.AuditEvery <= 0 {
		c.AuditEvery = time.Minute
	}
	if c.QueueLimit <= 0 {
		c.QueueLimit = 2048
	}
	if c.QueueWait <= 0 {
		c.QueueWait = 500 * time.Millisecond
	}
	return c
}

// Deps are what the engine is given. Nil fields get harmless ones.
type Deps struct {
	Log     *slog.Logger
	Metrics prometheus.Registerer

	// Providers take payments; new ones go to the first. Without any, nothing can be
	// paid and the loops of payment do not run.
	Providers []payment.Provider
	// Tickets signs the codes of tickets; needed as soon as something can be paid.
	Tickets *ticket.Signer
}

// Engine sells. Its methods may be called at once and from several processes:
// row locks decide, not this process's memory.
type Engine struct {
	cfg       Config
	db        *pg.DB
	log       *slog.Logger
	metrics   *metrics
	books     *booksMetrics
	events    sync.Map // slug -> event id; an event's slug never changes
	slugs     sync.Map // event id -> slug
	counted   stockCount
	flight    flight
	newcomers newcomers
	labels    hold.Labels
	floors    floors
	lanes     [laneCount]lane
	slow      chan struct{} // one place for each connection of the slow lane
	// Connections of the lanes and of the slow lane, apart from the pool: orders, money
	// and readers can take none of them, nor the slow ones a quick one's.
	laneDB, slowDB *pg.DB
	dockets        [docketCount]docket // orders and payments
	docketDB       *pg.DB              // theirs and the letterbox's
	letterbox      letterbox
	loops          []loop
	running        sync.RWMutex
	runs           context.Context // of the loops; nil: they do not run

	till // payment: see pay_till.go
}

// New returns an engine on a migrated database. It starts nothing: see Run.
func New(cfg Config, db *pg.DB, d Deps) (*Engine, error) {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Metrics == nil {
		d.Metrics = prometheus.NewRegistry()
	}
	m, err := newMetrics(d.Metrics)
	if err != nil {
		return nil, fmt.Errorf("booking metrics: %w", err)
	}
	e := &Engine{cfg: cfg.withDefaults(), db: db, log: d.Log, metrics: m, slow: make(chan struct{}, slowLaneWidth)}
	if e.books, err = newBooksMetrics(d.Metrics); err != nil {
		return nil, fmt.Errorf("ledger metrics: %w", err)
	}
	if e.laneDB, err = db.Reserve(laneCount); err != nil {
		return nil, err
	}
	if e.slowDB, err = db.Reserve(slowLaneWidth); err != nil {
		return nil, err
	}
	if e.docketDB, err = db.Reserve(docketCount + 1); err != nil {
		return nil, err
	}
	e.letterbox.e = e
	for i := range e.dockets {
		e.dockets[i].e = e
	}
	for i := range e.lanes {
		e.lanes[i].e = e
	}
	if !e.cfg.SweepOff {
		e.addLoop("sweep", e.cfg.SweepEvery, e.sweep)
	}
	e.addLoop("purge", purgeEvery, e.purge)
	e.addLoop("audit", e.cfg.AuditEvery, e.audit)
	e.addLoop("fold", foldEvery, e.fold)
	if err := e.openTill(d); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *Engine) isRunning() bool {
	e.running.RLock()
	defer e.running.RUnlock()
	return e.runs != nil && e.runs.Err() == nil
}

// Run runs the loops until ctx ends and returns when they have returned.
func (e *Engine) Run(ctx context.Context) error {
	e.running.Lock()
	e.runs = ctx
	e.running.Unlock()
	var all sync.WaitGroup
	for _, l := range e.loops {
		all.Go(func() { e.runLoop(ctx, l) })
	}
	all.Wait()
	e.running.Lock()
	e.runs = nil // from here on nobody starts a worker
	e.running.Unlock()
	e.workers.wg.Wait()
	e.refunders.wg.Wait()
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
