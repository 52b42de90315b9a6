package booking

import (
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/order"
)

func (x *sale) story(seat string) string {
	x.t.Helper()
	s, err := Trace(x.t.Context(), x.db.Pool, slug, seat)
	if err != nil {
		x.t.Fatal(err)
	}
	var b strings.Builder
	for i, step := range s.Steps {
		if i > 0 && step.At.Before(s.Steps[i-1].At) {
			x.t.Errorf("step %d is before step %d", i, i-1)
		}
		b.WriteString(step.Email[:strings.Index(step.Email, "@")] + " " + step.What + ", ")
	}
	return b.String() + s.State
}

func TestAStoryOfASeat(t *testing.T) {
	x := newSale(t, saleSpec{seats: 12})
	if got := x.story("1"); got != "available" {
		t.Errorf("before the sale: %s", got)
	}
	lapsed := x.mustHold(1, seats(1, 2))
	x.age(lapsed.ID, 9*time.Minute)
	back := x.mustHold(2, seats(1))
	if _, err := x.e.Release(t.Context(), x.command(2), ReleaseRequest{back.ID}); err != nil {
		t.Fatal(err)
	}
	first := x.mustHold(3, seats(1))
	second := x.mustHold(3, HoldRequest{Seats: []int32{3}, Replace: first.ID})
	x.mustHold(4, seats(1))

	want := "1 held, 1 lapsed, 2 held, 2 given back, 3 held, 3 replaced, 4 held, held"
	if got := x.story("1"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := x.story("Stalls/1/1"); got != want {
		t.Errorf("by its name: %s", got)
	}
	s, err := Trace(t.Context(), x.db.Pool, slug, "1")
	if err != nil {
		t.Fatal(err)
	}
	if s.Label != "Stalls, row 1, seat 1" || s.Steps[5].Why != "by hold "+second.ID.String()+" of the same account" || s.Steps[0].Hold != lapsed.ID {
		t.Errorf("%+v", s)
	}
	for _, bad := range []string{"99", "0", "Stalls/1/99", "", "1; DROP TABLE seat"} {
		_, err := Trace(t.Context(), x.db.Pool, slug, bad)
		wantCode(t, err, "not_found")
	}
}

// Orders and sales are part of the story, and it stays when the sale is over.
func TestAStoryOfASale(t *testing.T) {
	x := newShop(t, saleSpec{seats: 2})
	o := x.mustOrder(1, seats(1))
	x.mustPay(1, o, "tok_ok")
	x.untilState(1, o, order.Captured)
	if got := x.story("1"); got != "1 held, 1 ordered, 1 sold, sold" {
		t.Errorf("%s", got)
	}
	unpaid := x.mustOrder(2, seats(2))
	if _, err := x.e.CancelOrder(t.Context(), x.command(2), CancelRequest{Order: unpaid.ID}); err != nil {
		t.Fatal(err)
	}
	again := x.mustOrder(3, seats(2))
	x.mustPay(3, again, "tok_ok")
	x.untilState(3, again, order.Captured)
	if got := x.story("2"); got != "2 held, 2 ordered, 2 given back, 3 held, 3 ordered, 3 sold, sold" {
		t.Errorf("%s", got)
	}
}
