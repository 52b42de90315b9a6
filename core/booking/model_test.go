package booking

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/problem"
)

// model is a sale as one would count it on paper: a list of holds, and what is
// taken is the sum over those that live or are sold.
type model struct {
	t     *rapid.T
	x     *sale
	event int64
	slug  string
	holds []*modelHold
	room  map[int64]int // places that may be taken of each counter
	n     int
}

type modelHold struct {
	id      uuid.UUID
	account int64
	seats   []int32
	places  map[int64]int
	state   string // live, expired, sold, gone

	late, extended bool // near its end; lengthened once
	old            int  // minutes since it, or what it replaced, was first held
}

const (
	modelSeats    = 6
	modelLimit    = 4
	modelAccounts = 4
)

// places that may be taken of counters 1 (overbooked by one) and 2, in which some
// seats count too.
var modelRoom = map[int64]int{1: 5 + 1, 2: 3}

const modelCounted = 5 // the first seat that counts in counter 2

// needs is what seats and places take of the counters.
func needs(seats []int32, places map[int64]int) map[int64]int {
	n := maps.Clone(places)
	if n == nil {
		n = make(map[int64]int)
	}
	for _, s := range seats {
		if s >= modelCounted {
			n[2]++
		}
	}
	return n
}

func (m *model) counts(h *modelHold) bool { return h.state == "live" || h.state == "sold" }

// expect is the refusal that counting gives, "" for none. without: the hold that is
// replaced, nil for none.
func (m *model) expect(account int64, seats []int32, places map[int64]int, without *modelHold) string {
	mine, want := 0, len(seats)
	used := make(map[int64]int)
	taken := false
	for _, h := range m.holds {
		if !m.counts(h) || h == without {
			continue
		}
		n := len(h.seats)
		for _, q := range h.places {
			n += q
		}
		for c, q := range needs(h.seats, h.places) {
			used[c] += q
		}
		if h.account == account {
			mine += n
		}
		for _, s := range seats {
			taken = taken || slices.Contains(h.seats, s)
		}
	}
	short := false
	for _, q := range places {
		want += q
	}
	for c, q := range needs(seats, places) {
		short = short || used[c]+q > m.room[c]
	}
	switch {
	case mine+want > modelLimit:
		return "limit_exceeded"
	case taken:
		return "seat_taken"
	case short:
		return "not_enough_places"
	}
	return ""
}

func (m *model) command(account int64) Command {
	m.n++
	return Command{EventSlug: m.slug, AccountID: account, Route: "model", Key: fmt.Sprint(m.n)}
}

func (m *model) check(what string, err error, want string) bool {
	m.t.Helper()
	got := ""
	if p := problem.As(err); p != nil {
		got = p.Code
	} else if err != nil {
		m.t.Fatalf("%s: %v", what, err)
	}
	if got != want {
		m.t.Fatalf("%s: %q, counting says %q", what, got, want)
	}
	return err == nil
}

func (m *model) pick(label string, states ...string) *modelHold {
	var of []*modelHold
	for _, h := range m.holds {
		if slices.Contains(states, h.state) {
			of = append(of, h)
		}
	}
	if len(of) == 0 {
		m.t.Skip("no such hold")
	}
	return rapid.SampledFrom(of).Draw(m.t, label)
}

func (m *model) draw() (seats []int32, places map[int64]int, r HoldRequest) {
	seats = rapid.SliceOfNDistinct(rapid.Int32Range(1, modelSeats), 0, 3, rapid.ID).Draw(m.t, "seats")
	places = rapid.MapOfN(rapid.Int64Range(1, 2), rapid.IntRange(1, 3), 0, 2).Draw(m.t, "places")
	if len(seats)+len(places) == 0 {
		seats = []int32{1}
	}
	r.Seats = seats
	for c, q := range places {
		r.Places = append(r.Places, hold.Place{Counter: c, Quantity: q})
	}
	return seats, places, r
}

func (m *model) take(t *rapid.T) {
	m.t = t
	account := rapid.Int64Range(1, modelAccounts).Draw(t, "account")
	seats, places, r := m.draw()
	a, err := m.x.e.Hold(m.x.t.Context(), m.command(account), r)
	if m.check("hold", err, m.expect(account, seats, places, nil)) {
		v, _ := viewOf(a, nil)
		m.holds = append(m.holds, &modelHold{id: v.ID, account: account, seats: seats, places: places, state: "live"})
	}
}

// takeFewer is take by who accepts fewer: counting decides place by place, each as if
// it were asked for alone after those before it.
func (m *model) takeFewer(t *rapid.T) {
	m.t = t
	account := rapid.Int64Range(1, modelAccounts).Draw(t, "account")
	seats, places, r := m.draw()
	got := &modelHold{account: account, places: make(map[int64]int), state: "live"}
	m.holds = append(m.holds, got)
	first := ""
	for _, s := range seats {
		switch why := m.expect(account, []int32{s}, nil, nil); {
		case why == "":
			got.seats = append(got.seats, s)
		case first != "seat_taken" && why != "limit_exceeded":
			first = why
		}
	}
	for _, p := range r.Places {
		for range p.Quantity {
			if why := m.expect(account, nil, map[int64]int{p.Counter: 1}, nil); why == "" {
				got.places[p.Counter]++
			} else if first == "" && why != "limit_exceeded" {
				first = why
			}
		}
	}
	m.holds = m.holds[:len(m.holds)-1]
	want := ""
	if len(got.seats)+len(got.places) == 0 {
		// Who may have nothing more is told that, whatever else is in the way.
		if want = first; m.expect(account, []int32{99}, nil, nil) == "limit_exceeded" {
			want = "limit_exceeded"
		}
	}
	r.Fewer = true
	a, err := m.x.e.Hold(m.x.t.Context(), m.command(account), r)
	if !m.check("hold fewer of "+fmt.Sprint(seats, places), err, want) {
		return
	}
	v, _ := viewOf(a, nil)
	n := make(map[int64]int)
	var has []int32
	for _, l := range v.Lines {
		if l.Seat != nil {
			has = append(has, *l.Seat)
		} else {
			n[*l.Counter] += l.Quantity
		}
	}
	slices.Sort(got.seats)
	if !slices.Equal(has, got.seats) || !maps.Equal(n, got.places) {
		t.Fatalf("of %v and %v the hold has %v and %v, counting says %v and %v", seats, places, has, n, got.seats, got.places)
	}
	got.id = v.ID
	m.holds = append(m.holds, got)
}

func (m *model) replace(t *rapid.T) {
	m.t = t
	old := m.pick("old", "live")
	seats, places, r := m.draw()
	r.Replace = old.id
	a, err := m.x.e.Hold(m.x.t.Context(), m.command(old.account), r)
	if m.check("replace", err, m.expect(old.account, seats, places, old)) {
		v, _ := viewOf(a, nil)
		old.state = "gone"
		// It has a time of its own, but began where the old one began.
		m.holds = append(m.holds, &modelHold{id: v.ID, account: old.account, seats: seats, places: places, state: "live", old: old.old})
	}
}

func (m *model) release(t *rapid.T) {
	m.t = t
	h := m.pick("hold", "live", "expired", "sold", "gone")
	want := map[string]string{"live": "", "expired": "hold_expired", "sold": "hold_sold", "gone": "hold_released"}[h.state]
	_, err := m.x.e.Release(m.x.t.Context(), m.command(h.account), ReleaseRequest{h.id})
	if m.check("release", err, want) {
		h.state = "gone"
	}
}

func (m *model) expire(t *rapid.T) {
	m.t = t
	h := m.pick("hold", "live")
	m.x.age(h.id, 20*time.Minute)
	h.state = "expired"
}

func (m *model) growOld(t *rapid.T) {
	m.t = t
	h := m.pick("hold", "live")
	if h.late || h.extended || h.old > 20-8 { // less than its 8 minutes, because of the cap of 20
		t.Skip("it would end")
	}
	m.x.age(h.id, 7*time.Minute)
	h.late = true
	h.old += 7
}

func (m *model) extend(t *rapid.T) {
	m.t = t
	h := m.pick("hold", "live", "expired", "sold", "gone")
	want := map[string]string{"expired": "hold_expired", "sold": "hold_sold", "gone": "hold_released"}[h.state]
	if h.state == "live" && (h.extended || !h.late) {
		want = "extension_refused"
	}
	_, err := m.x.e.Extend(m.x.t.Context(), m.command(h.account), ExtendRequest{h.id})
	if m.check("extend", err, want) {
		h.extended = true
	}
}

// relimit raises and lowers what a counter may sell, below what is sold too.
func (m *model) relimit(t *rapid.T) {
	m.t = t
	r := LimitRequest{Counter: rapid.Int64Range(1, 2).Draw(t, "counter"), Capacity: rapid.IntRange(0, 6).Draw(t, "capacity"), Reason: "a test"}
	r.Overbook = rapid.IntRange(0, min(2, r.Capacity)).Draw(t, "overbook")
	_, err := m.x.e.SetLimit(m.x.t.Context(), m.slug, r)
	if m.check("set limit", err, "") {
		m.room[r.Counter] = r.Capacity + r.Overbook
	}
}

// under runs one of the payment side's rules on a hold, as confirm and refund do.
func (m *model) under(h *modelHold, rule func(w *hold.World, h *hold.Hold) error) error {
	return m.x.db.InTx(m.x.t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		ev, err := hold.LockEvent(ctx, tx, m.event)
		if err != nil {
			return err
		}
		w, row, err := hold.LockHold(ctx, tx, ev, h.id)
		if err != nil {
			return err
		}
		if err := rule(w, row); err != nil {
			return err
		}
		changed, err := w.Write(ctx, tx)
		if err != nil {
			return err
		}
		_, err = publish(ctx, tx, changed)
		return err
	})
}

func (m *model) sell(t *rapid.T) {
	m.t = t
	h := m.pick("hold", "live", "expired", "gone")
	want := ""
	if h.state != "live" {
		want = "hold_expired"
	}
	if m.check("sell", m.under(h, (*hold.World).Sell), want) {
		h.state = "sold"
	}
}

func (m *model) retake(t *rapid.T) {
	m.t = t
	h := m.pick("hold", "expired", "gone", "sold")
	want := map[string]string{"gone": "hold_released", "sold": "hold_sold"}[h.state]
	if h.state == "expired" {
		want = m.expect(h.account, h.seats, h.places, nil)
	}
	err := m.under(h, (*hold.World).Retake)
	if want == "seat_taken" && errors.Is(err, hold.ErrNotEnough) {
		want = "not_enough_places" // both are short: which is said first does not matter
	}
	if m.check("retake", err, want) {
		h.state = "sold"
	}
}

func (m *model) giveBack(t *rapid.T) {
	m.t = t
	h := m.pick("hold", "live", "expired", "sold", "gone")
	if m.check("give back", m.under(h, func(w *hold.World, h *hold.Hold) error { return w.GiveBack(h) }), "") {
		h.state = "gone"
	}
}

func (m *model) sweep(t *rapid.T) {
	m.t = t
	_, err := m.x.e.sweep(m.x.t.Context())
	m.check("sweep", err, "")
}

// B07, B57 and all the others: any sequence of hold, hold of fewer, replace, extension,
// release, expiry, sale, late success, refund, change of a limit and sweep ends every step as counting on paper says, and the
// rows agree with each other.
func TestHoldsAgreeWithCountingOnPaper(t *testing.T) {
	x := newSale(t, saleSpec{seats: modelSeats, counters: nil})
	x.spare = map[string]bool{"P3": true} // sales without orders
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := &model{t: rt, x: x, slug: fmt.Sprint("run-", run, "-", uuid.NewString()), room: maps.Clone(modelRoom)}
		if err := x.db.Pool.QueryRow(t.Context(), `WITH e AS (
			INSERT INTO event (slug, venue_id, organiser, title, place, starts_at, time_zone, currency, max_per_account, hold_budget, seats_counted)
			VALUES ($1, 1, 'o', 't', 'p', now(), 'UTC', 'EUR', $2, 0, true) RETURNING id),
			p AS (INSERT INTO price_level SELECT id, c, c, 100 FROM e, unnest('{A,G}'::text[]) c),
			s AS (INSERT INTO seat (event_id, seat_id, class, counter_id) SELECT id, n, 'A', CASE WHEN n >= $4 THEN 2 END FROM e, generate_series(1, $3::int) n),
			c AS (INSERT INTO counter (event_id, id, kind, name, class, capacity, overbook) SELECT id, n, 'class', 'C', 'G', 7 - 2 * n, 2 - n FROM e, generate_series(1, 2) n)
			SELECT id FROM e`, m.slug, modelLimit, modelSeats, modelCounted).Scan(&m.event); err != nil {
			rt.Fatal(err)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"hold": m.take, "hold again": m.take, "hold fewer": m.takeFewer, "replace": m.replace, "release": m.release, "expire": m.expire,
			"grow old": m.growOld, "extend": m.extend, "set limit": m.relimit,
			"sell": m.sell, "retake": m.retake, "give back": m.giveBack, "sweep": m.sweep,
		})
		if found := x.findings(); len(found) > 0 {
			rt.Fatalf("%v", found)
		}
	})
}
