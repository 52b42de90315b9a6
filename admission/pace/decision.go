package pace

import (
	"math"
	"time"
)

// Limit names what a decision may be limited by. The first MaxResources are the configured resources.
type Limit uint8

// The limits that are no resource.
const (
	ByStock Limit = MaxResources + iota
	ByCap
	BySlew
	ByConfidence
	ByStale
	ByBrake
	ByCeiling
	ByFloor
	ByPin
	ByPause
	ByDrain
	ByStore
	ByPending
	ByLine
	Limits // their number
)

var limitNames = [Limits - MaxResources]string{
	"inventory", "active_cap", "slew", "confidence", "stale", "brake", "ceiling", "floor", "pin", "pause", "drain", "store",
	"pending", "line",
}

// Decision is one second's answer with everything it was made from.
type Decision struct {
	At      time.Time
	Epoch   int64
	Mode    Mode
	Applied bool    // false in shadow
	Rate    float64 // people per second who shall come
	Release float64 // places per second that X moves for them: some do not come
	X       int64
	Reason  Limit // the smallest limit
	// Holds is why X moved less than Release says: nothing, ByPending, ByLine, or the reason itself.
	Holds     Limit
	Limits    [Limits]float64 // people per second; +Inf where it does not bind
	Resources [MaxResources]Bound
	Model     float64 // smallest of the resources and the stock
	Show      float64
	ShowSigma float64
	Pending   float64 // released and expected, not yet here
	Inside    int64
	Latency   float64 // times the objective
	Errors    float64
	Locks     float64
	Stock     StockState
	Seats     float64 // free now, by the newest answer less what was taken since
	Need      float64 // seats that the people inside will still want
	Back      float64 // seconds until the next hold may return; negative: not known
	Override  Override
}

func noLimits() (l [Limits]float64) {
	for i := range l {
		l[i] = math.Inf(1)
	}
	return l
}

// Cause is the limit that would have decided if there were no floor: where the floor speaks, something else has shut the
// door, and people ask what.
func (d *Decision) Cause() Limit {
	if d.Reason != ByFloor {
		return d.Reason
	}
	without := *d
	without.Limits[ByFloor] = math.Inf(1)
	cause, _ := without.smallest()
	return cause
}

// smallest is the limit that decides; of equals the first, which is a resource if one is among them.
func (d *Decision) smallest() (Limit, float64) {
	reason, rate := Limit(0), math.Inf(1)
	for i, v := range d.Limits {
		if v < rate {
			reason, rate = Limit(i), v
		}
	}
	return reason, rate
}
