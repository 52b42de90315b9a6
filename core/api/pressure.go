package api

import (
	"sync"
	"time"
)

// The levels of pressure: what is left out before anybody who buys has to wait.
const (
	calm    = iota
	pressed // extras
	crushed // also searches that would be asked of the database
)

const (
	pressedFrom  = 0.7 // of the connections busy; Headroom of the controller is above
	crushedFrom  = 0.8
	pressureHold = 5 * time.Second // a level is kept so long, or pages would change with every second
	pressureStep = time.Second
)

// pressure follows how busy the database is.
type pressure struct {
	mu    sync.Mutex
	level int
	next  time.Time
	until time.Time // of the level
	at    time.Time
	busy  time.Duration
}

// step is the level after a measurement: up at once, down when it has been good for a while.
func (p *pressure) step(used float64, wait time.Duration, queued int, now time.Time) int {
	want := calm
	switch {
	case used >= crushedFrom, wait > waitObjective, queued > 0:
		want = crushed
	case used >= pressedFrom:
		want = pressed
	}
	if want >= p.level || !now.Before(p.until) {
		if want > calm || p.level != want {
			p.until = now.Add(pressureHold)
		}
		p.level = want
	}
	return p.level
}

// pressed says whether a level is reached.
func (a *API) pressed(level int) bool { return a.measurePressure() >= level }

// measurePressure gives the level. It measures at most once a second, when somebody asks.
func (a *API) measurePressure() int {
	now, p := time.Now(), &a.pressure
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Before(p.next) {
		return p.level
	}
	usage := a.booking.Usage()
	u := usage.Database
	used := 0.0
	if dt := now.Sub(p.at); !p.at.IsZero() && u.Capacity > 0 {
		used = (u.Busy - p.busy).Seconds() / dt.Seconds() / u.Capacity
	}
	p.at, p.busy, p.next = now, u.Busy, now.Add(pressureStep)
	return p.step(used, waitNow(usage), a.waiting(holding)+a.waiting(paying), now)
}
