package pace

import (
	"errors"
	"fmt"
	"time"
)

// DefaultOverride is how long an override lasts when nobody says so.
const DefaultOverride = 15 * time.Minute

// Mode is who decides.
type Mode uint8

// The modes of a pool.
const (
	Auto   Mode = iota
	Pin         // the operator's rate
	Pause       // nobody enters
	Drain       // nobody enters and those inside finish
	Shadow      // everything is computed and recorded, nothing applied
)

func (m Mode) String() string {
	return [...]string{"auto", "pin", "pause", "drain", "shadow"}[m]
}

// ParseMode reads what String writes.
func ParseMode(s string) (Mode, error) {
	for m := Auto; m <= Shadow; m++ {
		if m.String() == s {
			return m, nil
		}
	}
	return Auto, fmt.Errorf("mode %q: write auto, pin, pause, drain or shadow", s)
}

// Override is an operator's decision with its author, its reason and its end.
type Override struct {
	Mode  Mode
	Rate  float64 // of a pin
	Who   string
	Why   string
	Until time.Time
}

// NewOverride checks what an operator wrote. A zero length is DefaultOverride.
func NewOverride(mode Mode, rate float64, who, why string, now time.Time, length time.Duration) (Override, error) {
	switch {
	case who == "":
		return Override{}, errors.New("override: nobody signed it: say who you are")
	case why == "":
		return Override{}, errors.New("override: no reason given: say why, for those who come after you")
	case mode > Shadow:
		return Override{}, fmt.Errorf("override: mode %d does not exist", mode)
	case mode == Pin && (!sane(rate) || rate == 0):
		return Override{}, fmt.Errorf("override: rate %v: pin to a positive number of people a second, or pause", rate)
	case length < 0:
		return Override{}, fmt.Errorf("override: length %v: write a time that is still to come", length)
	case length == 0:
		length = DefaultOverride
	}
	return Override{Mode: mode, Rate: rate, Who: who, Why: why, Until: now.Add(length)}, nil
}

// mode is the override's until it ends.
func (o *Override) mode(now time.Time) Mode {
	if o.Mode == Auto || !now.Before(o.Until) {
		return Auto
	}
	return o.Mode
}
