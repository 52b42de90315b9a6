package payment

// Money is in which shape the first evidence of an attempt shows its money.
type Money int

// The columns of the decision, and the two shapes in which it is over already.
const (
	MoneyAuthorized Money = iota
	MoneyCaptured
	MoneyVoided   // gone before we saw it
	MoneyRefunded // captured and returned in full, or lost in a dispute
)

// MoneyOf reads the shape from the facts. It is only asked when f.Money().
func MoneyOf(f Facts) Money {
	switch {
	case f.Captured > 0 && f.Returned():
		return MoneyRefunded
	case f.Captured > 0:
		return MoneyCaptured
	case f.Voided:
		return MoneyVoided
	}
	return MoneyAuthorized
}

// Scene is everything the decision looks at, read under the locks of order,
// account, counters and seats, at one time T.
type Scene struct {
	PaidByOther  bool // another attempt of this order is kept
	Mismatch     bool // amount or currency is not what was asked for
	OrderOver    bool // cancelled, refunded or expired_refunded
	EventOff     bool // the event is cancelled
	SaleClosed   bool // staff closed the sale
	HoldAlive    bool // every line held, every seat still ours, held_until > T
	HoldTimedOut bool // the lines ended by time only: not released, not sold and given back
	PlacesFree   bool // all of the same seats and places are free at T
	WithinLimit  bool // the account may have them
	Retake       bool // the event's policy for "free again"
}

// Cell names the row of the table that decided; it is written to the audit log.
type Cell string

// The rows of the table, first match wins.
const (
	CellReturned  Cell = "already_returned"
	CellDouble    Cell = "paid_by_other_attempt"
	CellMismatch  Cell = "amount_mismatch"
	CellOver      Cell = "order_over"
	CellEventOff  Cell = "event_cancelled"
	CellClosed    Cell = "sale_closed"
	CellAlive     Cell = "hold_alive"
	CellRetake    Cell = "taken_again"
	CellHoldEnded Cell = "hold_ended"
)

// Verdict is the decision about the first money of an attempt.
type Verdict struct {
	Cell   Cell
	Want   Want
	Retake bool   // the lines must be taken again first
	Break  string // a named difference for reconciliation, or ""
}

// row is one line of the table: does it apply, and what then.
type row struct {
	applies func(Scene, Money) bool
	verdict func(Money) Verdict
}

var lateTable = []row{
	{func(_ Scene, m Money) bool { return m == MoneyVoided || m == MoneyRefunded }, alreadyReturned},
	{func(s Scene, _ Money) bool { return s.PaidByOther }, paidTwice},
	{func(s Scene, _ Money) bool { return s.Mismatch }, mismatch},
	{func(s Scene, _ Money) bool { return s.OrderOver }, orderOver},
	{func(s Scene, _ Money) bool { return s.EventOff }, eventOff},
	{func(s Scene, _ Money) bool { return s.SaleClosed }, saleClosed},
	{func(s Scene, _ Money) bool { return s.HoldAlive }, holdAlive},
	{func(s Scene, _ Money) bool { return s.Retake && s.HoldTimedOut && s.PlacesFree && s.WithinLimit }, takeAgain},
	{func(Scene, Money) bool { return true }, holdEnded},
}

// Decide is the late-success table: keep the money or give it back. It runs
// once per attempt, at the first money, while the attempt is undecided; a later
// fact only posts its journal and carries this decision out. (Otherwise the
// capture notice of every good order would refund it.) Total: the last row
// always applies, so no payment can be left for a person to find.
func Decide(s Scene, m Money) Verdict {
	for _, r := range lateTable {
		if r.applies(s, m) {
			return r.verdict(m)
		}
	}
	panic("payment: the late-success table has no last row")
}

// The cells. Authorized money that is given back is voided, captured money is
// refunded; both follow from (facts, want), so a cell says only what to want.

func alreadyReturned(Money) Verdict { return Verdict{Cell: CellReturned, Want: GiveBack} }
func paidTwice(Money) Verdict       { return Verdict{Cell: CellDouble, Want: GiveBack} }
func orderOver(Money) Verdict       { return Verdict{Cell: CellOver, Want: GiveBack} }
func eventOff(Money) Verdict        { return Verdict{Cell: CellEventOff, Want: GiveBack} }
func saleClosed(Money) Verdict      { return Verdict{Cell: CellClosed, Want: GiveBack} }
func holdAlive(Money) Verdict       { return Verdict{Cell: CellAlive, Want: Keep} }
func takeAgain(Money) Verdict       { return Verdict{Cell: CellRetake, Want: Keep, Retake: true} }
func holdEnded(Money) Verdict       { return Verdict{Cell: CellHoldEnded, Want: GiveBack} }

func mismatch(m Money) Verdict {
	v := Verdict{Cell: CellMismatch, Want: GiveBack}
	if m == MoneyCaptured {
		v.Break = "mismatch"
	}
	return v
}
