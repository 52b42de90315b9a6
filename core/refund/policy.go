package refund

import (
	"net/http"
	"slices"
	"time"

	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/problem"
)

// Tier is what giving back costs when at least Before is left to the event.
type Tier struct {
	Before      time.Duration
	FeeBP       int   // kept of the price, in 1/10000
	FeePerPlace int64 // kept of each place, minor units
}

// Policy of an event. Without tiers everything goes back until the event begins.
type Policy struct {
	StartsAt time.Time
	Tiers    []Tier
	// ApprovalOver is how much of one order staff may give back without approvals.
	ApprovalOver int64
}

// What a refund is refused for.
var (
	ErrClosed  = problem.New(http.StatusConflict, "refund_closed", "These places can no longer be given back.")
	ErrNothing = problem.New(http.StatusUnprocessableEntity, "nothing_to_refund", "Nothing of the price would come back.")
	ErrAmount  = problem.New(http.StatusUnprocessableEntity, "invalid_amount", "The amount must be above zero, and not more than these places cost.")
)

// At is the tier that holds at a moment, and until when it does. The last one ends when
// its own time is over; nothing is given back after the event began.
func (p Policy) At(now time.Time) (t Tier, until time.Time, err error) {
	if !now.Before(p.StartsAt) {
		return t, until, ErrClosed
	}
	if len(p.Tiers) == 0 {
		return t, p.StartsAt, nil
	}
	left := p.StartsAt.Sub(now)
	found := false
	for _, x := range p.Tiers {
		if x.Before <= left && (!found || x.Before > t.Before) {
			t, found = x, true
		}
	}
	if !found {
		return t, until, ErrClosed
	}
	return t, p.StartsAt.Add(-t.Before), nil
}

// Part is a line of an order that is still sold.
type Part struct {
	Line   int16
	Places int
	Price  int64 // of one place
}

// Value is the part's price.
func (p Part) Value() int64 { return int64(p.Places) * p.Price }

// Quote is what giving some parts back means: Back goes to the buyer, Kept does not,
// and the two are the parts' value.
type Quote struct {
	Lines []int16
	Back  int64
	Kept  int64
}

// Value of the parts.
func (q Quote) Value() int64 { return q.Back + q.Kept }

// Quote computes the fee on each part, so that giving a set back in one go or in
// several costs the same.
func (t Tier) Quote(c money.Currency, parts []Part) (q Quote, err error) {
	for _, p := range parts {
		value := money.Of(p.Value(), c)
		fee, err := value.BasisPoints(t.FeeBP)
		if err != nil {
			return q, err
		}
		kept := min(value.Minor, fee.Minor+int64(p.Places)*t.FeePerPlace)
		q.Lines = append(q.Lines, p.Line)
		q.Kept += kept
		q.Back += value.Minor - kept
	}
	if q.Back <= 0 {
		return q, ErrNothing
	}
	return q, nil
}

// Exactly is a quote in which staff said how much goes back.
func Exactly(amount int64, parts []Part) (q Quote, err error) {
	var value int64
	for _, p := range parts {
		q.Lines = append(q.Lines, p.Line)
		value += p.Value()
	}
	if amount <= 0 || amount > value {
		return q, ErrAmount.With("most", value)
	}
	q.Back, q.Kept = amount, value-amount
	return q, nil
}

// Choose picks the parts with the given line numbers, or (nil) all. missing are numbers
// that are not among them: unknown, or given back before.
func Choose(parts []Part, lines []int16) (chosen []Part, missing []int16) {
	if lines == nil {
		return parts, nil
	}
	for _, n := range lines {
		i := slices.IndexFunc(parts, func(p Part) bool { return p.Line == n })
		if i < 0 || slices.ContainsFunc(chosen, func(p Part) bool { return p.Line == n }) {
			missing = append(missing, n)
			continue
		}
		chosen = append(chosen, parts[i])
	}
	return chosen, missing
}
