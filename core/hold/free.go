package hold

import (
	"fmt"
	"slices"
)

// SeatConflict is a seat of a refused request, and what it is.
type SeatConflict struct {
	Seat  int32  `json:"seat"`
	State string `json:"state"`
}

// CounterConflict is an area or class of a refused request.
type CounterConflict struct {
	ID        int64 `json:"id"`
	Requested int   `json:"requested"`
	Available int   `json:"available"`
}

// seatKept stands for a seat's state where the seat is free, but not for everybody.
const seatKept = "kept"

// had tells which of the places can be had now. A request that does not accept
// fewer gets all of them or a refusal that names everything in the way; one that
// does gets a refusal only if nothing is left of it. room is what the account may
// still take.
func (w *World) had(r Request, ev *Event, room int) ([]int32, []Place, error) {
	x := &taking{w: w, r: r, ev: ev, room: room, left: make(map[int64]int), asked: make(map[int64]int)}
	for _, id := range r.Seats {
		if err := x.seat(id); err != nil {
			return nil, nil, err
		}
	}
	for _, p := range r.Places {
		if err := x.place(p); err != nil {
			return nil, nil, err
		}
	}
	x.checkCompanions()
	if x.whole() || r.Fewer && len(x.seats)+len(x.places) > 0 {
		return x.seats, x.places, nil
	}
	return nil, nil, x.refusal()
}

// taking is one request while its places are looked at one by one.
type taking struct {
	w    *World
	r    Request
	ev   *Event
	room int

	left, asked map[int64]int // of each counter: what is available to this request, what it wants
	seats       []int32
	places      []Place
	taken, kept []SeatConflict
	short       []int64 // counters without enough places
}

// counter gives a counter the request needs and what is left of it for the request.
// The sum counts, whatever ticket types and seats it is made of.
func (x *taking) counter(id int64, n int) (*Counter, error) {
	c := x.w.counters[counterKey{x.r.EventID, id}]
	if c == nil {
		return nil, ErrInvalidArea.With("counter", id)
	}
	if _, seen := x.left[id]; !seen {
		x.left[id] = max(0, c.Available())
	}
	x.asked[id] += n
	return c, nil
}

func (x *taking) lacks(counter int64) {
	if !slices.Contains(x.short, counter) {
		x.short = append(x.short, counter)
	}
}

func (x *taking) seat(id int32) error {
	k := seatKey{x.r.EventID, id}
	s := x.w.seats[k]
	if s == nil {
		if x.w.unknown[k] {
			return ErrInvalidSeat.With("seat", id)
		}
		return fmt.Errorf("seat %d is not locked", id)
	}
	if s.Counter != 0 {
		if _, err := x.counter(s.Counter, 1); err != nil {
			return fmt.Errorf("seat %d: counter %d is not locked", id, s.Counter)
		}
	}
	_, priced := x.w.prices[priceKey{x.r.EventID, s.Class}]
	switch {
	case !priced:
		x.taken = append(x.taken, SeatConflict{id, SeatBlocked})
	case !s.freeAt(x.w.Now):
		x.taken = append(x.taken, SeatConflict{id, s.State})
	case !x.r.Accessible && x.ev.keeps(s, x.w.Now):
		x.kept = append(x.kept, SeatConflict{id, seatKept})
	case s.Counter != 0 && x.left[s.Counter] < 1:
		x.lacks(s.Counter)
	case x.room > 0:
		if s.Counter != 0 {
			x.left[s.Counter]--
		}
		x.room--
		x.seats = append(x.seats, id)
	}
	return nil
}

func (x *taking) place(p Place) error {
	c, err := x.counter(p.Counter, p.Quantity)
	if err != nil {
		return err
	}
	class, ok := x.w.classOf(c, p.Class)
	if !ok {
		return ErrInvalidType.With("counter", p.Counter).With("class", p.Class)
	}
	if _, priced := x.w.prices[priceKey{x.r.EventID, class}]; !priced {
		return ErrInvalidArea.Say("%s is not for sale.", c.Name).With("counter", p.Counter)
	}
	n := min(p.Quantity, x.left[p.Counter])
	if n < p.Quantity {
		x.lacks(p.Counter)
	}
	if n = min(n, x.room); n > 0 {
		x.left[p.Counter] -= n
		x.room -= n
		p.Quantity = n
		x.places = append(x.places, p)
	}
	return nil
}

// classOf is the price class of places taken as a type; "" is the counter's own.
func (w *World) classOf(c *Counter, asked string) (class string, ok bool) {
	if asked == "" || asked == c.Class {
		return c.Class, true
	}
	return asked, slices.Contains(w.types[counterKey{c.EventID, c.ID}], asked)
}

// checkCompanions gives a companion's seat only beside an accessible one.
func (x *taking) checkCompanions() {
	var accessible, companions int
	var ids []int32
	for _, id := range x.seats {
		s := x.w.seats[seatKey{x.r.EventID, id}]
		switch {
		case !x.ev.keeps(s, x.w.Now):
		case s.Kind == KindCompanion:
			companions++
			ids = append(ids, id)
		default:
			accessible++
		}
	}
	for _, id := range ids[min(len(ids), accessible*companionsPerSeat):] {
		x.kept = append(x.kept, SeatConflict{id, seatKept})
		x.seats = slices.DeleteFunc(x.seats, func(s int32) bool { return s == id })
	}
}

func (x *taking) whole() bool { return len(x.taken)+len(x.kept)+len(x.short) == 0 }

func (x *taking) refusal() error {
	var short []CounterConflict
	for _, id := range x.short {
		c := x.w.counters[counterKey{x.r.EventID, id}]
		short = append(short, CounterConflict{id, x.asked[id], max(0, c.Available())})
	}
	p := ErrKept
	if x.ev.AccessUntil != nil {
		p = p.With("until", x.ev.AccessUntil.UTC())
	}
	switch {
	case len(x.taken) > 0:
		p = ErrSeatTaken
	case len(short) > 0:
		p = ErrNotEnough
	}
	if seats := append(x.taken, x.kept...); len(seats) > 0 {
		p = p.With("seats", seats)
	}
	if len(short) > 0 {
		p = p.With("counters", short)
	}
	return p
}
