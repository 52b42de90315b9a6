package pg

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ropeline/ropeline/core/gauge"
)

// meter follows the connections of a pool: their busy seconds, who waits for one, and how long. It hangs on the pool as its
// tracer, so that no caller can forget it; the rejected way, a wrapper with Acquire and Release, is left out by the next
// Pool.Query somebody writes.
type meter struct {
	busy  gauge.Busy // for buyers
	aside gauge.Busy // for whatever else there is
	waits gauge.Recent

	mu   sync.Mutex
	at   time.Time // of the last look at aside
	was  time.Duration
	mean float64 // connections in use aside, between the last two looks
}

// asideEvery is how often the mean of what goes on aside is taken anew.
const asideEvery = 2 * time.Second

// Load is what the connections of a pool are doing for buyers.
type Load struct {
	gauge.Use
	Capacity float64       // connections that buyers can have: all but those in use aside
	Wait     time.Duration // p99 of the waits for a connection in the last ten seconds
}

// Load reads the meter of the DB's own pool; what is reserved beside it has others.
func (db *DB) Load() Load {
	now, m := time.Now(), db.meter
	l := Load{Use: m.busy.Read(now), Capacity: max(1, float64(db.Pool.Config().MaxConns)-m.asideMean(now))}
	l.Wait, _ = m.waits.Quantile(0.99, gauge.Window, now)
	return l
}

func (m *meter) asideMean(now time.Time) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := now.Sub(m.at); d >= asideEvery {
		u := m.aside.Read(now)
		if !m.at.IsZero() {
			m.mean = (u.Busy - m.was).Seconds() / d.Seconds()
		}
		m.at, m.was = now, u.Busy
	}
	return m.mean
}

type (
	asideKey struct{}
	waitKey  struct{}
)

// Aside marks work that goes on whether or not anybody buys: loops, seat maps, requests of people outside. Divided by what
// buyers do it would make each of them look dearer the fewer they are; it is taken off the capacity instead.
func Aside(ctx context.Context) context.Context { return context.WithValue(ctx, asideKey{}, true) }

// ForBuyers ends the mark, for work for a buyer that a loop has found.
func ForBuyers(ctx context.Context) context.Context { return context.WithValue(ctx, asideKey{}, false) }

func (m *meter) of(aside bool) *gauge.Busy {
	if aside {
		return &m.aside
	}
	return &m.busy
}

func isAside(ctx context.Context) bool {
	aside, _ := ctx.Value(asideKey{}).(bool)
	return aside
}

// asideMark is where a connection keeps for whom it was taken, until it is given back.
const asideMark = "aside"

var (
	_ pgxpool.AcquireTracer = (*meter)(nil)
	_ pgxpool.ReleaseTracer = (*meter)(nil)
)

// TraceAcquireStart begins a wait.
func (m *meter) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	m.of(isAside(ctx)).Wait()
	return context.WithValue(ctx, waitKey{}, time.Now())
}

// TraceAcquireEnd ends it, with a connection or without.
func (m *meter) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, d pgxpool.TraceAcquireEndData) {
	now, aside := time.Now(), isAside(ctx)
	if since, ok := ctx.Value(waitKey{}).(time.Time); ok {
		m.waits.Observe(now.Sub(since), now) // also of who gave up: those waited longest
	}
	if d.Err != nil {
		m.of(aside).GiveUp()
		return
	}
	d.Conn.PgConn().CustomData()[asideMark] = aside
	m.of(aside).Start(now, true)
}

// TraceRelease frees a connection.
func (m *meter) TraceRelease(_ *pgxpool.Pool, d pgxpool.TraceReleaseData) {
	aside, _ := d.Conn.PgConn().CustomData()[asideMark].(bool)
	m.of(aside).End(time.Now())
}

// TraceQueryStart makes the meter a tracer of pgx, which asks for no less; statements are not traced.
func (m *meter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (m *meter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
