package main

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/deploy/bench/figures"
)

// oneByOne is the plain way: the same rows, one order at a time, and a COMMIT wherever a
// provider is called or a buyer answered.
//
//go:embed reference/one_by_one.sql
var oneByOne string

const (
	buyersAtOnce     = 384
	referenceClients = 16 // more do not make it faster
)

// purchaseBench sells from the hold to the captured order, with a provider that answers
// at once.
func purchaseBench(ctx context.Context, s *server, out *figures.Figures) error {
	if _, err := s.openHall(ctx, "plain"); err != nil {
		return err
	}
	ref, err := s.pgbench(ctx, oneByOne)
	if err != nil {
		return err
	}
	out.Note("one by one: %.0f orders/s with %d clients", ref, referenceClients)
	if _, err := s.openHall(ctx, "hall"); err != nil {
		return err
	}
	bank := &instantBank{}
	e, err := shopFor(s.db, bank)
	if err != nil {
		return err
	}
	loops, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); _ = e.Run(loops) }()
	defer func() { stop(); <-ended }()

	var over atomic.Bool
	sold := make(chan error, 1)
	go func() {
		sold <- crowd(buyersAtOnce, over.Load, func(seat int32) error {
			r, err := buy(ctx, e, "hall", seat)
			if err == nil {
				<-bank.captured(r)
			}
			return err
		})
	}()
	time.Sleep(s.window() / 3) // the first orders meet cold caches and one another
	begin := time.Now()
	orders0, commits0, err := s.counts(ctx)
	if err != nil {
		return err
	}
	time.Sleep(s.window())
	orders, commits, err := s.counts(ctx)
	took := time.Since(begin)
	over.Store(true)
	if sale := <-sold; err == nil {
		err = sale
	}
	if err != nil {
		return err
	}
	n := orders - orders0
	if n == 0 {
		return fmt.Errorf("nothing was sold")
	}
	perOrder := float64(commits-commits0) / float64(n)
	out.Note("the engine: %.0f orders/s, %.2f commits an order", float64(n)/took.Seconds(), perOrder)
	out.Ratio("purchase.vs_one_by_one", float64(n)/took.Seconds(), ref)
	out.Value("purchase.commits_per_order", perOrder)
	return s.sound(ctx)
}

// counts are captured orders and commits, of one moment as near as the server tells.
func (s *server) counts(ctx context.Context) (orders, commits int64, err error) {
	if err = s.owner.QueryRow(ctx, `SELECT count(*) FROM orders WHERE state = 'captured' AND event_id = (SELECT id FROM event WHERE slug = 'hall')`).Scan(&orders); err != nil {
		return 0, 0, err
	}
	err = s.owner.QueryRow(ctx, `SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`).Scan(&commits)
	return orders, commits, err
}

// sound: a figure of broken books is none.
func (s *server) sound(ctx context.Context) error {
	found, err := booking.CheckInvariants(ctx, s.db.Pool)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("%d broken promises, the first: %s", len(found), found[0])
	}
	return err
}

var tps = regexp.MustCompile(`(?m)^tps = ([0-9.]+)`)

func (s *server) pgbench(ctx context.Context, script string) (float64, error) {
	program, err := exec.LookPath("pgbench")
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
		if len(found) == 0 {
			return 0, fmt.Errorf("pgbench is not installed; on Debian: apt-get install postgresql postgresql-contrib")
		}
		program = slices.Max(found)
	}
	dir, err := os.MkdirTemp("", "ropeline-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "one_by_one.sql")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		return 0, err
	}
	if err := s.exec(ctx, `CREATE SEQUENCE IF NOT EXISTS bench_seat`); err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(ctx, program, "-n", "-M", "prepared", "-f", file, "-c", strconv.Itoa(referenceClients), "-j", "1",
		"-T", strconv.Itoa(s.seconds), s.ownerURL).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	m := tps.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("pgbench printed no tps:\n%s", out)
	}
	return strconv.ParseFloat(string(m[1]), 64)
}

// instantBank answers at once and keeps nothing but who has been captured.
type instantBank struct{ done, told sync.Map }

func (b *instantBank) captured(reference string) <-chan struct{} {
	c, _ := b.done.LoadOrStore(reference, make(chan struct{}))
	return c.(chan struct{})
}

func (b *instantBank) Name() string { return "instant" }

func (b *instantBank) Capabilities() payment.Capabilities {
	return payment.Capabilities{TwoStep: true, Keys: true, Lookup: true, Partial: true, LongestProcessing: payment.NotFoundAfter}
}

func (b *instantBank) Authorize(_ context.Context, a payment.Authorization) (payment.Report, error) {
	return payment.Report{Reference: a.Reference, PaymentRef: a.Reference, Currency: a.Currency, Facts: payment.Facts{Authorized: a.Amount}}, nil
}

func (b *instantBank) Lookup(context.Context, string) (payment.Report, error) {
	return payment.Report{}, payment.ErrNotFound
}

func (b *instantBank) Capture(_ context.Context, c payment.Command) (payment.Report, error) {
	done, _ := b.done.LoadOrStore(c.PaymentRef, make(chan struct{}))
	if _, twice := b.told.LoadOrStore(c.PaymentRef, true); !twice {
		close(done.(chan struct{}))
	}
	return payment.Report{Reference: c.PaymentRef, PaymentRef: c.PaymentRef, Currency: "EUR", Facts: payment.Facts{Authorized: c.Amount, Captured: c.Amount}}, nil
}

func (b *instantBank) Void(_ context.Context, c payment.Command) (payment.Report, error) {
	return payment.Report{}, fmt.Errorf("nothing is voided here")
}

func (b *instantBank) Refund(_ context.Context, c payment.Command) (payment.Report, error) {
	return payment.Report{}, fmt.Errorf("nothing is refunded here")
}

func (b *instantBank) ParseWebhook(http.Header, []byte, time.Time) (payment.Notice, error) {
	return payment.Notice{}, payment.ErrSignature
}

func (b *instantBank) ReadNotice([]byte) (payment.Notice, error) {
	return payment.Notice{}, payment.ErrSignature
}

func (b *instantBank) CardForm(string, int64, string) string { return "" }
