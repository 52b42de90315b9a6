package event

import (
	"time"

	"github.com/ropeline/ropeline/core/money"
)

// Kind tells a client which page an event needs.
type Kind string

const (
	Seated Kind = "seated" // numbered seats, on a map
	Area   Kind = "area"   // quantities of areas
	Trip   Kind = "trip"   // a route with fare classes
)

// Summary is an event in a list.
type Summary struct {
	ID         string        `json:"id"` // the slug
	Title      string        `json:"title"`
	Kind       Kind          `json:"kind"`
	Place      string        `json:"place"`
	Route      *Route        `json:"route"` // nil unless a trip
	StartsAt   Time          `json:"starts_at"`
	TimeZone   string        `json:"time_zone"`  // IANA name
	LocalTime  string        `json:"local_time"` // starts_at on the wall of time_zone, with its offset
	State      string        `json:"state"`      // on_sale, closed or cancelled; a draft is not shown
	Currency   string        `json:"currency"`
	PriceFrom  *money.Amount `json:"price_from"`
	OnSaleAt   *Time         `json:"on_sale_at"` // nil: at once
	SeatsTotal int           `json:"seats_total"`
}

// Route is where a trip goes.
type Route struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Detail is one event whole.
type Detail struct {
	Summary
	Description   string    `json:"description"`
	Organiser     string    `json:"organiser"`
	Venue         *Venue    `json:"venue"`
	Levels        []Level   `json:"levels"`
	Counters      []Counter `json:"counters"`
	MaxPerAccount int       `json:"max_per_account"`
	HoldSeconds   int       `json:"hold_seconds"`
	Geometry      *string   `json:"geometry"`   // path of the geometry document; nil without seats
	Seats         string    `json:"seats"`      // path of the availability
	PresaleAt     *Time     `json:"presale_at"` // from when codes let people buy before on_sale_at; nil: not at all
}

// Venue is where it happens.
type Venue struct {
	Name string `json:"name"`
	City string `json:"city"`
}

// Level is the price of a class, in minor units of the event's currency.
type Level struct {
	Class  string `json:"class"`
	Name   string `json:"name"`
	Amount int64  `json:"amount"`
}

// Counter is an area or a fare class with what is left of it.
type Counter struct {
	ID        int64    `json:"id"`
	Kind      string   `json:"kind"`
	Name      string   `json:"name"`
	Class     string   `json:"class"`
	Types     []string `json:"types"` // further classes its places are sold as, sharing the capacity
	Capacity  int      `json:"capacity"`
	Available int      `json:"available"`
}

// Time is an instant as the API writes it: RFC 3339, UTC, milliseconds.
type Time struct{ time.Time }

// TimeFormat is the one form of instants in the API.
const TimeFormat = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes TimeFormat.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"` + TimeFormat + `"`)), nil
}
