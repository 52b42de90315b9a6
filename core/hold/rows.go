package hold

import (
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/money"
)

// Event is what the sale of an event goes by.
type Event struct {
	ID            int64
	Slug          string
	Title         string
	Organiser     string
	State         string // draft, on_sale, closed, cancelled
	Currency      money.Currency
	OnSaleAt      *time.Time    // nil: at once
	OffSaleAt     *time.Time    // nil: until closed
	MaxPerAccount int           // places held and sold together
	TTL           time.Duration // of a hold
	Extend        string        // never, near_end, at_payment_start, while_pending
	ExtendBy      time.Duration
	Cap           time.Duration // no hold lives longer than this after it was first taken
	LatePolicy    string        // refund, retake
	FeeBP         int           // platform's share, in 1/10000
	OrphanRule    bool          // no hold may leave a single seat alone
	AccessUntil   *time.Time    // accessible and companion seats are kept until then; nil: always
	Budget        int           // unbought holds an account may take in a day; 0: no limit
	SeatsCounted  bool          // some seats count in a class too
	PresaleAt     *time.Time    // the first presale's begin; nil: there is none
}

// States of a seat.
const (
	SeatAvailable = "available"
	SeatHeld      = "held"
	SeatSold      = "sold"
	SeatBlocked   = "blocked"
)

// Kinds of a seat.
const (
	KindStandard   = "standard"
	KindAccessible = "accessible"
	KindCompanion  = "companion" // beside an accessible one
)

// Seat is a row that is its own lease.
type Seat struct {
	EventID   int64
	ID        int32
	Class     string
	Kind      string
	Counter   int64 // the fare class it counts in; 0: none
	State     string
	HoldID    uuid.UUID // of the hold that has or had it
	Version   int32     // +1 at each take-over; fences late writers
	HeldUntil time.Time
}

// freeAt: available, or held by a lease that has ended. At equality it has ended.
func (s *Seat) freeAt(now time.Time) bool {
	return s.State == SeatAvailable || s.State == SeatHeld && !s.HeldUntil.After(now)
}

// Counter is an area or a fare class.
type Counter struct {
	EventID          int64
	ID               int64
	Name             string
	Class            string
	Capacity         int
	Overbook, Excess int
	Held, Sold       int
}

// Available is what may still be held. It is below zero after a limit was lowered
// under what is sold.
func (c *Counter) Available() int { return c.Capacity + c.Overbook - c.Held - c.Sold }

// Account is one buyer at one event; its row is their mutex.
type Account struct {
	EventID int64
	ID      int64
	Sold    int
	Live    int // places of live holds, summed under the row's lock

	Budget  int       // unbought holds left since Since; below 0: none was taken yet
	Since   time.Time // when the budget's day began
	Presale bool      // a code of a presale that is open now was redeemed

	New  bool // it has no row yet: no hold, and no key of one
	Used bool // and gets one: it has taken something
}

// State of a hold.
type State int16

// A hold that ended by time alone keeps Active in its row: see Hold.StateAt.
const (
	Expired  State = 0
	Active   State = 1
	Sold     State = 2
	Released State = 3 // or replaced, or given back after the sale
)

func (s State) String() string { return [...]string{"expired", "active", "sold", "released"}[s] }

// Hold is a set of places that one account may buy until HeldUntil.
type Hold struct {
	EventID     int64
	ID          uuid.UUID
	AccountID   int64
	State       State
	CreatedAt   time.Time
	FirstHeldAt time.Time // inherited when a hold is replaced or taken again
	HeldUntil   time.Time
	Extended    int16
	Amount      int64
	Currency    money.Currency
	Lines       []*Line // by number
}

// StateAt is the state at a moment: nobody needs to write "expired" into a row for
// a hold to be over.
func (h *Hold) StateAt(now time.Time) State {
	if h.State == Active && !h.HeldUntil.After(now) {
		return Expired
	}
	return h.State
}

// LineState says whether a line is in its counter's sums.
type LineState int16

// A line is moved only under its counter's lock, together with the counter.
const (
	LineNone LineState = 0 // expired, released, given back
	LineHeld LineState = 1
	LineSold LineState = 2
)

// Line is one seat, or a quantity of a counter.
type Line struct {
	N         int16
	Seat      int32  // 0: none
	Counter   int64  // 0: none
	Class     string // ticket type of a counter's place; "": the counter's own class
	Version   int32  // of the seat when this line took it
	Qty       int
	Price     int64 // of one place, fixed by the hold
	State     LineState
	HeldUntil time.Time
}
