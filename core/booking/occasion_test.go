package booking

import (
	"testing"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// A ticket, printed or on a phone without a network, says where to go, when, and at which price who may go.
func TestOrderAndTicketsSayWhereWhenAndAtWhichPrice(t *testing.T) {
	t.Parallel()
	x := newShop(t, saleSpec{seats: 1, counters: []counterSpec{{"Standing", 9, 0}}})
	x.db.Owner(t, `INSERT INTO price_level VALUES (1, 'child', 'Child', 400)`)
	x.db.Owner(t, `UPDATE counter SET types = '{child}'`)
	o := x.mustOrder(1, HoldRequest{Seats: []int32{1}, Places: []hold.Place{as("", 1), as("child", 1)}})
	if o.Number != OrderNumber(o.ID.ID) {
		t.Errorf("the order is called %q", o.Number)
	}
	x.mustPay(1, o, fakepay.TokenOK)
	o = x.untilState(1, o, order.Captured)
	want := Occasion{Event: slug, Title: "Night of Lights", StartsAt: o.StartsAt, TimeZone: "Europe/Brussels", Place: "Ghent"}
	wantVenue := VenueView{"Hall", "Ghent"}
	list, err := x.e.Tickets(t.Context(), 1)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d tickets, %v", len(list), err)
	}
	for _, got := range []Occasion{o.Occasion, list[0].Occasion, o.Tickets[0].Occasion} {
		if got.Venue == nil || *got.Venue != wantVenue {
			t.Errorf("venue: %+v", got.Venue)
		}
		got.Venue = nil
		if at, _ := got.StartsAt.MarshalJSON(); got != want || string(at) != `"2027-03-01T19:00:00.000Z"` {
			t.Errorf("%+v at %s", got, at)
		}
	}
	for i, fare := range []string{"Stalls", "Standing", "Child"} {
		if o.Lines[i].Fare != fare || o.Tickets[i].Fare != fare {
			t.Errorf("line %d is sold as %q, its ticket as %q; want %q", i, o.Lines[i].Fare, o.Tickets[i].Fare, fare)
		}
	}

	x.db.Owner(t, `UPDATE event SET venue_id = NULL, place = 'Ghent, bus station', route_from = 'Ghent', route_to = 'Lille'`)
	trip, err := x.e.Ticket(t.Context(), 1, list[1].ID)
	if err != nil || trip.Venue != nil || trip.Route == nil || *trip.Route != (RouteView{"Ghent", "Lille"}) || trip.Place != "Ghent, bus station" {
		t.Errorf("a trip: %+v, %v", trip, err)
	}
}

func TestOrderNumbersCanBeReadOut(t *testing.T) {
	for id, want := range map[string]string{
		"00000000-0000-0000-0000-000000000000": "0000-0000",
		"ffffffff-ffff-ffff-ffff-ffffffffffff": "ZZZZ-ZZZZ",
		"01890a5d-ac96-774b-bcce-b302099a8057": "084S-N02Q",
	} {
		if got := OrderNumber(uuid.MustParse(id)); len(got) != 9 || got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
