package hold

import (
	"math"
	"sync"
	"time"
)

// Floor is a Plan with what is free on it: the index that "best available" searches
// instead of the table. It is advice: who is picked is locked and looked at again.
// It is safe for concurrent use.
type Floor struct {
	Plan *Plan

	mu      sync.Mutex
	version int64 // of the map up to which it has heard
	rows    []floorRow
}

type floorRow struct {
	until []int64 // of each seat, in microseconds: free from then on
	// The longest run of free seats, and until when that is known for sure.
	run   int
	valid int64
}

// never is the end of a seat that was sold or blocked.
const never = math.MaxInt64

// NewFloor returns a floor on which every seat is free at version.
func NewFloor(p *Plan, version int64) *Floor {
	f := &Floor{Plan: p, version: version, rows: make([]floorRow, len(p.Rows))}
	for i := range f.rows {
		f.rows[i] = floorRow{until: make([]int64, len(p.Rows[i].Seats)), valid: math.MinInt64}
	}
	return f
}

// Version is the version of the map up to which the floor has heard.
func (f *Floor) Version() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}

// Hear brings the floor from one version to the next. A version that does not follow
// is refused: the floor has missed something and must be built anew.
func (f *Floor) Hear(version int64, changed []SeatChange) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if version > f.version+1 {
		return false
	}
	for _, c := range changed {
		f.set(c.Seat, endOfSeat(c.State, c.HeldUntil))
	}
	f.version = max(f.version, version)
	return true
}

// See notes a seat as it is.
func (f *Floor) See(seat int32, state string, until *time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.set(seat, endOfSeat(state, until))
}

func endOfSeat(state string, until *time.Time) int64 {
	switch {
	case state == SeatAvailable:
		return math.MinInt64
	case state == SeatHeld && until != nil:
		return until.UnixMicro()
	}
	return never
}

func (f *Floor) set(seat int32, until int64) {
	if at, ok := f.Plan.at[seat]; ok {
		f.rows[at.row].until[at.seat] = until
		f.rows[at.row].valid = math.MinInt64
	}
}

// longest is the longest run of free seats of a row, remembered until one of its
// holds ends.
func (f *Floor) longest(row int, now int64) int {
	r := &f.rows[row]
	if now < r.valid {
		return r.run
	}
	r.run, r.valid = 0, math.MaxInt64
	n := 0
	for i, until := range r.until {
		if until > now {
			n = 0
			r.valid = min(r.valid, until)
			continue
		}
		if !f.Plan.Rows[row].Seats[i].Joined {
			n = 0
		}
		n++
		r.run = max(r.run, n)
	}
	return r.run
}
