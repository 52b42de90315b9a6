package booking

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/hold"
)

// plane has 12 numbered seats of class A that count in a class of 12 with 2 sold past
// it; a place may be bought without a seat.
func plane(t *testing.T) *sale {
	x := newSale(t, saleSpec{seats: 12, limit: 100})
	x.db.Owner(t, `INSERT INTO counter (event_id, id, kind, name, class, capacity, overbook) VALUES (1, 1, 'class', 'Economy', 'A', 12, 2)`)
	x.db.Owner(t, `UPDATE seat SET counter_id = 1`)
	x.setEvent(`seats_counted = true`)
	x.spare = map[string]bool{"P3": true} // sales without orders
	return x
}

func (x *sale) sell(v HoldView) {
	x.t.Helper()
	m := &model{x: x, event: 1, slug: slug}
	if err := m.under(&modelHold{id: v.ID}, (*hold.World).Sell); err != nil {
		x.t.Fatal(err)
	}
}

// Seats of a class and places without a seat are counted together, by name, by "best
// available", and after every way of giving back.
func TestSeatsThatCountInAClass(t *testing.T) {
	x := plane(t)
	r := seats(1, 2)
	r.Places = places(1, 9).Places
	v := x.mustHold(1, r)
	if n, _ := x.counterSums(1); n != 11 || v.Amount != 11*2500 {
		t.Errorf("%d held for %d", n, v.Amount)
	}
	_, err := x.hold(2, seats(3, 4, 5, 6))
	if p := wantCode(t, err, "not_enough_places"); fmt.Sprint(p.Extra["counters"]) != "[{1 4 3}]" {
		t.Errorf("%v", p.Extra)
	}
	few := seats(3, 4, 5, 6)
	few.Fewer = true
	w, err := x.hold(2, few)
	wantSeats(t, w, err, 3, 4, 5)
	_, err = x.hold(3, HoldRequest{Best: &hold.Best{Quantity: 1}})
	wantCode(t, err, "not_enough_places")
	x.sell(w)
	if held, sold := x.counterSums(1); held != 11 || sold != 3 {
		t.Errorf("%d held, %d sold", held, sold)
	}
	// A seat taken over from an expired hold is counted once.
	x.age(v.ID, 8*time.Minute)
	u := x.mustHold(3, seats(1))
	if held, sold := x.counterSums(1); held != 1 || sold != 3 {
		t.Errorf("after a take-over: %d held, %d sold", held, sold)
	}
	b, err := x.hold(4, HoldRequest{Best: &hold.Best{Quantity: 2}})
	if err != nil || len(held(b)) != 2 {
		t.Errorf("%v, %v", held(b), err)
	}
	for _, h := range []HoldView{u, b} {
		account := map[bool]int64{true: 3, false: 4}[h.ID == u.ID]
		if _, err := x.e.Release(t.Context(), x.command(account), ReleaseRequest{h.ID}); err != nil {
			t.Fatal(err)
		}
	}
	if held, sold := x.counterSums(1); held != 0 || sold != 3 {
		t.Errorf("at the end: %d held, %d sold", held, sold)
	}
}

// B57: the limit is lowered below what is sold: accepted, with an excess that only
// shrinks; nothing more is sold until it fits, and each change is on record.
func TestLoweringALimitBelowWhatIsSold(t *testing.T) {
	x := plane(t)
	var sold []HoldView
	for i := range int64(7) {
		v := x.mustHold(i+1, places(1, 2))
		x.sell(v)
		sold = append(sold, v)
	}
	set := func(capacity, overbook int) {
		t.Helper()
		v, err := x.e.SetLimit(t.Context(), slug, LimitRequest{1, capacity, overbook, "ops@example.com", " a smaller plane "})
		if err != nil || v.Capacity != capacity || v.Overbook != overbook || v.Available != max(0, capacity+overbook-v.Held-v.Sold) {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	excess := func() (n int) {
		t.Helper()
		if err := x.db.Pool.QueryRow(t.Context(), `SELECT excess FROM counter`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	set(10, 0)
	if n := excess(); n != 4 {
		t.Errorf("excess %d, want 4", n)
	}
	for i, want := range []int{2, 0, 0} {
		_, err := x.hold(20, places(1, 1))
		wantCode(t, err, "not_enough_places")
		m := &model{x: x, event: 1, slug: slug}
		if err := m.under(&modelHold{id: sold[i].ID}, func(w *hold.World, h *hold.Hold) error { return w.GiveBack(h) }); err != nil {
			t.Fatal(err)
		}
		if n := excess(); n != want {
			t.Errorf("excess %d after %d gave back, want %d", n, i+1, want)
		}
	}
	x.mustHold(20, places(1, 2))
	_, err := x.hold(21, places(1, 1))
	wantCode(t, err, "not_enough_places")
	set(12, 2)
	x.mustHold(21, places(1, 4))
	var record string
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT string_agg(format('%s, %s: %s to %s', actor, reason, before, after), '; ' ORDER BY id)
		FROM catalogue_change WHERE kind = 'counter' AND before IS NOT NULL`).Scan(&record); err != nil {
		t.Fatal(err)
	}
	if want := `ops@example.com, a smaller plane: {"excess": 0, "capacity": 12, "overbook": 2} to {"held": 0, "sold": 14, "excess": 4, "capacity": 10, "overbook": 0}; ` +
		`ops@example.com, a smaller plane: {"capacity": 10, "overbook": 0} to {"held": 2, "sold": 8, "capacity": 12, "overbook": 2}`; record != want {
		t.Errorf("on record: %s", record)
	}
	if _, err := x.db.Pool.Exec(t.Context(), `DELETE FROM catalogue_change`); err == nil {
		t.Error("the record can be deleted")
	}
	for _, wrong := range []struct {
		r    LimitRequest
		code string
	}{
		{LimitRequest{9, 1, 0, "", "why"}, "not_found"}, {LimitRequest{1, 1, 2, "", "why"}, "invalid_limit"}, {LimitRequest{1, -1, 0, "", "why"}, "invalid_limit"},
		{LimitRequest{1, 1, 0, "", "  "}, "invalid_limit"}, {LimitRequest{1, 1, 0, "", strings.Repeat("y", MaxReason+1)}, "invalid_limit"},
	} {
		_, err := x.e.SetLimit(t.Context(), slug, wrong.r)
		wantCode(t, err, wrong.code)
	}
}

// B16: with more sold than there are places, the list names those without one: nobody
// with a seat, and the last who bought.
func TestDeniedBoarding(t *testing.T) {
	x := plane(t)
	for i := range int64(5) {
		x.sell(x.mustHold(i+1, places(1, 2)))
	}
	x.sell(x.mustHold(6, seats(1, 2, 3, 4)))
	list, err := x.e.DeniedBoarding(t.Context(), slug, 1)
	if err != nil || len(list) != 2 || list[0].Account != 5 || list[1].Account != 5 || list[0].Email != "5@example.com" || list[1].Unit != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := x.e.SetLimit(t.Context(), slug, LimitRequest{1, 14, 0, "", "a larger plane"}); err != nil {
		t.Fatal(err)
	}
	if list, err = x.e.DeniedBoarding(t.Context(), slug, 1); err != nil || len(list) != 0 {
		t.Errorf("all have a place: %+v, %v", list, err)
	}
}

// What the venue's plan lets stand in an area is never sold past, with an overbooking or
// without; a fare class of the same name is no place in the room.
func TestALimitIsNeverPastTheArea(t *testing.T) {
	x := newSale(t, saleSpec{counters: []counterSpec{{"Gallery", 80, 0}, {"Field", 10, 0}}})
	x.db.Owner(t, `UPDATE venue SET geometry = '{"areas": [{"name": "Gallery", "capacity": 80}, {"name": "Field", "capacity": 0}, {"name": "Saver", "capacity": 5}]}'`)
	x.db.Owner(t, `INSERT INTO counter (event_id, id, kind, name, class, capacity) VALUES (1, 3, 'class', 'Saver', 'G', 1)`)
	for _, c := range []struct {
		counter            int64
		capacity, overbook int
		code               string
	}{
		{1, 5000, 0, "invalid_limit"}, {1, 81, 0, "invalid_limit"}, {1, 80, 40, "invalid_limit"}, {1, 79, 2, "invalid_limit"},
		{1, 79, 1, ""}, {1, 80, 0, ""}, {2, 5000, 10, ""}, {3, 100, 3, ""},
	} {
		v, err := x.e.SetLimit(t.Context(), slug, LimitRequest{c.counter, c.capacity, c.overbook, "ops@example.com", "why"})
		if c.code == "" {
			if err != nil || v.Capacity != c.capacity || v.Overbook != c.overbook {
				t.Errorf("%+v: %+v, %v", c, v, err)
			}
			continue
		}
		p := wantCode(t, err, c.code)
		for _, says := range []string{`"Gallery"`, "past the 80", "write at most 80", "new slug"} {
			if !strings.Contains(p.Detail, says) {
				t.Errorf("%+v: %q does not say %q", c, p.Detail, says)
			}
		}
	}
}
