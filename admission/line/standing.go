package line

import "time"

// Visitor is what a valid ticket says: its id, the arrival index given once, and (optional) the hash of the
// identity it was given to, which lets a lost store be told again.
type Visitor struct {
	ID       string // 1 to 64 characters of A-Z a-z 0-9 _ -
	Index    int64
	Identity string
	Epoch    int64 // of the ticket; 0: of the present one. In another epoch its index is somebody else's
}

// Joined is the answer to a join.
type Joined struct {
	ID       string // the visitor's id; an earlier one if the identity had already joined
	Index    int64
	Epoch    int64
	IssuedAt time.Time // by the store's clock
}

// Standing says where a visitor is. Its values are the words of the knock answer.
type Standing string

// The standings.
const (
	Waiting Standing = "waiting" // place >= X, or the room has not opened
	Door    Standing = "door"    // may enter as soon as rate and cap allow; knock on
	Granted Standing = "granted" // an entry time is given; pick it up
	In      Standing = "in"      // inside: the pass may leave (its spent record is on disk)
	Used    Standing = "used"    // the place was spent
	Paused  Standing = "paused"
	SoldOut Standing = "sold_out" // nothing is left at the moment; the place is kept
	Closed  Standing = "closed"
	Retry   Standing = "retry" // knock again in a second: the pick-up is not on disk yet, or the room is being rebuilt
)

// Answer to a knock or a pick-up.
type Answer struct {
	Standing Standing
	Index    int64 // the index whose place is or will be spent
	Place    int64 // -1 while the draw is not yet done
	X        int64
	Rank     int64 // at the door: how many stand before; at most 1000 is told
	Epoch    int64
	Term     int64

	// For Granted and In, by the store's clock. Entry is the pass's nbf; a pass never outlives LeaseEnd,
	// which the store has acknowledged, nor HardEnd.
	Entry    time.Time
	LeaseEnd time.Time
	HardEnd  time.Time
	Now      time.Time // the store's clock at the answer

	// Grant is the entry time in room microseconds. PickUp wants it back: an old knock that arrives late
	// must not pick up a later grant.
	Grant int64
}

// EntryIn is how long a granted visitor still has to wait.
func (a Answer) EntryIn() time.Duration { return max(0, a.Entry.Sub(a.Now)) }

// Lease is what the store says about a live session.
type Lease struct {
	End     time.Time // by the store's clock
	HardEnd time.Time
	Now     time.Time
	Epoch   int64
	Term    int64
	Place   int64
	Index   int64
}
