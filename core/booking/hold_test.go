package booking

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/problem"
)

func withoutCancel(t *testing.T) context.Context { return context.WithoutCancel(t.Context()) }

func TestAHoldTakesSeatsAndPlacesAtTheirPricesForItsTime(t *testing.T) {
	x := newSale(t, saleSpec{seats: 20, counters: []counterSpec{{"Standing", 100, 0}}})
	r := seats(12, 3)
	r.Places = places(1, 2).Places
	v := x.mustHold(7, r)
	if v.State != "active" || v.Event != slug || v.Amount != 2*2500+2*1000 || v.Currency != "EUR" || v.Version != 1 {
		t.Errorf("answer %+v", v)
	}
	if n := time.Time(v.ExpiresAt).Sub(time.Time(v.ServerTime)); n != 8*time.Minute {
		t.Errorf("the hold lasts %s", n)
	}
	if len(v.Lines) != 3 || *v.Lines[0].Seat != 3 || v.Lines[1].Label != "Stalls, row 2, seat 2" || v.Lines[2].Label != "Standing" || v.Lines[2].Quantity != 2 {
		t.Errorf("lines %+v", v.Lines)
	}
	if held, sold := x.counterSums(1); held != 2 || sold != 0 {
		t.Errorf("counter: %d held, %d sold", held, sold)
	}
	// What is read later is what was answered.
	got, err := x.e.HoldView(t.Context(), 7, slug, v.ID)
	got.ServerTime = v.ServerTime
	if diff := cmp.Diff(jsonOf(v), jsonOf(got)); err != nil || diff != "" {
		t.Errorf("read again: %v\n%s", err, diff)
	}
	if _, err := x.e.HoldView(t.Context(), 8, slug, v.ID); problem.As(err) == nil || problem.As(err).Code != "not_found" {
		t.Errorf("another account's hold: %v", err)
	}
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// B10: a conflict names the seats, why, and the version; nothing was held.
func TestAConflictNamesWhatIsTakenAndWhy(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, counters: []counterSpec{{"Standing", 3, 0}}})
	x.db.Owner(t, `UPDATE seat SET state = 'blocked' WHERE seat_id = 9`)
	first := x.mustHold(1, seats(2))
	r := seats(1, 2, 9)
	r.Places = places(1, 3).Places
	_, err := x.hold(2, r)
	p := wantCode(t, err, "seat_taken")
	want := []hold.SeatConflict{{Seat: 2, State: "held"}, {Seat: 9, State: "blocked"}}
	if diff := cmp.Diff(want, p.Extra["seats"]); diff != "" || p.Extra["version"] != first.Version || p.Status != 409 {
		t.Errorf("%+v\n%s", p, diff)
	}
	_, err = x.hold(2, places(1, 4))
	p = wantCode(t, err, "not_enough_places")
	if diff := cmp.Diff([]hold.CounterConflict{{ID: 1, Requested: 4, Available: 3}}, p.Extra["counters"]); diff != "" {
		t.Error(diff)
	}
	x.mustHold(2, seats(1)) // all or nothing: it was left free
	if held, _ := x.counterSums(1); held != 0 {
		t.Errorf("%d places are held by a refused request", held)
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, counters: []counterSpec{{"Standing", 100, 0}}})
	many := make([]int32, hold.MaxPlaces+1)
	for i := range many {
		many[i] = int32(i + 1)
	}
	for code, rs := range map[string][]HoldRequest{
		"invalid_hold":    {{}, seats(1, 1), places(1, 0), places(1, -1), places(0, 1), {Places: []hold.Place{{Counter: 1, Quantity: 1}, {Counter: 1, Quantity: 1}}}},
		"invalid_seat":    {seats(0), seats(-1), seats(11)},
		"invalid_counter": {places(2, 1)},
		"limit_exceeded":  {seats(1, 2, 3, 4, 5, 6, 7), places(1, 7), seats(many...), places(1, 1<<40)},
	} {
		for _, r := range rs {
			_, err := x.hold(1, r)
			if p := problem.As(err); p == nil || p.Code != code || p.Status != 422 {
				t.Errorf("%+v: %v, want %s", r, err, code)
			}
		}
	}
	r := seats(1)
	r.Replace = uuid.New()
	_, err := x.hold(1, r)
	wantCode(t, err, "not_found")
	_, err = x.e.Hold(t.Context(), Command{EventSlug: "elsewhere", AccountID: 1, Route: "r", Key: "k"}, seats(1))
	wantCode(t, err, "not_found")
	x.mustHold(1, seats(1))
}

func TestTheSaleWindow(t *testing.T) {
	for reason, change := range map[string]string{
		"not_yet":   `UPDATE event SET on_sale_at = now() + interval '1 hour'`,
		"ended":     `UPDATE event SET off_sale_at = now() - interval '1 second'`,
		"draft":     `UPDATE event SET state = 'draft'`,
		"closed":    `UPDATE event SET state = 'closed'`,
		"cancelled": `UPDATE event SET state = 'cancelled'`,
	} {
		t.Run(reason, func(t *testing.T) {
			x := newSale(t, saleSpec{seats: 1})
			x.db.Owner(t, change)
			_, err := x.hold(1, seats(1))
			if p := wantCode(t, err, "not_on_sale"); p.Extra["reason"] != reason {
				t.Errorf("reason %v", p.Extra)
			}
		})
	}
}

func TestReleaseGivesBackOnceAndOnlyOnesOwn(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, counters: []counterSpec{{"Standing", 4, 0}}})
	r := seats(1, 2)
	r.Places = places(1, 4).Places
	v := x.mustHold(1, r)
	_, err := x.e.Release(t.Context(), x.command(2), ReleaseRequest{v.ID})
	wantCode(t, err, "not_found")
	a, err := x.e.Release(t.Context(), x.command(1), ReleaseRequest{v.ID})
	if back, err := viewOf(a, err); err != nil || a.Status != 200 || back.State != "released" || back.Version != v.Version+1 {
		t.Fatalf("%+v, %v", back, err)
	}
	_, err = x.e.Release(t.Context(), x.command(1), ReleaseRequest{v.ID})
	wantCode(t, err, "hold_released")
	x.mustHold(2, r)
	w := x.mustHold(3, seats(5))
	x.age(w.ID, 8*time.Minute)
	_, err = x.e.Release(t.Context(), x.command(3), ReleaseRequest{w.ID})
	wantCode(t, err, "hold_expired")
}

// B05: the owner of a live hold may change it: a superset, a subset, other places.
// Their own places neither block them nor count twice, and a refusal keeps the old.
func TestReplace(t *testing.T) {
	x := newSale(t, saleSpec{seats: 20, counters: []counterSpec{{"Standing", 6, 0}}})
	replace := func(account int64, old uuid.UUID, r HoldRequest) (HoldView, error) {
		r.Replace = old
		return x.hold(account, r)
	}
	first := x.mustHold(1, seats(1, 2, 3))
	super, err := replace(1, first.ID, seats(1, 2, 3, 4, 5, 6))
	if err != nil {
		t.Fatalf("superset: %v", err)
	}
	sub, err := replace(1, super.ID, seats(6))
	if err != nil {
		t.Fatalf("subset: %v", err)
	}
	x.mustHold(2, seats(1, 2, 3, 4, 5)) // what was given up is free
	if _, err := replace(1, sub.ID, seats(5)); problem.As(err) == nil {
		t.Fatalf("another's seat: %v", err)
	}
	if v, err := x.e.HoldView(t.Context(), 1, slug, sub.ID); err != nil || v.State != "active" {
		t.Errorf("a refused replacement left the old hold %+v, %v", v, err)
	}
	_, err = replace(3, sub.ID, seats(7))
	wantCode(t, err, "not_found")
	area, err := replace(1, sub.ID, places(1, 6)) // six of six: the old seat does not count
	if err != nil {
		t.Fatalf("other places: %v", err)
	}
	if _, err = replace(1, area.ID, places(1, 6)); err != nil {
		t.Fatalf("the whole area again: %v", err)
	}
	_, err = replace(1, area.ID, seats(8))
	wantCode(t, err, "hold_released")
	var lines []int16
	rows := x.db.Pool.QueryRow(t.Context(), `SELECT array_agg(state ORDER BY hold_id, line) FROM hold_line WHERE hold_id = ANY($1)`, []uuid.UUID{first.ID, super.ID, sub.ID, area.ID})
	if err := rows.Scan(&lines); err != nil || slices.Max(lines) != 0 {
		t.Errorf("lines of replaced holds: %v, %v", lines, err)
	}
}

// Replacing does not restart the clock for ever: the cap counts from the first hold.
func TestReplacedHoldsInheritTheirBeginning(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	v := x.mustHold(1, seats(1))
	x.age(v.ID, 7*time.Minute)
	r := seats(1)
	r.Replace = v.ID
	v = x.mustHold(1, r)
	if left := time.Time(v.ExpiresAt).Sub(time.Time(v.ServerTime)); left != 8*time.Minute {
		t.Errorf("after 7 minutes: %s left", left)
	}
	x.age(v.ID, 7*time.Minute)
	r.Replace = v.ID
	v = x.mustHold(1, r)
	if left := time.Time(v.ExpiresAt).Sub(time.Time(v.ServerTime)); left > 6*time.Minute || left < 5*time.Minute+50*time.Second {
		t.Errorf("after 14 of 20 minutes: %s left", left)
	}
}
