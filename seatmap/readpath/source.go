package readpath

import (
	"context"
	"errors"
	"time"

	"github.com/ropeline/ropeline/seatmap"
)

// ErrUnknown is of an event that is not there or not public.
var ErrUnknown = errors.New("readpath: no such event")

// Source is where the truth is. Its methods may be called at the same time.
type Source interface {
	// Load reads one event whole, in one snapshot, or ErrUnknown.
	Load(ctx context.Context, event string) (*Facts, error)
	// News gives what was committed to the events after the versions known of them:
	// for each event in ascending order without a gap, not necessarily up to the
	// newest, and the source's clock.
	News(ctx context.Context, known []Known) (news []News, now time.Time, err error)
}

// Facts are one event, whole.
type Facts struct {
	ID       int64
	Life     time.Duration // how old its map may be; 0 is the shelf's own
	Geometry seatmap.Geometry
	V        int64     // version of the facts
	Now      time.Time // the source's clock when they were read
	Seats    []Seat    // seat i+1
	Counters []Free    // by id
}

// Seat is one seat of Facts.
type Seat struct {
	State seatmap.State
	Until time.Time // end of the hold, if it is held
}

// Free is what is left of a counter.
type Free struct {
	ID   int64
	Left int64
}

// Known says how far a board has heard.
type Known struct{ ID, V int64 }

// News is one committed change of an event: from V-1 to V.
type News struct {
	ID, V    int64
	Seats    []SeatNews
	Counters []Free // the changed ones
	// Lost says that changes between what was known and V are no longer there to be
	// told: the event has to be read whole.
	Lost bool
}

// SeatNews is the new state of one seat.
type SeatNews struct {
	Number int // from 1
	Seat
}
