package booking

import (
	"time"

	"github.com/google/uuid"
)

// Occasion is what an order or a ticket is for, as people are told it: a ticket
// must say where to go and when without another request, also when it is printed.
type Occasion struct {
	Event    string     `json:"event"`
	Title    string     `json:"title"`
	StartsAt Stamp      `json:"starts_at"`
	TimeZone string     `json:"time_zone"` // the event's; in which starts_at is shown, wherever the buyer is
	Place    string     `json:"place"`
	Venue    *VenueView `json:"venue"` // null: a trip
	Route    *RouteView `json:"route"` // null: not a trip
}

// VenueView is where it happens.
type VenueView struct {
	Name string `json:"name"`
	City string `json:"city"`
}

// RouteView is where a trip goes.
type RouteView struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// occasionRow is the target of occasionColumns.
type occasionRow struct {
	Occasion
	starts                time.Time
	venue, city, from, to *string
}

func (r *occasionRow) dest() []any {
	return []any{&r.Event, &r.Title, &r.starts, &r.TimeZone, &r.Place, &r.venue, &r.city, &r.from, &r.to}
}

func (r *occasionRow) occasion() Occasion {
	o := r.Occasion
	o.StartsAt = Stamp(r.starts)
	if r.venue != nil && r.city != nil {
		o.Venue = &VenueView{*r.venue, *r.city}
	}
	if r.from != nil && r.to != nil {
		o.Route = &RouteView{*r.from, *r.to}
	}
	return o
}

// OrderNumber is how people name an order to one another: eight digits and
// letters that cannot be mistaken for another when read out (no I, L, O, U). It
// is derived from the order's id, so there is nothing to store or to collide
// with; whoever looks one up has the account as well.
func OrderNumber(id uuid.UUID) string {
	const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	var bits uint64
	for _, b := range id[11:] { // the end: a UUID of version 7 begins with the time
		bits = bits<<8 | uint64(b)
	}
	text := make([]byte, 0, 9)
	for i := 7; i >= 0; i-- {
		text = append(text, letters[bits>>(5*i)&31])
		if i == 4 {
			text = append(text, '-')
		}
	}
	return string(text)
}
