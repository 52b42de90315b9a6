package booking

import (
	"errors"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/refund"
)

// heldPlaces are the places of a hold in a locked World.
type heldPlaces struct {
	w *hold.World
	h *hold.Hold
}

func (p *heldPlaces) Alive() bool    { return p.w.Alive(p.h) }
func (p *heldPlaces) TimedOut() bool { return p.h.StateAt(p.w.Now) == hold.Expired }

func (p *heldPlaces) Retakable() (free, withinLimit bool) {
	err := p.w.CanRetake(p.h)
	return err == nil || errors.Is(err, hold.ErrLimit), err == nil || !errors.Is(err, hold.ErrLimit)
}

func (p *heldPlaces) Sell() error                 { return p.w.Sell(p.h) }
func (p *heldPlaces) Retake() error               { return p.w.Retake(p.h) }
func (p *heldPlaces) Release() error              { return p.w.GiveBack(p.h) }
func (p *heldPlaces) Unsell(lines ...int16) error { return p.w.GiveBack(p.h, lines...) }
func (p *heldPlaces) Extend(t hold.Trigger) bool  { return p.w.Extend(p.h, t) }

func (p *heldPlaces) Sold() (parts []refund.Part) {
	for _, l := range p.h.Lines {
		if l.State == hold.LineSold {
			parts = append(parts, refund.Part{Line: l.N, Places: l.Qty, Price: l.Price})
		}
	}
	return parts
}

// noPlaces stand in where the caller has dealt with the places already.
type noPlaces struct{}

func (noPlaces) Alive() bool                         { return false }
func (noPlaces) TimedOut() bool                      { return false }
func (noPlaces) Retakable() (free, withinLimit bool) { return false, false }
func (noPlaces) Sell() error                         { return errNoPlaces }
func (noPlaces) Retake() error                       { return errNoPlaces }
func (noPlaces) Release() error                      { return nil }
func (noPlaces) Unsell(...int16) error               { return errNoPlaces }
func (noPlaces) Sold() []refund.Part                 { return nil }
func (noPlaces) Extend(hold.Trigger) bool            { return false }

var errNoPlaces = errors.New("the places of this order are not locked")
