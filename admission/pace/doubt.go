package pace

import (
	"math"
	"time"
)

const (
	doubtPast    = 40   // seconds of the gate's own counts that are kept
	doubtQueue   = 0.1  // of what is under way
	doubtLeast   = 2.0  // requests under way before a ratio says something
	doubtReads   = 10   // readings before anything is doubted
	doubtSlow    = 0.01 // a reading's weight in what is usual
	doubtQuick   = 0.25 // and in what is recent
	doubtBelow   = 0.75 // of the usual
	believeAbove = 0.85
)

// doubt compares what the origin says of itself with what the gate sees. By Little's law the requests under way less
// those that wait are the busy servers, up to a factor that is the origin's own (work outside of the pool). When the origin
// suddenly reports much less than that factor has always given, it is not believed: a signal that halves would otherwise
// double the rate.
type doubt struct {
	Flights [doubtPast]float64 // newest first
	Usual   float64            // busy a request under way
	Recent  float64
	Reads   int
	On      bool
}

func (d *doubt) see(flight float64) {
	copy(d.Flights[1:], d.Flights[:doubtPast-1])
	d.Flights[0] = flight
}

// busy is what the first resource's busy servers must be by the gate alone: the most they can be, since what waits is in
// it too. ok is false until the factor is known.
func (d *doubt) busy() (servers float64, ok bool) {
	return d.Usual * d.Flights[0], d.Reads > doubtReads
}

// hear gives the busy time to be used for a reading. healthy means that the objectives are met with room.
func (d *doubt) hear(r *Reading, noise float64, healthy bool, now time.Time) float64 {
	from := max(0, int(now.Sub(r.At).Seconds()+0.5))
	to := min(doubtPast, from+int(r.Seconds+0.5))
	if to <= from {
		return r.Busy
	}
	flight := 0.0
	for _, f := range d.Flights[from:to] {
		flight += f / float64(to-from)
	}
	// What waits is a count at one moment, under way a mean: with a queue their difference is mostly chance.
	crowded := r.Waiting > doubtQueue*flight
	working := flight - r.Waiting
	if crowded {
		working = flight
	}
	if working < doubtLeast || r.Seconds <= 0 {
		return r.Busy
	}
	ratio := r.Busy / r.Seconds / working
	low := !crowded && ratio < d.Usual*(1-max(1-doubtBelow, 3*math.Sqrt(noise)))
	if healthy && !crowded {
		if d.Reads++; d.Reads <= doubtReads {
			d.Usual += (ratio - d.Usual) / float64(d.Reads)
			d.Recent = d.Usual
		} else {
			d.Recent += doubtQuick * (ratio - d.Recent)
			if !d.On && !low {
				d.Usual += doubtSlow * (ratio - d.Usual)
			}
		}
	}
	if d.Reads <= doubtReads {
		return r.Busy
	}
	switch {
	case d.Recent < doubtBelow*d.Usual:
		d.On = true
	case d.Recent > believeAbove*d.Usual:
		d.On = false
	}
	if d.On || low {
		return min(r.Capacity, d.Usual*working) * r.Seconds
	}
	return r.Busy
}
