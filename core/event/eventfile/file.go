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
		if c.Kind != "area" {
			continue
		}
		field := "capacity"
		if c.Overbook > 0 {
			field = "overbook"
		}
		if says := PastArea(c.Name, c.Capacity, c.Overbook, areas[c.Name]); says != "" {
			b.addf(c.Line, fmt.Sprintf("%s.counters[%d].%s", e.Path, i, field), "%s (venue %q)", says, e.Venue)
		}
	}
	return b.findings
}

// PastArea says what is wrong with a limit that sells more of an area than the venue's
// plan lets stand in it, and what to write; "" if nothing is. most is what the plan says,
// 0 if it says nothing. What is sold past the capacity stands there too: a seat on a plane
// that is overbooked can be refused at the gate, a full room has no such gate.
func PastArea(area string, capacity, overbook, most int) string {
	switch {
	case most <= 0 || capacity+overbook <= most:
		return ""
	case overbook == 0:
		return fmt.Sprintf("is %d, past the %d that area %q may hold; write at most %d", capacity, most, area, most)
	}
	return fmt.Sprintf("is %d, which with the capacity of %d makes %d, past the %d that area %q may hold; write at most %d for both together",
		overbook, capacity, capacity+overbook, most, area, most)
}
