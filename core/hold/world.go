package hold

import (
	"time"

	"github.com/google/uuid"
)

type (
	seatKey struct {
		event int64
		seat  int32
	}
	counterKey struct{ event, counter int64 }
	accountKey struct{ event, account int64 }
	holdKey    struct {
		event int64
		hold  uuid.UUID
	}
	priceKey struct {
		event int64
		class string
	}
)

// World is what a transaction has locked and read. The rules change it in memory,
// one request after the other, each seeing what those before it did; Write then
// brings the tables up to it. It is not safe for concurrent use.
type World struct {
	// Now is the database's clock, read after the locks were held. Every rule of the
	// transaction uses this moment and no other.
	Now time.Time
	// Reclaimed: due lines were given back, which is an effect even if every request
	// is refused.
	Reclaimed bool

	events   map[int64]*Event
	accounts map[accountKey]*Account
	counters map[counterKey]*Counter
	seats    map[seatKey]*Seat
	holds    map[holdKey]*Hold
	types    map[counterKey][]string // ticket types beside a counter's own class
	prices   map[priceKey]int64
	plans    map[int64]*Plan     // of events with the orphan rule
	levels   map[priceKey]string // what a price level is called
	labels   map[seatKey]string
	unknown  map[seatKey]bool // asked for, and not there

	// What was changed, with its value before the first change.
	was struct {
		accounts map[*Account]Account
		counters map[*Counter]Counter
		seats    map[*Seat]Seat
		holds    map[*Hold]holdHead
		lines    map[*Line]Line
	}
	owner   map[*Line]*Hold
	created []*Hold
	undo    []func()
}

// holdHead is what may change in a hold's row.
type holdHead struct {
	state     State
	heldUntil time.Time
	extended  int16
}

func (h *Hold) head() holdHead { return holdHead{h.State, h.HeldUntil, h.Extended} }

func newWorld(now time.Time) *World {
	w := &World{
		Now:      now,
		events:   make(map[int64]*Event),
		accounts: make(map[accountKey]*Account),
		counters: make(map[counterKey]*Counter),
		seats:    make(map[seatKey]*Seat),
		holds:    make(map[holdKey]*Hold),
		types:    make(map[counterKey][]string),
		prices:   make(map[priceKey]int64),
		levels:   make(map[priceKey]string),
		labels:   make(map[seatKey]string),
		unknown:  make(map[seatKey]bool),
		owner:    make(map[*Line]*Hold),
	}
	w.was.accounts = make(map[*Account]Account)
	w.was.counters = make(map[*Counter]Counter)
	w.was.seats = make(map[*Seat]Seat)
	w.was.holds = make(map[*Hold]holdHead)
	w.was.lines = make(map[*Line]Line)
	return w
}

// Event gives an event that is locked; nil if it is not.
func (w *World) Event(id int64) *Event { return w.events[id] }

// Hold gives a hold that was read, or taken in this World.
func (w *World) Hold(event int64, id uuid.UUID) *Hold { return w.holds[holdKey{event, id}] }

// Account gives an account whose row is locked.
func (w *World) Account(event, id int64) *Account { return w.accounts[accountKey{event, id}] }

// AccountRef names an account at an event.
type AccountRef struct{ Event, ID int64 }

// NewAccounts are those that have no row yet.
func (w *World) NewAccounts() (list []AccountRef) {
	for k, a := range w.accounts {
		if a.New {
			list = append(list, AccountRef{k.event, k.account})
		}
	}
	return list
}

// PutOff forgets an account, as if its row were locked by somebody else.
func (w *World) PutOff(a AccountRef) { delete(w.accounts, accountKey{a.Event, a.ID}) }

// Label is what people call a line's place.
func (w *World) Label(event int64, l *Line) string {
	if l.Seat != 0 {
		return w.labels[seatKey{event, l.Seat}]
	}
	c := w.counters[counterKey{event, l.Counter}]
	switch {
	case c == nil:
		return ""
	case l.Class != "":
		return CounterLabel(c.Name, w.levels[priceKey{event, l.Class}])
	}
	return c.Name
}

// attempt runs a decision and takes back everything it changed if it refuses.
func (w *World) attempt(decide func() error) error {
	mark := len(w.undo)
	err := decide()
	if err != nil {
		for i := len(w.undo) - 1; i >= mark; i-- {
			w.undo[i]()
		}
		w.undo = w.undo[:mark]
	}
	return err
}

// touch remembers a row before it is changed: for attempt, and for Write, which
// writes only rows that differ from what was read.
func touch[R comparable](w *World, was map[*R]R, row *R) {
	old := *row
	if _, seen := was[row]; !seen {
		was[row] = old
	}
	w.undo = append(w.undo, func() { *row = old })
}

func (w *World) touchSeat(s *Seat)       { touch(w, w.was.seats, s) }
func (w *World) touchCounter(c *Counter) { touch(w, w.was.counters, c) }
func (w *World) touchAccount(a *Account) { touch(w, w.was.accounts, a) }
func (w *World) touchLine(l *Line)       { touch(w, w.was.lines, l) }

func (w *World) touchHold(h *Hold) {
	old := h.head()
	if _, seen := w.was.holds[h]; !seen {
		w.was.holds[h] = old
	}
	w.undo = append(w.undo, func() { h.State, h.HeldUntil, h.Extended = old.state, old.heldUntil, old.extended })
}

// addHold makes a loaded hold known.
func (w *World) addHold(h *Hold) {
	w.holds[holdKey{h.EventID, h.ID}] = h
	for _, l := range h.Lines {
		w.owner[l] = h
	}
}

func (w *World) create(h *Hold) {
	w.addHold(h)
	w.created = append(w.created, h)
	w.undo = append(w.undo, func() {
		delete(w.holds, holdKey{h.EventID, h.ID})
		w.created = w.created[:len(w.created)-1]
	})
}
