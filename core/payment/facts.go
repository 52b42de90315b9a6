package payment

import "fmt"

// Dispute is how far a chargeback has come. The values are ordered: a later
// one replaces an earlier one, never the other way round.
type Dispute string

// The stages of a dispute.
const (
	NoDispute   Dispute = ""
	DisputeOpen Dispute = "open"
	DisputeWon  Dispute = "won"
	DisputeLost Dispute = "lost"
)

func (d Dispute) rank() int {
	switch d {
	case DisputeOpen:
		return 1
	case DisputeWon:
		return 2
	case DisputeLost:
		return 3
	}
	return 0
}

// Facts are what has happened at the provider, as cumulative amounts in minor
// units. They are monotone: Merge never takes anything back, so the order in
// which messages arrive cannot matter.
type Facts struct {
	Authorized int64
	Captured   int64
	Refunded   int64
	Declined   bool
	Voided     bool
	Dispute    Dispute
}

// Merge adds what g knows to f. amount is the attempt's own amount: it stands
// in where a fact implies another whose size the message did not carry.
func (f Facts) Merge(g Facts, amount int64) Facts {
	m := Facts{
		Authorized: max(f.Authorized, g.Authorized),
		Captured:   max(f.Captured, g.Captured),
		Refunded:   max(f.Refunded, g.Refunded),
		Declined:   f.Declined || g.Declined,
		Voided:     f.Voided || g.Voided,
		Dispute:    f.Dispute,
	}
	if g.Dispute.rank() > m.Dispute.rank() {
		m.Dispute = g.Dispute
	}
	return m.implied(amount)
}

// implied closes f under implication: refunded or disputed => captured =>
// authorized; voided => authorized. The amounts it fills in must be a maximum
// too: filled in only where nothing is known, the result would depend on the order.
func (f Facts) implied(amount int64) Facts {
	if f.Dispute != NoDispute {
		f.Captured = max(f.Captured, amount)
	}
	f.Captured = max(f.Captured, f.Refunded)
	f.Authorized = max(f.Authorized, f.Captured)
	if f.Voided {
		f.Authorized = max(f.Authorized, amount)
	}
	return f
}

// Money says that the buyer's money was, at some time, in the provider's hands.
func (f Facts) Money() bool { return f.Authorized > 0 }

// Returned says that all of it has gone back already: nothing is left to keep.
func (f Facts) Returned() bool {
	switch {
	case f.Captured > 0:
		return f.Refunded >= f.Captured || f.Dispute == DisputeLost
	default:
		return f.Voided
	}
}

// Check reports facts no provider can mean, so that nonsense is refused at the
// boundary and never merged: merging is for ever.
func (f Facts) Check() error {
	switch {
	case f.Authorized < 0 || f.Captured < 0 || f.Refunded < 0:
		return fmt.Errorf("payment: negative amount in %+v", f)
	case f.Refunded > f.Captured && f.Captured > 0:
		return fmt.Errorf("payment: refunded %d is more than captured %d", f.Refunded, f.Captured)
	case f.Captured > f.Authorized && f.Authorized > 0:
		return fmt.Errorf("payment: captured %d is more than authorized %d", f.Captured, f.Authorized)
	case f.Dispute.rank() == 0 && f.Dispute != NoDispute:
		return fmt.Errorf("payment: unknown dispute stage %q", f.Dispute)
	}
	return nil
}
