package payment

import (
	"context"
	"iter"
	"time"

	"github.com/ropeline/ropeline/core/money"
)

// MovementKind is what a row of a settlement report is about.
type MovementKind string

// The kinds. Amounts are above zero; the kind tells the direction.
const (
	MoveCapture    MovementKind = "capture"
	MoveRefund     MovementKind = "refund"
	MoveDispute    MovementKind = "dispute"     // taken from us while a dispute is open
	MoveDisputeWon MovementKind = "dispute_won" // and given back
	MovePayout     MovementKind = "payout"      // to our bank
)

// Movement is one row of a settlement report: money that moved at the provider.
type Movement struct {
	ID         string // the provider's, of this movement
	Kind       MovementKind
	PaymentRef string // the provider's id of the payment; "" for a payout
	Reference  string // ours, if the provider has it
	Amount     int64  // minor units
	Fee        int64  // what the provider keeps of it
	Currency   string
	At         time.Time

	Unreadable string // a row that cannot be read, as it is; the other fields are empty
}

// Contract is what we agreed with a provider about settlement.
type Contract struct {
	FeeBP int // of each capture, in 1/10000
	// Delay is how long a movement may take to be in the report.
	Delay time.Duration
}

// Fee is what the provider may keep of a capture.
func (c Contract) Fee(m money.Amount) (money.Amount, error) { return m.BasisPoints(c.FeeBP) }

// Settler is a provider with a settlement report.
type Settler interface {
	Provider
	Contract() Contract
	// Settlement reads what moved from (inclusive) until (exclusive), in any order, rows of
	// any number. An error ends it: a report of which the end is missing is none.
	Settlement(ctx context.Context, from, until time.Time) iter.Seq2[Movement, error]
}
