package eventfile

import (
	"fmt"
	"sort"
	"time"
)

// File is one import file: a venue, events, or both.
type File struct {
	Venue  *Venue
	Events []Event
}

// Venue is a building with numbered seats, with areas, or with both.
type Venue struct {
	Line                      int
	Slug, Name, City, Country string
	Width, Height             float64 // size of the plan; coordinates lie in 0..Width, 0..Height
	Sections                  []Section
	Areas                     []Area
}

// Section, Row and Seat nest as people read a ticket: section, row, number.
type (
	Section struct {
		Name string
		Rows []Row
	}
	Row struct {
		Name    string
		Seats   []Seat
		Quality int // "best available" begins with the rows of the highest
	}
	Seat struct {
		Number string
		X, Y   float64
		Class  string // price class
		Kind   string // "" (anybody's), "accessible" or "companion"
	}
)

// Area is a labelled rectangle of the plan: standing room, or the stage.
type Area struct {
	Name       string
	X, Y, W, H float64
	Capacity   int // persons the area may hold; 0: not limited here
}

// Event is something one can buy places of.
type Event struct {
	Line                          int
	Path                          string // events[i], for findings that come later
	Slug, Venue                   string // Venue is a slug; "" for a trip or an open field
	Organiser, Title, Description string
	Place, RouteFrom, RouteTo     string
	StartsAt                      time.Time
	TimeZone, Currency            string
	State                         string // "": not said
	OnSaleAt, OffSaleAt           *time.Time
	MaxPerAccount                 int
	HoldTTL, ExtendBy, HoldCap    time.Duration
	Extend, LatePolicy            string
	FeeBP                         int
	OrphanRule                    bool
	AccessUntil                   *time.Time // accessible seats are kept until then; nil: always
	HoldBudget                    int
	MapLife                       time.Duration // how old the map of its seats may be
	Presales                      []Presale
	Refunds                       *Refunds // nil: the file does not say
	Prices                        []Price
	Counters                      []Counter
	BlockedSaid                   bool // the file says which seats are not for sale
	Blocked                       []Blocked
}

// Presale opens the sale to those who have a code.
type Presale struct {
	Line     int
	Name     string
	StartsAt time.Time
	EndsAt   *time.Time // nil: until the event is on sale to everybody
}

// Blocked are seats of a row that are not for sale; no seats are all of the row.
type Blocked struct {
	Line         int
	Section, Row string
	Seats        []string
}

// Price of one class, in minor units of the event's currency.
type Price struct {
	Class, Name string
	Amount      int64
}

// Counter is a quantity of places without numbers: an area or a fare class.
type Counter struct {
	Line              int
	Kind, Name, Class string // Kind is "area" or "class"
	Capacity          int
	Overbook          int
	Seats             bool   // the seats of its class count in it too
	Types             string // further classes its places are sold as, joined by U+001F: the struct stays comparable
}

// SeatCount is the number of seats of all rows.
func (v *Venue) SeatCount() int {
	n := 0
	for _, s := range v.Sections {
		for _, r := range s.Rows {
			n += len(r.Seats)
		}
	}
	return n
}

// Classes counts the venue's seats by price class.
func (v *Venue) Classes() map[string]int {
	classes := map[string]int{}
	for _, s := range v.Sections {
		for _, r := range s.Rows {
			for _, seat := range r.Seats {
				classes[seat.Class]++
			}
		}
	}
	return classes
}

// AreaCapacities maps the venue's areas to the persons they may hold.
func (v *Venue) AreaCapacities() map[string]int {
	areas := map[string]int{}
	for _, a := range v.Areas {
		areas[a.Name] = a.Capacity
	}
	return areas
}

// CheckAgainst finds what of the event does not fit its venue: a class of seats
// without a price, an area sold past what it may hold. The venue stands in the
// same file or was imported before; the caller knows which.
func (e *Event) CheckAgainst(classes, areas map[string]int) Findings {
	var b binder
	priced := map[string]bool{}
	for _, p := range e.Prices {
		priced[p.Class] = true
	}
	missing := []string{}
	for class := range classes {
		if !priced[class] {
			missing = append(missing, class)
		}
	}
	sort.Strings(missing)
	for _, class := range missing {
		b.addf(e.Line, e.Path+".prices", "has no price for class %q, which %d seats of venue %q have; add {\"class\": %q, ...}", class, classes[class], e.Venue, class)
	}
	for i, c := range e.Counters {
		if most := areas[c.Name]; c.Kind == "area" && most > 0 && c.Capacity > most {
			b.addf(c.Line, fmt.Sprintf("%s.counters[%d].capacity", e.Path, i), "is %d, past the %d that area %q of venue %q may hold", c.Capacity, most, c.Name, e.Venue)
		}
	}
	return b.findings
}
