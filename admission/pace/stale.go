package pace

import (
	"math"
	"time"
)

const (
	warnAfter   = 6 * time.Second
	staleAfter  = 15 * time.Second
	freezeFor   = 15.0  // seconds that a stale signal is still believed
	halfLife    = 60.0  // then
	staleLeast  = 0.5   // of what was last known
	silentAfter = 600.0 // seconds; then the floor
)

// Health is what a signal is worth now.
type Health uint8

// The states of a signal.
const (
	NeverHeard Health = iota
	Fresh
	Late
	Stale
)

func (h Health) String() string {
	return [...]string{"never heard", "fresh", "late", "stale"}[h]
}

func health(at, now time.Time) Health {
	switch age := now.Sub(at); {
	case at.IsZero():
		return NeverHeard
	case age >= staleAfter:
		return Stale
	case age >= warnAfter:
		return Late
	}
	return Fresh
}

// distrust is for a signal that nothing replaces; what the gate sees of the first resource does, as soon as the two have
// been compared for a while, but then only downward.
//
// It is what is left of a stale signal's value. It never rises: nobody knows what happened meanwhile.
func distrust(at, now time.Time) float64 {
	age := now.Sub(at).Seconds() - staleAfter.Seconds()
	switch {
	case age <= freezeFor:
		return 1
	case age >= silentAfter:
		return 0
	}
	return max(staleLeast, math.Exp2(-(age-freezeFor)/halfLife))
}
