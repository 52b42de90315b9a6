package sim

import (
	"math"

	"github.com/ropeline/ropeline/admission/pace"
)

// Habits is what the people of one shop do once they are let in, and what that costs its database.
type Habits struct {
	LeastPages int                    // that everybody loads
	MorePages  float64                // mean of a geometric number on top
	Think      float64                // mean seconds between pages
	Wants      float64                // share that asks for a seat
	Form       float64                // mean seconds from the hold to the payment
	WalksAway  float64                // share of holders who never pay
	HoldFor    float64                // seconds an unpaid hold lasts, less than two hours
	Cost       [pace.MaxKinds]float64 // seconds of a database server that is not slowed
	// Came is the share, of those who come, that has come by the end of each second after the release; nil is 1 to 5 s and,
	// for a third of the people, a tail.
	Came []float64
}

// usual are the habits of the shop that all scenarios play in.
var usual = Habits{
	LeastPages: leastPages, MorePages: morePages, Think: thinkTime, Wants: wantsSeat, Form: formMean, WalksAway: walksAway, HoldFor: holdLasts,
	Cost: [pace.MaxKinds]float64{pace.Page: costPage, pace.Hold: costHold, pace.Confirm: costConfirm},
}

// Usual are the habits of the shop that the scenarios play in: what is assumed of an event about which nothing is known.
func Usual() Habits { return usual }

// PerPerson is the database work of one who comes, in seconds of a server.
func (h *Habits) PerPerson() float64 {
	return (float64(h.LeastPages)+h.MorePages)*h.Cost[pace.Page] + h.Wants*(h.Cost[pace.Hold]+(1-h.WalksAway)*h.Cost[pace.Confirm])
}

// delay is from release to claim.
func (h *Habits) delay(c chance, place int64) float64 {
	if h.Came != nil {
		u := c.uniform(place, delay)
		for second, share := range h.Came {
			if u < share {
				return float64(second) + c.uniform(place, delayTail)
			}
		}
		return float64(len(h.Came)) - 0.5
	}
	wait := 1 + 4*c.uniform(place, delay)
	if c.uniform(place, delayLong) < tailShare {
		wait += c.lognormal(place, delayTail, tailDelay, tailSigma)
	}
	return wait
}

// pages is the least and a geometric number.
func (h *Habits) pages(f chance, place int64) uint8 {
	n := uint8(h.LeastPages)
	for u, more := f.uniform(place, pageCount), h.MorePages/(1+h.MorePages); u < more && n < mostPages; n++ {
		u /= more
	}
	return n
}

func (h *Habits) thinking(f chance, place int64, n uint8) float64 {
	return f.lognormal(place, thought+int(n), h.Think, thinkSigma)
}

// sane refuses what no crowd can do, in words for whoever wrote the flag or the log it comes from.
func (h *Habits) sane() bool {
	for _, v := range []float64{h.MorePages, h.Think, h.Wants, h.Form, h.WalksAway, h.HoldFor, h.PerPerson()} {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return h.LeastPages >= 1 && h.LeastPages < mostPages && h.Wants <= 1 && h.WalksAway <= 1 && h.HoldFor < endsFor-pace.Expiries*pace.AgeBucket && h.PerPerson() > 0
}
