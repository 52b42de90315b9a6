package booking

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/problem"
)

// held are the seats of a hold, in order.
func held(v HoldView) (out []int32) {
	for _, l := range v.Lines {
		if l.Seat != nil {
			out = append(out, *l.Seat)
		}
	}
	return out
}

func wantSeats(t *testing.T, v HoldView, err error, want ...int32) {
	t.Helper()
	if err != nil || !slices.Equal(held(v), want) {
		t.Errorf("got seats %v, %v; want %v", held(v), err, want)
	}
}

// orphans are the seats that a refusal names.
func wantOrphans(t *testing.T, err error, want ...int32) {
	t.Helper()
	if p := wantCode(t, err, "orphan_seat"); !slices.Equal(p.Extra["orphans"].([]int32), want) {
		t.Errorf("names %v, want %v", p.Extra["orphans"], want)
	}
}

func TestAcceptingFewer(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, counters: []counterSpec{{"Standing", 5, 0}}})
	x.mustHold(2, seats(2, 3))
	r := seats(1, 2, 3, 4)
	_, err := x.hold(1, r)
	wantCode(t, err, "seat_taken")
	r.Fewer = true
	v, err := x.hold(1, r)
	wantSeats(t, v, err, 1, 4)
	r = places(1, 6)
	r.Fewer = true
	if v, err = x.hold(1, r); err != nil || len(v.Lines) != 1 || v.Lines[0].Quantity != 4 || v.Amount != 4000 {
		t.Errorf("what the account may still have: %+v, %v", v, err)
	}
	if v, err = x.hold(3, r); err != nil || v.Lines[0].Quantity != 1 {
		t.Errorf("what is left: %+v, %v", v, err)
	}
	_, err = x.hold(3, r)
	wantCode(t, err, "not_enough_places")
	_, err = x.hold(1, r)
	wantCode(t, err, "limit_exceeded")
	r = seats(1, 2)
	r.Fewer = true
	_, err = x.hold(4, r)
	wantCode(t, err, "seat_taken")
	r = seats(1, 99)
	r.Fewer = true
	_, err = x.hold(4, r)
	wantCode(t, err, "invalid_seat")
}

func (x *sale) extend(account int64, v HoldView) (HoldView, error) {
	x.t.Helper()
	return viewOf(x.e.Extend(x.t.Context(), x.command(account), ExtendRequest{v.ID}))
}

func (x *sale) setEvent(set string, args ...any) {
	x.t.Helper()
	x.db.Owner(x.t, `UPDATE event SET `+set+` WHERE id = 1`, args...)
}

func TestTheOwnerExtends(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, counters: []counterSpec{{"Standing", 5, 0}}})
	r := seats(1)
	r.Places = places(1, 2).Places
	v := x.mustHold(1, r)
	_, err := x.extend(1, v)
	if p := wantCode(t, err, "extension_refused"); p.Extra["reason"] != "too_early" {
		t.Errorf("%v", p)
	}
	_, err = x.extend(2, v)
	wantCode(t, err, "not_found")
	x.age(v.ID, 7*time.Minute)
	longer, err := x.extend(1, v)
	if left := time.Time(longer.ExpiresAt).Sub(time.Time(longer.ServerTime)); err != nil || left != 2*time.Minute {
		t.Errorf("%s left, %v", left, err)
	}
	_, err = x.hold(2, seats(1))
	wantCode(t, err, "seat_taken")
	x.age(v.ID, time.Minute)
	_, err = x.extend(1, v)
	if p := wantCode(t, err, "extension_refused"); p.Extra["reason"] != "used" {
		t.Errorf("%v", p)
	}
	for _, policy := range []string{"never", "at_payment_start"} {
		x.setEvent(`extend = $1`, policy)
		_, err = x.extend(1, v)
		if p := wantCode(t, err, "extension_refused"); p.Extra["reason"] != "policy" {
			t.Errorf("%s: %v", policy, p)
		}
	}
	x.age(v.ID, 2*time.Minute)
	_, err = x.extend(1, v)
	wantCode(t, err, "hold_expired")
}

// AB15: whoever extends for ever, and changes the hold in between, is at the cap 20
// minutes after first having held something.
func TestExtendingForEverEndsAtTheCap(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	x.setEvent(`extend = 'while_pending'`)
	v := x.mustHold(1, seats(1))
	gone := time.Duration(0)
	for i := 0; ; i++ {
		left := time.Time(v.ExpiresAt).Sub(time.Time(v.ServerTime)) - time.Minute
		x.age(v.ID, left)
		gone += left
		var err error
		if i%2 == 1 {
			r := seats(int32(i%9 + 1))
			r.Replace = v.ID
			v, err = x.hold(1, r)
		} else {
			v, err = x.extend(1, v)
		}
		if end := gone + time.Time(v.ExpiresAt).Sub(time.Time(v.ServerTime)); err == nil && end > 20*time.Minute {
			t.Fatalf("step %d: it would end %s after the first hold", i, end)
		}
		if err != nil {
			if p := wantCode(t, err, "extension_refused"); p.Extra["reason"] != "cap" || gone < 18*time.Minute {
				t.Errorf("after %s: %v", gone, p)
			}
			return
		}
	}
}

// AB14: hold, let expire, hold again: after the budget is spent it is refused, and
// the seats are free for the others.
func TestTheBudgetOfHolds(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, budget: 5})
	refused := 0
	for range 100 {
		v, err := x.hold(1, seats(1))
		if err == nil {
			x.age(v.ID, 8*time.Minute)
			continue
		}
		p := wantCode(t, err, "hold_budget")
		if p.Status != http.StatusTooManyRequests || p.RetryAfter < 23*time.Hour {
			t.Fatalf("%d, again after %s", p.Status, p.RetryAfter)
		}
		refused++
	}
	if refused != 95 {
		t.Errorf("%d of 100 refused", refused)
	}
	v := x.mustHold(2, seats(1))
	// Changing a hold is free, releasing one is not.
	for range 10 {
		r := seats(1, 2)
		r.Replace = v.ID
		v = x.mustHold(2, r)
	}
	for i := range 5 {
		if _, err := x.e.Release(t.Context(), x.command(2), ReleaseRequest{v.ID}); err != nil {
			t.Fatal(err)
		}
		var err error
		if v, err = x.hold(2, seats(1)); i == 4 {
			wantCode(t, err, "hold_budget")
		} else if err != nil {
			t.Fatalf("hold %d: %v", i, err)
		}
	}
	// Buying brings it back, and so does the next day.
	x.spare = map[string]bool{"P3": true}
	w := x.mustHold(3, seats(3))
	x.mustHold(3, seats(4))
	m := &model{t: nil, x: x, event: 1, slug: slug}
	if err := m.under(&modelHold{id: w.ID}, (*hold.World).Sell); err != nil {
		t.Fatal(err)
	}
	var budget int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT budget FROM account_event WHERE account_id = 3`).Scan(&budget); err != nil || budget != 4 {
		t.Errorf("one bought and one held of five leaves %d, %v", budget, err)
	}
	x.db.Owner(t, `UPDATE account_event SET first_hold_at = first_hold_at - interval '1 day' WHERE account_id = 1`)
	x.mustHold(1, seats(9))
}

// B08: until their release accessible and companions' seats are for those who need
// them, by name and by "best available".
func TestSeatsThatAreKept(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	x.db.Owner(t, `UPDATE seat SET kind = CASE seat_id WHEN 1 THEN 'accessible' WHEN 2 THEN 'companion' ELSE 'standard' END`)
	until := time.Now().Add(time.Hour)
	x.setEvent(`access_until = $1`, until)
	_, err := x.hold(1, seats(1, 3))
	p := wantCode(t, err, "seat_kept")
	if diff := cmp.Diff([]hold.SeatConflict{{Seat: 1, State: "kept"}}, p.Extra["seats"]); diff != "" || p.Extra["version"] == nil {
		t.Errorf("%s %v", diff, p.Extra)
	}
	_, err = x.hold(1, seats(2))
	wantCode(t, err, "seat_kept")
	r := seats(2)
	r.Accessible = true
	_, err = x.hold(1, r)
	wantCode(t, err, "seat_kept") // a companion of nobody
	for n := int32(3); n <= 10; n++ {
		v, err := x.hold(int64(n), HoldRequest{Best: &hold.Best{Quantity: 1}})
		if err != nil || held(v)[0] < 3 {
			t.Fatalf("the best available seat is %v, %v", held(v), err)
		}
	}
	_, err = x.hold(20, HoldRequest{Best: &hold.Best{Quantity: 1}})
	wantCode(t, err, "not_enough_places")
	v, err := x.hold(1, HoldRequest{Best: &hold.Best{Quantity: 2}, Accessible: true})
	wantSeats(t, v, err, 1, 2)
	if _, err := x.e.Release(t.Context(), x.command(1), ReleaseRequest{v.ID}); err != nil {
		t.Fatal(err)
	}
	x.setEvent(`access_until = now()`)
	v, err = x.hold(2, HoldRequest{Best: &hold.Best{Quantity: 2}})
	wantSeats(t, v, err, 1, 2)
}

// B09: in a row of five, seat 2 alone would leave seat 1 alone.
func TestTheOrphanRule(t *testing.T) {
	x := newSale(t, saleSpec{seats: 5})
	v := x.mustHold(1, seats(2)) // the rule is off
	if _, err := x.e.Release(t.Context(), x.command(1), ReleaseRequest{v.ID}); err != nil {
		t.Fatal(err)
	}
	x.setEvent(`orphan_rule = true`)
	_, err := x.hold(1, seats(2))
	wantOrphans(t, err, 1)
	if p := problem.As(err); fmt.Sprint(p.Extra["labels"]) != "[Stalls, row 1, seat 1]" || p.Extra["version"] == nil {
		t.Errorf("%v", p.Extra)
	}
	_, err = x.hold(1, seats(4, 2))
	wantOrphans(t, err, 1, 3, 5)
	v = x.mustHold(1, seats(1, 2))
	_, err = x.hold(2, seats(4))
	wantOrphans(t, err, 3, 5)
	// What one gives up counts as free.
	r := seats(4, 5)
	r.Replace = v.ID
	v = x.mustHold(1, r)
	// Three are left: one more than two, so somebody is alone whatever is taken.
	x.mustHold(2, seats(2, 3))
	x.mustHold(3, seats(1))
}

// Two holds from two sides, in two processes at once, do not leave a seat alone
// together.
func TestTheOrphanRuleUnderARace(t *testing.T) {
	x := newSale(t, saleSpec{seats: 50})
	x.setEvent(`orphan_rule = true`)
	es := x.twoProcesses()
	got := together(10, func(i int) error {
		row := int32(i / 2 * 10)
		r := seats(row+3, row+4)
		if i%2 == 1 {
			r = seats(row+6, row+7)
		}
		_, err := x.holdAs(es[i%2], int64(i+1), "k", r)
		return err
	})
	if got["ok"] != 5 || got["orphan_seat"] != 5 {
		t.Errorf("%v", got)
	}
}

func TestABlockedSeatIsNotForSale(t *testing.T) {
	x := newSale(t, saleSpec{seats: 3})
	x.db.Owner(t, `UPDATE seat SET state = 'blocked' WHERE seat_id = 2`)
	_, err := x.hold(1, seats(1, 2))
	p := wantCode(t, err, "seat_taken")
	if diff := cmp.Diff([]hold.SeatConflict{{Seat: 2, State: "blocked"}}, p.Extra["seats"]); diff != "" {
		t.Error(diff)
	}
	_, err = x.hold(1, HoldRequest{Best: &hold.Best{Quantity: 2}})
	wantCode(t, err, "not_enough_places")
	v, err := x.hold(1, HoldRequest{Best: &hold.Best{Quantity: 2, Apart: true}})
	wantSeats(t, v, err, 1, 3)
}

func bestOf(n int) *hold.Best { return &hold.Best{Quantity: n} }
