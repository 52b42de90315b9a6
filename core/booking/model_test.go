package booking

import (
	"context"
	"errors"
	"fmt"
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
	n     int
}

type modelHold struct {
	id      uuid.UUID
	account int64
	seats   []int32
	places  map[int64]int
	state   string // live, expired, sold, gone
}

const (
	modelSeats    = 6
	modelLimit    = 4
	modelAccounts = 4
)

// places that may be taken of counters 1 (overbooked by one) and 2.
var modelRoom = map[int64]int{1: 5 + 1, 2: 3}

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
		for c, q := range h.places {
			used[c] += q
			n += q
		}
		if h.account == account {
			mine += n
		}
		for _, s := range seats {
			taken = taken || slices.Contains(h.seats, s)
		}
	}
	short := false
	for c, q := range places {
		want += q
		short = short || used[c]+q > modelRoom[c]
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
		m.holds = append(m.holds, &modelHold{v.ID, account, seats, places, "live"})
	}
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
		m.holds = append(m.holds, &modelHold{v.ID, old.account, seats, places, "live"})
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
	m.x.age(h.id, 8*time.Minute)
	h.state = "expired"
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

// B07 and all the others: any sequence of hold, replace, release, expiry, sale,
// late success, refund and sweep ends every step as counting on paper says, and the
// rows agree with each other.
func TestHoldsAgreeWithCountingOnPaper(t *testing.T) {
	x := newSale(t, saleSpec{seats: modelSeats, counters: nil})
	x.spare = map[string]bool{"P3": true} // sales without orders
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := &model{t: rt, x: x, slug: fmt.Sprint("run-", run, "-", uuid.NewString())}
		if err := x.db.Pool.QueryRow(t.Context(), `WITH e AS (
			INSERT INTO event (slug, venue_id, organiser, title, place, starts_at, time_zone, currency, max_per_account)
			VALUES ($1, 1, 'o', 't', 'p', now(), 'UTC', 'EUR', $2) RETURNING id),
			p AS (INSERT INTO price_level SELECT id, c, c, 100 FROM e, unnest('{A,G}'::text[]) c),
			s AS (INSERT INTO seat (event_id, seat_id, class) SELECT id, n, 'A' FROM e, generate_series(1, $3::int) n),
			c AS (INSERT INTO counter (event_id, id, kind, name, class, capacity, overbook) SELECT id, n, 'class', 'C', 'G', 7 - 2 * n, 2 - n FROM e, generate_series(1, 2) n)
			SELECT id FROM e`, m.slug, modelLimit, modelSeats).Scan(&m.event); err != nil {
			rt.Fatal(err)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"hold": m.take, "hold again": m.take, "replace": m.replace, "release": m.release, "expire": m.expire,
			"sell": m.sell, "retake": m.retake, "give back": m.giveBack, "sweep": m.sweep,
		})
		if found := x.findings(); len(found) > 0 {
			rt.Fatalf("%v", found)
		}
	})
}
