package pg

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ropeline/ropeline/core/gauge"
)

// meter follows the connections of a pool: their busy seconds, who waits for one, and how long. It hangs on the pool as its
// tracer, so that no caller can forget it; the rejected way, a wrapper with
// Acquire and Release, is left out by the next Pool.Query somebody writes.
type meter struct {
	busy  gauge.Busy
	waits gauge.Recent
}

// Load is what the connections of a pool are doing.
type Load struct {
	gauge.Use
	Capacity int           // connections there may be
	Wait     time.Duration // p99 of the waits for a connection in the last ten seconds
}

// Load reads the meter of the DB's own pool; what is reserved beside it has others.
func (db *DB) Load() Load {
	now := time.Now()
	l := Load{Use: db.meter.busy.Read(now), Capacity: int(db.Pool.Config().MaxConns)}
	l.Wait, _ = db.meter.waits.Quantile(0.99, gauge.Window, now)
	return l
}

type waitKey struct{}

var (
	_ pgxpool.AcquireTracer = (*meter)(nil)
	_ pgxpool.ReleaseTracer = (*meter)(nil)
)

// TraceAcquireStart begins a wait.
func (m *meter) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	m.busy.Wait()
	return context.WithValue(ctx, waitKey{}, time.Now())
}

// TraceAcquireEnd ends it, with a connection or without.
func (m *meter) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, d pgxpool.TraceAcquireEndData) {
	now := time.Now()
	if since, ok := ctx.Value(waitKey{}).(time.Time); ok {
		m.waits.Observe(now.Sub(since), now) // also of who gave up: those waited longest
	}
	if d.Err != nil {
		m.busy.GiveUp()
		return
	}
	m.busy.Start(now, true)
}

// TraceRelease frees a connection.
func (m *meter) TraceRelease(*pgxpool.Pool, pgxpool.TraceReleaseData) { m.busy.End(time.Now()) }

// TraceQueryStart makes the meter a tracer of pgx, which asks for no less; statements are not traced.
func (m *meter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (m *meter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
