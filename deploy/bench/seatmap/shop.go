package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/deploy/debian"
	"github.com/ropeline/ropeline/deploy/stack"
)

const (
	stadiums = 10
	trips    = 3_000
)

// The events as SQL, on the venue of the demo's stadium: an import of three thousand would take longer than the measurement.
const (
	sqlStadiums = `WITH e AS (INSERT INTO event (slug, venue_id, organiser, title, place, starts_at, time_zone, currency, max_per_account, hold_ttl, hold_budget)
			SELECT 'night-' || n, venue_id, organiser, title, place, starts_at, time_zone, currency, 100, hold_ttl, 0 FROM event, generate_series(1, $1::int) n
			WHERE slug = 'night-of-lights' RETURNING id, venue_id),
		x AS (INSERT INTO event_version (event_id) SELECT id FROM e),
		p AS (INSERT INTO price_level SELECT e.id, l.class, l.name, l.amount FROM e, price_level l JOIN event o ON o.id = l.event_id WHERE o.slug = 'night-of-lights')
		INSERT INTO seat (event_id, seat_id, class, state) SELECT e.id, s.seat_id, s.class, CASE WHEN hashint4(s.seat_id) % 2 = 0 THEN 'blocked' ELSE 'available' END
		FROM e JOIN venue_seat s ON s.venue_id = e.venue_id`
	sqlTripVenue = `WITH v AS (INSERT INTO venue (slug, name, city, country, geometry_hash, geometry, seat_count)
			VALUES ('coach', 'Coach', 'Bonn', 'DE', encode(sha256('coach'), 'hex'), '{}', 40) RETURNING id)
		INSERT INTO venue_seat SELECT v.id, n, 'Coach', ((n - 1) / 4 + 1)::text, ((n - 1) % 4 + 1)::text, 'A' FROM v, generate_series(1, 40) n`
	sqlTrips = `WITH e AS (INSERT INTO event (slug, venue_id, organiser, title, place, starts_at, time_zone, currency, map_life)
			SELECT 'trip-' || n, v.id, 'Bench', 'Trip ' || n, 'Bonn', now() + n * interval '1 minute', 'Europe/Berlin', 'EUR', '5 seconds'
			FROM venue v, generate_series(1, $1::int) n WHERE v.slug = 'coach' RETURNING id, venue_id),
		x AS (INSERT INTO event_version (event_id) SELECT id FROM e), p AS (INSERT INTO price_level SELECT id, 'A', 'A', 2500 FROM e)
		INSERT INTO seat (event_id, seat_id, class) SELECT e.id, s.seat_id, s.class FROM e JOIN venue_seat s ON s.venue_id = e.venue_id`
)

// fill is a statement that brings in events.
type fill struct {
	sql   string
	count int // 0: the statement takes none
}

var (
	withStadiums = []fill{{sqlStadiums, stadiums}, {"ANALYZE", 0}}
	withTrips    = []fill{{sqlTripVenue, 0}, {sqlTrips, trips}, {"ANALYZE", 0}}
)

// shop is the stack behind a Varnish.
type shop struct {
	*stack.Stack
	dir, bin string
	db       *pgx.Conn
	varnish  *stack.Child
	cached   string          // host:port of Varnish
	filled   map[string]bool // statements that were run
}

func openShop(ctx context.Context) (*shop, error) {
	root, err := stack.Repository()
	if err != nil {
		return nil, err
	}
	s := &shop{filled: map[string]bool{}, bin: filepath.Join(root, ".run", "bin")}
	progress := stack.Progress{W: os.Stderr}
	if err := stack.Build(ctx, progress, root, s.bin, stack.Programs...); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "ropeline-map-"); err != nil {
		return nil, err
	}
	if err := os.Chmod(s.dir, 0o755); err != nil {
		return nil, err
	}
	s.Stack, err = stack.Up(ctx, stack.Config{Dir: s.dir, Bin: s.bin, Caddyfile: filepath.Join(root, "deploy", "Caddyfile"), Embedded: true, Progress: progress,
		Events: []string{filepath.Join(root, "deploy", "demo", "data", "stadium.json")}, BookingEnv: []string{"BOOKINGD_PASS=off", "BOOKINGD_HOLDS_PER_MINUTE=off"}})
	if err != nil {
		return nil, err
	}
	if s.db, err = pgx.Connect(ctx, s.OwnerURL); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := s.startVarnish(ctx, root); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// fill brings in what a section wants, once.
func (s *shop) fill(ctx context.Context, with []fill) error {
	for _, f := range with {
		var args []any
		if f.count > 0 {
			args = append(args, f.count)
		}
		if s.filled[f.sql] && f.sql != "ANALYZE" {
			continue
		}
		if _, err := s.db.Exec(ctx, f.sql, args...); err != nil {
			return fmt.Errorf("%.40s: %w", f.sql, err)
		}
		s.filled[f.sql] = true
	}
	return nil
}

// startVarnish puts the file of cdn/ before bookingd: what the edge adds is measured elsewhere.
func (s *shop) startVarnish(ctx context.Context, root string) error {
	parts, err := debian.ByName("varnish")
	if err != nil {
		return err
	}
	program := parts[0].Find()
	if program == "" {
		return errors.New(debian.Advice(parts))
	}
	text, err := os.ReadFile(filepath.Join(root, "cdn", "varnish", "ropeline.vcl"))
	if err != nil {
		return err
	}
	port := s.BookingURL()[strings.LastIndexByte(s.BookingURL(), ':')+1:]
	vcl := strings.NewReplacer(`.port = "8080"`, `.port = "`+port+`"`, "/.well-known/ropeline/boxoffice/status", "/healthz").Replace(string(text))
	file := filepath.Join(s.dir, "ropeline.vcl")
	if err := os.WriteFile(file, []byte(vcl), 0o644); err != nil {
		return err
	}
	ports, err := stack.FreePorts(1)
	if err != nil {
		return err
	}
	s.cached = fmt.Sprintf("127.0.0.1:%d", ports[0])
	s.varnish, err = stack.Start(s.dir, stack.Spec{Name: "varnish", Path: program, Args: []string{"-F", "-n", filepath.Join(s.dir, "varnish"), "-f", file, "-a", s.cached, "-s", "malloc,256m"}})
	if err != nil {
		return err
	}
	return stack.Await(ctx, s.varnish, stack.Answers("http://"+s.cached+"/v1/events"))
}

func (s *shop) booking() string { return strings.TrimPrefix(s.BookingURL(), "http://") }

func (s *shop) close() error {
	var errs []error
	if s.varnish != nil {
		errs = append(errs, s.varnish.Stop())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close(context.Background()))
	}
	errs = append(errs, s.Down())
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return stack.Forget(s.dir)
}

// counted sums the samples of a metric whose line contains all of words.
func (s *shop) counted(ctx context.Context, words ...string) (sum float64, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.InternalURL()+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return sumOf(resp.Body, words...)
}
