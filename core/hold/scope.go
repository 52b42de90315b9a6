package hold

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/uuid"
)

// Scope is the set of rows a transaction is about to lock. Accounts, counters and
// seats of the holds in it are found by Load.
type Scope struct {
	accounts map[accountKey]struct{}
	counters map[counterKey]struct{}
	seats    map[seatKey]struct{}
	holds    map[holdKey]struct{}
	plans    map[int64]*Plan
	choices  map[int64]struct{} // events in which seats may still be chosen
	labels   *Labels
}

// NewScope returns an empty scope.
func NewScope() *Scope {
	return &Scope{accounts: make(map[accountKey]struct{}), counters: make(map[counterKey]struct{}), seats: make(map[seatKey]struct{}),
		holds: make(map[holdKey]struct{}), plans: make(map[int64]*Plan), choices: make(map[int64]struct{})}
}

// Labels lets Load look the names of seats up in a memory.
func (s *Scope) Labels(l *Labels) { s.labels = l }

// Plan tells where an event's seats are: for the orphan rule, before its requests.
func (s *Scope) Plan(event int64, p *Plan) { s.plans[event] = p }

// Request adds what Take needs.
func (s *Scope) Request(r Request) {
	s.accounts[accountKey{r.EventID, r.AccountID}] = struct{}{}
	if r.Best != nil {
		s.choices[r.EventID] = struct{}{}
	}
	for _, id := range r.Seats {
		s.seats[seatKey{r.EventID, id}] = struct{}{}
	}
	if p := s.plans[r.EventID]; p != nil && !r.Accessible {
		for _, id := range p.around(r.Seats) {
			s.seats[seatKey{r.EventID, id}] = struct{}{}
		}
	}
	for _, p := range r.Places {
		s.counters[counterKey{r.EventID, p.Counter}] = struct{}{}
	}
	if r.Replace != uuid.Nil {
		s.holds[holdKey{r.EventID, r.Replace}] = struct{}{}
	}
}

// Release adds what Release needs.
func (s *Scope) Release(event, account int64, id uuid.UUID) {
	s.accounts[accountKey{event, account}] = struct{}{}
	s.holds[holdKey{event, id}] = struct{}{}
}

// sorted keys, as parallel arrays.

func (s *Scope) accountArrays() (events, ids []int64) {
	for _, k := range sorted(s.accounts, func(a, b accountKey) int {
		return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(a.account, b.account))
	}) {
		events, ids = append(events, k.event), append(ids, k.account)
	}
	return events, ids
}

func (s *Scope) counterArrays() (events, ids []int64) {
	for _, k := range sorted(s.counters, func(a, b counterKey) int {
		return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(a.counter, b.counter))
	}) {
		events, ids = append(events, k.event), append(ids, k.counter)
	}
	return events, ids
}

func (s *Scope) seatArrays() (events []int64, ids []int32) { return seatArrays(s.seats) }

func seatArrays(set map[seatKey]struct{}) (events []int64, ids []int32) {
	for _, k := range sorted(set, func(a, b seatKey) int {
		return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(a.seat, b.seat))
	}) {
		events, ids = append(events, k.event), append(ids, k.seat)
	}
	return events, ids
}

func (s *Scope) holdArrays() (events []int64, ids [][16]byte) {
	for k := range s.holds {
		events, ids = append(events, k.event), append(ids, k.hold)
	}
	return events, ids
}

func sorted[K comparable](set map[K]struct{}, by func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(set), by)
}

// Ready tells whether every row that Take needs is in the World. If not, somebody
// else had one of them locked and the request must have its turn later: it is never
// answered "taken" because of a lock.
func (w *World) Ready(r Request) bool {
	if w.accounts[accountKey{r.EventID, r.AccountID}] == nil {
		return false
	}
	for _, id := range r.Seats {
		if k := (seatKey{r.EventID, id}); w.seats[k] == nil && !w.unknown[k] {
			return false
		}
	}
	if p := w.plans[r.EventID]; p != nil && !r.Accessible {
		for _, id := range p.around(r.Seats) {
			if k := (seatKey{r.EventID, id}); w.seats[k] == nil && !w.unknown[k] {
				return false
			}
		}
	}
	return r.Replace == uuid.Nil || w.ReadyToRelease(r.EventID, r.AccountID, r.Replace)
}

// ReadyToRelease is Ready for Release.
func (w *World) ReadyToRelease(event, account int64, id uuid.UUID) bool {
	if w.accounts[accountKey{event, account}] == nil {
		return false
	}
	h := w.holds[holdKey{event, id}]
	if h == nil || h.AccountID != account {
		return true // will be refused
	}
	for _, l := range h.Lines {
		if l.Seat != 0 && w.seats[seatKey{event, l.Seat}] == nil {
			return false
		}
	}
	return true
}
