package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/payment"
)

const (
	reconcileEvery = time.Hour
	reconcilePoll  = 5 * time.Minute // how often it is looked whether an hour is over

	// Reports are read again for so long: rows come late, and a row that is known already
	// changes nothing.
	reconcileOverlap = 3 * 24 * time.Hour
	// firstWindow is how far the first run of all looks back.
	firstWindow = 35 * 24 * time.Hour
	// createdBefore: a payment may be captured so long after it was made.
	createdBefore = 8 * 24 * time.Hour

	// maxCures bounds the questions of one run; the next one goes on.
	maxCures = 1000
)

// ErrReconciling: another process is at it.
var ErrReconciling = errors.New("another run of this provider's reconciliation is under way")

// Reconciliation is what one run did and found.
type Reconciliation struct {
	Provider    string
	From, Until time.Time
	Rows, New   int64
	Payments    int64 // compared
	// Kept money (captured less returned) of the compared payments, at the provider and
	// here, over all currencies: equal, or explained by the breaks.
	There, Here int64
	Found       []Break // open after the run
	Cured       []Break // found, asked about, and settled
	Off         bool    // new payments were switched off

	Took Took
}

// Took says where the time of a run went.
type Took struct{ Load, Keep, Compare, Ask, Places time.Duration }

// clocked adds what fn took.
func clocked(d *time.Duration, fn func() error) error {
	began := time.Now()
	err := fn()
	*d += time.Since(began)
	return err
}

// Reconcile compares a provider's report with the payments and the books, and the books
// with the places. It writes every difference down, asks the provider where an answer
// may settle it, and switches new payments off where going on is not safe. Run again, it
// finds the same.
func (e *Engine) Reconcile(ctx context.Context, provider string, from, until time.Time) (r Reconciliation, err error) {
	p, ok := e.providers[provider].(payment.Settler)
	if !ok {
		return r, fmt.Errorf("payment provider %q is not configured, or has no settlement report", provider)
	}
	r = Reconciliation{Provider: provider, From: from.UTC(), Until: until.UTC()}
	conn, err := e.db.Pool.Acquire(ctx)
	if err != nil {
		return r, fmt.Errorf("reconcile: %w", err)
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(ctx, sqlReconLock, provider).Scan(&mine); err != nil {
		return r, fmt.Errorf("lock the reconciliation: %w", err)
	}
	if !mine {
		return r, ErrReconciling
	}
	defer func() { _, _ = conn.Exec(context.WithoutCancel(ctx), sqlReconUnlock, provider) }()

	m := &matching{e: e, p: p, r: &r}
	if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return m.match(ctx, tx) }); err != nil {
		return r, fmt.Errorf("reconcile %s: %w", provider, err)
	}
	if err := clocked(&r.Took.Ask, func() error { return m.cure(ctx) }); err != nil {
		return r, fmt.Errorf("reconcile %s: %w", provider, err)
	}
	if err := clocked(&r.Took.Places, func() error { return m.seats(ctx) }); err != nil {
		return r, fmt.Errorf("reconcile %s: %w", provider, err)
	}
	if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return m.conclude(ctx, tx) }); err != nil {
		return r, fmt.Errorf("reconcile %s: %w", provider, err)
	}
	e.log.Info("reconciled", "provider", provider, "from", r.From, "until", r.Until, "rows", r.Rows, "new", r.New, "payments", r.Payments,
		"breaks", len(r.Found), "cured", len(r.Cured), "took", fmt.Sprintf("%+v", r.Took))
	if r.Off {
		e.log.Error("new payments are switched off; look at the breaks, then `bookingd payments on`", "provider", provider)
	}
	return r, nil
}

// cure asks the provider about payments whose difference its answer may settle: a notice
// that never came, a refund or a dispute made elsewhere. What it says is evidence like
// any other.
func (m *matching) cure(ctx context.Context) error {
	var asked []Ref
	for _, d := range m.differences {
		if !d.askable() || slices.Contains(asked, d.ref) || len(asked) >= maxCures {
			continue
		}
		c := claimed{order: orderKey{d.ref.Event, d.order}, attempt: d.ref.ID}
		report, err := m.p.Lookup(ctx, d.ref.String())
		if err != nil {
			m.e.log.Warn("reconcile: the provider did not say how a payment stands", "payment", d.ref, "err", err)
			continue
		}
		err = m.e.inDossier(ctx, c.order, func(x *dossier) error {
			a := x.attempt(c.attempt)
			if a == nil {
				return nil
			}
			return x.learn(a, report)
		})
		if err != nil {
			return err
		}
		asked = append(asked, d.ref)
	}
	if len(asked) == 0 {
		return nil
	}
	m.e.kick(&m.e.kicks.payments)
	m.e.kick(&m.e.kicks.refunds)
	return m.again(ctx, asked)
}

// again compares the payments that were asked about once more: what agrees now is cured.
func (m *matching) again(ctx context.Context, asked []Ref) error {
	before, sums := m.differences, *m.r
	err := pgx.BeginFunc(ctx, m.e.db.Pool, func(tx pgx.Tx) error {
		if err := errors.Join(m.touchTables(ctx, tx), m.touch(ctx, tx, asked)); err != nil {
			return err
		}
		var err error
		m.differences, err = m.compare(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	// The answers changed what is here of these payments, and of no other.
	for _, r := range asked {
		sums.Here -= before[slices.IndexFunc(before, func(d difference) bool { return d.ref == r })].kept
	}
	m.r.Payments, m.r.There, m.r.Here = sums.Payments, sums.There, sums.Here+m.r.Here
	for _, d := range before {
		if !slices.Contains(asked, d.ref) {
			m.differences = append(m.differences, d)
			continue
		}
		still := slices.ContainsFunc(m.differences, func(x difference) bool { return x.ref == d.ref && x.brk.Class == d.brk.Class })
		// Of a refund that was made elsewhere we know now; why it was made somebody has to say.
		if !still && d.brk.Class != BreakRefundUnknown {
			m.r.Cured = append(m.r.Cured, d.brk)
		}
	}
	return nil
}

// seats holds places against money (P3) and the books against the orders.
func (m *matching) seats(ctx context.Context) error {
	found, err := checkInvariants(ctx, m.e.db.Pool, "P3", "L2", "L5")
	if err != nil {
		return err
	}
	for _, f := range found {
		m.findings = append(m.findings, Break{Class: BreakSeats, Provider: m.r.Provider, Subject: f.Detail, Detail: f.String()})
	}
	return nil
}

// conclude writes the breaks, ends those that are over, and judges.
func (m *matching) conclude(ctx context.Context, tx pgx.Tx) error {
	open := m.findings
	for _, d := range m.differences {
		open = append(open, d.brk)
	}
	for _, b := range m.r.Cured { // found and ended in one run: it is in the list all the same
		if err := recordBreaks(ctx, tx, b); err != nil {
			return err
		}
		if err := endBreaks(ctx, tx, b.Class, b.Subject, "cured", "reconcile", "the provider was asked"); err != nil {
			return err
		}
	}
	if err := recordBreaks(ctx, tx, open...); err != nil {
		return err
	}
	if err := m.endOld(ctx, tx, open); err != nil {
		return err
	}
	var err error
	if m.r.Found, err = readBreaks(ctx, tx, m.r.Provider, false); err != nil {
		return err
	}
	if m.r.Off, err = offIfUnsafe(ctx, tx, m.r.Provider); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, sqlReconEnd, m.run, m.r.Rows, m.r.New, m.r.Payments, m.r.There, m.r.Here, len(m.r.Found), len(m.r.Cured))
	return err
}

// endOld ends breaks of earlier runs that were looked at in this one and are not there
// any more.
func (m *matching) endOld(ctx context.Context, tx pgx.Tx, open []Break) error {
	var classes, subjects []string
	for _, b := range open {
		classes, subjects = append(classes, string(b.Class)), append(subjects, b.Subject)
	}
	var looked []string
	for _, r := range m.recheck {
		looked = append(looked, r.String())
	}
	if _, err := tx.Exec(ctx, sqlEndOld, m.r.Provider, looked, classes, subjects); err != nil {
		return fmt.Errorf("end breaks that are over: %w", err)
	}
	return nil
}

// reconcileHourly runs each provider's reconciliation once an hour, in whichever process
// looks first.
func (e *Engine) reconcileHourly(ctx context.Context) (again bool, err error) {
	var failed []error
	for name, p := range e.providers {
		if _, ok := p.(payment.Settler); !ok {
			continue
		}
		var due bool
		var from, now time.Time
		if err := e.db.Pool.QueryRow(ctx, sqlReconDue, name, reconcileEvery.Seconds(), reconcileOverlap.Seconds(), firstWindow.Seconds()).Scan(&due, &from, &now); err != nil {
			failed = append(failed, fmt.Errorf("look for the last reconciliation: %w", err))
			continue
		}
		if !due {
			continue
		}
		if _, err := e.Reconcile(ctx, name, from, now); err != nil && !errors.Is(err, ErrReconciling) {
			failed = append(failed, err)
		}
	}
	return false, errors.Join(failed...)
}
