package booking

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pgtest"
	"github.com/ropeline/ropeline/core/problem"
)

// sale is a test's own event on its own database. Its last act is the check of all
// invariants.
type sale struct {
	t   *testing.T
	db  *pgtest.DB
	e   *Engine
	id  int64
	key int

	spare map[string]bool // invariants the test breaks on purpose
}

// counterSpec is an area or class of a test's event.
type counterSpec struct {
	name               string
	capacity, overbook int
}

type saleSpec struct {
	seats    int
	counters []counterSpec
	limit    int           // per account; default 6
	ttl      time.Duration // of a hold; default 8 min
	budget   int           // of unbought holds; 0: no limit
	config   Config
	pool     pg.Options
	contract string // with the provider, of a shop: words of one_step, no_keys, limited
}

const slug = "night-of-lights"

// newSale makes an event with seats of class A at 25.00 EUR and counters of class
// G at 10.00 EUR, and 400 accounts, 1 to 400.
func newSale(t *testing.T, s saleSpec) *sale {
	t.Helper()
	if s.limit == 0 {
		s.limit = 6
	}
	if s.ttl == 0 {
		s.ttl = 8 * time.Minute
	}
	if s.config.QueueWait == 0 {
		s.config.QueueWait = time.Hour // a slow test machine is no reason to refuse
	}
	db := pgtest.NewWith(t, s.pool)
	x := &sale{t: t, db: db}
	db.Owner(t, `INSERT INTO account (subject, email) SELECT 'test|' || n, n || '@example.com' FROM generate_series(1, 400) n`)
	db.Owner(t, `INSERT INTO venue (slug, name, city, country, geometry_hash, geometry, seat_count) VALUES ('hall', 'Hall', 'Ghent', 'BE', 'x', '{}', $1)`, s.seats)
	db.Owner(t, `INSERT INTO venue_seat SELECT 1, n, 'Stalls', ((n - 1) / 10 + 1)::text, ((n - 1) % 10 + 1)::text, 'A' FROM generate_series(1, $1::int) n`, s.seats)
	db.Owner(t, `INSERT INTO event (slug, venue_id, organiser, title, place, starts_at, time_zone, currency, max_per_account, hold_ttl, hold_budget)
		VALUES ($1, 1, 'Lights Ltd', 'Night of Lights', 'Ghent', '2027-03-01T19:00:00Z', 'Europe/Brussels', 'EUR', $2, $3, $4)`, slug, s.limit, s.ttl, s.budget)
	db.Owner(t, `INSERT INTO price_level VALUES (1, 'A', 'Stalls', 2500), (1, 'G', 'Standing', 1000)`)
	db.Owner(t, `INSERT INTO seat (event_id, seat_id, class) SELECT 1, n, 'A' FROM generate_series(1, $1::int) n`, s.seats)
	for i, c := range s.counters {
		db.Owner(t, `INSERT INTO counter (event_id, id, kind, name, class, capacity, overbook) VALUES (1, $1, 'area', $2, 'G', $3, $4)`,
			i+1, c.name, c.capacity, c.overbook)
	}
	x.id = 1
	x.e = x.engine(db.DB, s.config)
	t.Cleanup(x.check)
	return x
}

// engine is another process on the same database.
func (x *sale) engine(db *pg.DB, c Config) *Engine {
	x.t.Helper()
	e, err := New(c, db, Deps{})
	if err != nil {
		x.t.Fatal(err)
	}
	return e
}

func (x *sale) check() {
	for _, f := range x.findings() {
		x.t.Errorf("invariant broken: %s", f)
	}
}

// findings are the broken invariants but those the test breaks on purpose.
func (x *sale) findings() (out []Finding) {
	// A test's context ends before its cleanups.
	all, err := CheckInvariants(withoutCancel(x.t), x.db.Pool)
	if err != nil {
		x.t.Errorf("check of the invariants: %v", err)
	}
	for _, f := range all {
		if !x.spare[f.Invariant] {
			out = append(out, f)
		}
	}
	faults, err := ledger.Verify(withoutCancel(x.t), x.db.Pool)
	if err != nil {
		x.t.Errorf("check of the books: %v", err)
	}
	for _, f := range faults {
		if !x.spare[f.Rule] {
			out = append(out, Finding{Invariant: f.Rule, Rule: "the books", Detail: f.Detail})
		}
	}
	return out
}

func (x *sale) command(account int64) Command {
	x.key++
	return Command{EventSlug: slug, AccountID: account, Route: "test", Key: fmt.Sprintf("k%d", x.key)}
}

// hold takes places and gives the answer; the error is a refusal or the test fails.
func (x *sale) hold(account int64, r HoldRequest) (HoldView, error) {
	x.t.Helper()
	return x.holdWith(x.command(account), r)
}

func (x *sale) holdWith(c Command, r HoldRequest) (HoldView, error) {
	a, err := x.e.Hold(x.t.Context(), c, r)
	return viewOf(a, err)
}

func viewOf(a Answer, err error) (v HoldView, _ error) {
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(a.Body, &v)
}

func (x *sale) mustHold(account int64, r HoldRequest) HoldView {
	x.t.Helper()
	v, err := x.hold(account, r)
	if err != nil {
		x.t.Fatalf("hold of %+v by %d: %v", r, account, err)
	}
	return v
}

// age moves a hold's whole life into the past, as if d had gone by.
func (x *sale) age(id uuid.UUID, d time.Duration) {
	x.t.Helper()
	if _, err := x.db.Pool.Exec(x.t.Context(), `WITH
		h AS (UPDATE hold SET created_at = created_at - $2::interval, first_held_at = first_held_at - $2::interval, held_until = held_until - $2::interval WHERE id = $1),
		l AS (UPDATE hold_line SET held_until = held_until - $2::interval WHERE hold_id = $1)
		UPDATE seat SET held_until = held_until - $2::interval WHERE hold_id = $1`, id, d); err != nil {
		x.t.Fatalf("age a hold: %v", err)
	}
}

// counterSums reads held and sold of a counter.
func (x *sale) counterSums(id int64) (held, sold int) {
	x.t.Helper()
	if err := x.db.Pool.QueryRow(x.t.Context(), `SELECT held, sold FROM counter WHERE event_id = 1 AND id = $1`, id).Scan(&held, &sold); err != nil {
		x.t.Fatal(err)
	}
	return held, sold
}

func seats(ids ...int32) HoldRequest { return HoldRequest{Seats: ids} }

func places(counter int64, n int) HoldRequest {
	return HoldRequest{Places: []hold.Place{{Counter: counter, Quantity: n}}}
}

// wantCode fails unless err is a refusal with this code.
func wantCode(t *testing.T, err error, code string) *problem.Error {
	t.Helper()
	p := problem.As(err)
	if p == nil || p.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	return p
}

// tally counts outcomes: "ok", or the code of the refusal.
type tally map[string]int

func (y tally) add(err error) {
	var p *problem.Error
	switch {
	case err == nil:
		y["ok"]++
	case errors.As(err, &p):
		y[p.Code]++
	default:
		y["fault: "+err.Error()]++
	}
}

func (y tally) only(t *testing.T, codes ...string) {
	t.Helper()
	for c := range y {
		if !strings.Contains(" "+strings.Join(codes, " ")+" ", " "+c+" ") {
			t.Errorf("outcome %q x %d; allowed: %v", c, y[c], codes)
		}
	}
}

// database is the name of the test's database.
func (x *sale) database() string {
	x.t.Helper()
	var name string
	if err := x.db.Pool.QueryRow(x.t.Context(), `SELECT current_database()`).Scan(&name); err != nil {
		x.t.Fatal(err)
	}
	return name
}

// count1 is a number from the database.
func (x *sale) count1(sql string) (n int) {
	x.t.Helper()
	if err := x.db.Pool.QueryRow(x.t.Context(), sql).Scan(&n); err != nil {
		x.t.Fatal(err)
	}
	return n
}

// until waits for something that is about to happen.
func (x *sale) until(what string, ok func() bool) {
	x.t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			x.t.Fatal("never: ", what)
		}
	}
}
