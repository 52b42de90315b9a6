package booking

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/refund"
)

// dossier is everything about one order, read under its locks at one time. The
// methods that decide change it in memory and do nothing else, so that a test can
// walk them without a database; write carries the changes out.
type dossier struct {
	ev       *hold.Event
	now      time.Time
	order    orderRow
	attempts []*attemptRow // oldest first
	refunds  []*refundRow  // oldest first
	places   stock

	// What has to be written.
	isNew        bool // the order's row is not there yet
	touched      bool // the order went through its table
	orderChanged bool
	issue        bool // tickets for the lines that are sold now
	revoke       bool
	returning    []int16 // the lines that are given back by it; nil: all
	journals     []ledger.Journal
	notes        []note
}

// note is one line of the audit log: which cell decided, or which difference was
// found.
type note struct {
	what    string
	attempt uuid.UUID
}

// stock is what the order's decisions need of its hold. The rules behind it
// belong to package hold; a decision only says what is to become of the places.
type stock interface {
	Alive() bool                         // after reclaim: all lines held, all seats ours, held_until > T
	TimedOut() bool                      // ended by time only
	Retakable() (free, withinLimit bool) // the same places are free at T, and the account may have them
	Sell() error                         // held -> sold
	Retake() error                       // ended -> sold, new version
	Release() error                      // held -> free
	Unsell(lines ...int16) error         // sold -> free; without numbers all lines
	Sold() []refund.Part                 // the lines that are sold now
	Extend(t hold.Trigger) bool          // false: the policy does not grant it
}

// orderRow is a row of orders.
type orderRow struct {
	ID        uuid.UUID
	AccountID int64
	HoldID    uuid.UUID
	State     order.State
	Reason    string
	Disputed  bool
	Amount    int64
	Currency  string
	Fee       int64
	Current   uuid.UUID // the latest attempt; zero before the first
	Attempts  int16
	Version   int64
	CreatedAt time.Time
}

// attemptRow is a row of attempt.
type attemptRow struct {
	ID         uuid.UUID
	Provider   string
	Phase      payment.Phase
	Want       payment.Want
	CardToken  string
	PaymentRef string
	Amount     int64
	Currency   string
	Facts      payment.Facts
	Reason     string
	SentAt     *time.Time
	Checks     int16
	Silence    payment.Silence // of the provider, asked about it
	WatchUntil *time.Time      // given up, but asked about daily

	isNew    bool
	disputed int64 // amount of the open dispute, from its journal
	changed  bool
	wake     time.Duration // pause before a loop looks again
}

// refundRow is a row of refund: money the buyer is owed. Its id is the key of the
// request to the provider.
type refundRow struct {
	ID      uuid.UUID
	Attempt uuid.UUID
	Amount  int64
	Done    bool
	Reason  string
	SentAt  *time.Time // only kept for providers without keys
	isNew   bool
	changed bool

	Kept      int64     // of the price of its lines, not given back
	Lines     []int16   // nil: of no lines
	AskedBy   string    // who wanted it
	Request   uuid.UUID // the approved request it carries out
	FreeLimit *int64    // of staff: what one person may give back of the order
	Refusals  int16     // definite ones; each takes a new key
}

func (d *dossier) attempt(id uuid.UUID) *attemptRow {
	i := slices.IndexFunc(d.attempts, func(a *attemptRow) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return d.attempts[i]
}

// unresolved is the attempt whose end we do not know, if there is one.
func (d *dossier) unresolved() *attemptRow {
	for _, a := range d.attempts {
		if a.Phase.Unresolved() {
			return a
		}
	}
	return nil
}

// onSale: staff have not closed or cancelled it, and its time has come. The end of
// the sale by date does not count here: who holds places may still pay for them, and who
// holds them in a presale was let into it.
func (d *dossier) onSale() bool {
	return d.ev.State == "on_sale" && (d.ev.OnSaleAt == nil || !d.ev.OnSaleAt.After(d.now) || d.ev.InPresale(d.now))
}

// waiting is what the sender and the resolver ask before a byte leaves.
func (d *dossier) waiting(a *attemptRow) payment.Waiting {
	return payment.Waiting{
		ForThis:   d.order.State == order.Verifying && d.order.Current == a.ID && a.Want == payment.Undecided,
		HoldAlive: d.places.Alive(),
		OnSale:    d.onSale(),
		Undecided: a.Want == payment.Undecided,
	}
}

// happen takes the order through its table. It returns false where the table has
// no cell: then nothing has changed.
func (d *dossier) happen(ev order.Event, a *attemptRow, retake bool) (bool, error) {
	t, ok := order.Next(d.order.State, ev)
	if !ok {
		return false, nil
	}
	d.order.State, d.orderChanged, d.touched = t.Next, true, true
	if t.Reason != "" {
		d.order.Reason = t.Reason
	} else if t.Next.Sold() {
		d.order.Reason = ""
	}
	for _, eff := range t.Effects {
		if err := d.carryOut(eff, a, retake); err != nil {
			return false, fmt.Errorf("order %s: %s: %w", d.order.ID, eff, err)
		}
	}
	return true, nil
}

func (d *dossier) carryOut(eff order.Effect, a *attemptRow, retake bool) error {
	switch eff {
	case order.ReleaseLines:
		return d.places.Release()
	case order.SellLines:
		if retake {
			return d.places.Retake()
		}
		return d.places.Sell()
	case order.UnsellLines:
		return d.places.Unsell(d.returning...)
	case order.IssueTickets:
		d.issue = true
	case order.RevokeTickets:
		d.revoke = true
	case order.GiveBackAll:
		d.giveBack(nil)
	case order.GiveBackRest:
		d.giveBack(a)
	case order.PostConfirm:
		d.postConfirm(a.Provider)
	case order.PostCapture:
		d.postCapture(a)
	case order.PostReversal:
		d.postReversal(a.Provider)
	case order.PostReserve:
		d.postReserve(a)
	default:
		return fmt.Errorf("unknown effect")
	}
	return nil
}

// giveBack decides against every attempt but one. What was never sent never will
// be; the others are still asked about, and their money goes back when it shows.
func (d *dossier) giveBack(but *attemptRow) {
	for _, a := range d.attempts {
		if a == but || a.Want == payment.GiveBack {
			continue
		}
		a.Want, a.changed = a.Want.Then(payment.GiveBack), true
		if a.Phase == payment.Created {
			a.Phase, a.Reason = payment.Abandoned, "never_sent"
		}
	}
}

// kept is the attempt that pays this order.
func (d *dossier) kept() *attemptRow {
	for _, a := range d.attempts {
		if a.Want == payment.Keep {
			return a
		}
	}
	return nil
}

func (d *dossier) note(what string, a *attemptRow) {
	d.notes = append(d.notes, note{what, a.ID})
}
