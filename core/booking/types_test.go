package booking

import (
	"fmt"
	"testing"

	"github.com/ropeline/ropeline/core/hold"
)

// typed is a sale of one area with places for adults (10.00), children (4.00) and
// members (0.00).
func typed(t *testing.T, capacity int) *sale {
	x := newSale(t, saleSpec{seats: 1, counters: []counterSpec{{"Standing", capacity, 0}}})
	x.db.Owner(t, `INSERT INTO price_level VALUES (1, 'child', 'Child', 400), (1, 'member', 'Member', 0)`)
	x.db.Owner(t, `UPDATE counter SET types = '{child,member}'`)
	return x
}

func as(class string, n int) hold.Place { return hold.Place{Counter: 1, Quantity: n, Class: class} }

func TestTicketTypesHaveTheirOwnPrices(t *testing.T) {
	x := typed(t, 10)
	v := x.mustHold(1, HoldRequest{Places: []hold.Place{as("", 1), as("child", 2), as("member", 1)}})
	if v.Amount != 1000+2*400 || len(v.Lines) != 3 {
		t.Fatalf("%+v", v)
	}
	shown, err := x.e.HoldView(t.Context(), 1, slug, v.ID)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Standing", "Standing, Child", "Standing, Member"} {
		if class := []string{"", "child", "member"}[i]; v.Lines[i].Class != class || shown.Lines[i].Class != class {
			t.Errorf("line %d is taken as %q, and %q when read again; want %q", i, v.Lines[i].Class, shown.Lines[i].Class, class)
		}
		if v.Lines[i].Label != want || shown.Lines[i].Label != want {
			t.Errorf("line %d is called %q, and %q when read again; want %q", i, v.Lines[i].Label, shown.Lines[i].Label, want)
		}
	}
	if held, _ := x.counterSums(1); held != 4 {
		t.Errorf("%d held", held)
	}
	_, err = x.hold(2, HoldRequest{Places: []hold.Place{as("senior", 1)}})
	wantCode(t, err, "invalid_class")
	_, err = x.hold(2, HoldRequest{Places: []hold.Place{as("A", 1)}}) // a price of this event, but of its seats
	wantCode(t, err, "invalid_class")
	_, err = x.hold(2, HoldRequest{Places: []hold.Place{as("child", 1), as("child", 2)}})
	wantCode(t, err, "invalid_hold")
}

// B14: the capacity is checked on the sum of the types, in one request ...
func TestTypesOfOneRequestShareTheCapacity(t *testing.T) {
	x := typed(t, 5)
	_, err := x.hold(1, HoldRequest{Places: []hold.Place{as("", 3), as("child", 3)}})
	p := wantCode(t, err, "not_enough_places")
	if c := fmt.Sprint(p.Extra["counters"]); c != "[{1 6 5}]" {
		t.Errorf("the refusal names %s, want counter 1 once, 6 wanted, 5 there", c)
	}
	x.mustHold(1, HoldRequest{Places: []hold.Place{as("", 3), as("child", 2)}})
}

// ... and over requests of two processes at the same moment.
func TestTypesOfManyRequestsShareTheCapacity(t *testing.T) {
	x := typed(t, 21)
	es := x.twoProcesses()
	got := together(60, func(i int) error {
		_, err := x.holdAs(es[i%2], int64(i+1), "k", HoldRequest{Places: []hold.Place{as([]string{"", "child", "member"}[i%3], 2)}})
		return err
	})
	got.only(t, "ok", "not_enough_places")
	if held, _ := x.counterSums(1); held != 20 || got["ok"] != 10 {
		t.Errorf("%d held, %v", held, got)
	}
}
