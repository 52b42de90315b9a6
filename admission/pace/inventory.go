package pace

import (
	"math"
	"time"
)

const (
	spendOver   = 10.0 // seconds over which free seats are spent
	safety      = 1.0  // standard deviations of the demand inside that are kept back
	unpaidPrior = 0.95 // of the holds that are near their end
	unpaidPast  = 40.0 // holds that the prior is worth
	stockMemory = 600.0
	recentHolds = 60
	roomy       = 30.0 // seconds without the stock binding before it is called open again
)

// StockState is what may be told about the stock.
type StockState uint8

// The states of the stock. AllHeld is never told as sold out: a hold may return.
const (
	Unlimited StockState = iota // the origin does not tell
	Open
	LastSeats
	AllHeld
	SoldOut
)

func (s StockState) String() string {
	return [...]string{"not told", "open", "last seats", "all held", "sold out"}[s]
}

// inventory keeps people from being let in for nothing.
type inventory struct {
	State   StockState
	Holds   [recentHolds]float64 // wanted in each of the last seconds, by the gate
	Seats   kernel               // wanted by a person of each age
	Roomy   float64
	Ending  float64 // forgetting: holds seen near their end
	Expired float64 // of which so many came back
	Seen    time.Time
	Near    float64 // holds about to end, in the newest answer
	Sold    float64
	Avail   float64
	Limit   float64 `json:"-"` // people per second, +Inf where nothing is told
	Need    float64
	Room    float64
	Back    float64 // seconds to the next hold that may return; negative: none known
}

func (v *inventory) tick(s *Stock, cr *crowd, ages *[Ages]float64, coming float64, delay float64, perHold float64, now time.Time) {
	if s.At.IsZero() || s.Total <= 0 {
		v.State, v.Limit, v.Back = Unlimited, math.Inf(1), -1
		return
	}
	v.Need = coming * v.Seats.Total
	doubt := coming * v.Seats.Total
	for a, n := range ages {
		if n > 0 {
			w := v.Seats.after(a)
			v.Need += n * w
			doubt += n * w * max(0, 1-w) // each wants one or none
		}
	}
	v.Need, doubt = v.Need*perHold, math.Sqrt(doubt)*perHold
	// The answer is some seconds old; what was taken since then is not in it.
	old := int(now.Sub(s.At).Seconds() + 0.5)
	taken := 0.0
	for i := 0; i < min(old, recentHolds); i++ {
		taken += v.Holds[i]
	}
	free := max(0, s.Available-taken*perHold)
	// People are released one lead before a hold ends, so that they arrive when its seat does.
	lead := v.lead(delay) + float64(old)
	returning := 0.0
	v.Back = -1
	for i, n := range s.Expiring {
		at := float64(i) * AgeBucket
		if n > 0 && v.Back < 0 {
			v.Back = max(0, at-float64(old))
		}
		if at < lead {
			returning += n * min(1, (lead-at)/AgeBucket)
		}
	}
	returning *= (v.Expired + unpaidPrior*unpaidPast) / (v.Ending + unpaidPast)
	v.Avail = free
	v.Room = free + returning - v.Need - safety*doubt
	person := v.Seats.Total * perHold
	v.Limit = max(0, v.Room) / spendOver / max(1e-6, person)
}

// lead is the mean time from a release to the wish for a seat, in seconds.
func (v *inventory) lead(delay float64) float64 {
	sum := 0.0
	for a, h := range v.Seats.H {
		sum += h * (float64(a) + 0.5) * AgeBucket
	}
	return delay + sum/max(1e-9, v.Seats.Total)
}

// judge moves the state. Sold out is said only when every seat is confirmed as sold.
func (v *inventory) judge(s *Stock, binding bool, dt float64) {
	if v.Limit == math.Inf(1) {
		return
	}
	v.Roomy += dt
	if binding {
		v.Roomy = 0
	}
	switch {
	case s.Sold >= s.Total && s.Available <= 0 && s.Held <= 0:
		v.State = SoldOut
	case s.Available <= 0:
		v.State = AllHeld
	case binding || (v.Roomy < roomy && v.State != Unlimited && v.State != Open):
		v.State = LastSeats
	default:
		v.State = Open
	}
}
