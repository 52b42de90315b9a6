package hold

import (
	"time"

	"github.com/google/uuid"
)

// Trigger is what may lengthen a hold.
type Trigger string

// An event's extend policy names the one that counts.
const (
	PaymentSent    Trigger = "at_payment_start" // the provider is about to be asked
	PaymentUnknown Trigger = "near_end"         // a payment's end became unknown
	PaymentChecked Trigger = "while_pending"    // a payment was looked at and is still open
)

// Extend lengthens a live hold if the event's policy grants it for this trigger:
// once per hold (while_pending: each time), to ExtendBy from now, never beyond the
// cap, and never shorter than it was. A dead hold is not revived.
func (w *World) Extend(h *Hold, t Trigger) (granted bool) {
	ev := w.events[h.EventID]
	if ev == nil || ev.Extend != string(t) || !w.Alive(h) || h.Extended > 0 && t != PaymentChecked {
		return false
	}
	return w.lengthen(ev, h)
}

// ExtendByOwner is the same at the owner's wish. near_end and while_pending grant it,
// once and each time; an event whose policy is bound to the start of a payment, or
// that never extends, does not. It is granted near the end, when it makes the hold
// longer, and never beyond the cap.
func (w *World) ExtendByOwner(event, account int64, id uuid.UUID) (*Hold, error) {
	h, err := w.own(event, account, id)
	if err != nil {
		return nil, err
	}
	ev := w.events[event]
	switch {
	case !w.Alive(h):
		return nil, ErrHoldExpired
	case ev.Extend != string(PaymentUnknown) && ev.Extend != string(PaymentChecked):
		return nil, ErrNoExtension.With("reason", "policy")
	case h.Extended > 0 && ev.Extend == string(PaymentUnknown):
		return nil, ErrNoExtension.Say("This hold was extended already.").With("reason", "used")
	case !h.HeldUntil.Before(h.FirstHeldAt.Add(ev.Cap)):
		return nil, ErrNoExtension.Say("Places cannot be held any longer.").With("reason", "cap")
	case w.Now.Before(ev.extendableFrom(h)), !w.lengthen(ev, h):
		return nil, ErrNoExtension.Say("It is too early: there is more time left than an extension would give.").
			With("reason", "too_early").With("from", ev.extendableFrom(h).UTC())
	}
	return h, nil
}

// extendableFrom is when an owner may extend: when that gives at least half of what it
// can give at all. An extension counts from now, as that of a payment does, and there is
// one: granted as soon as it gave anything, it would be used up for some seconds by
// whoever asks again at the moment that they were told. The other half is time to ask in.
func (e *Event) extendableFrom(h *Hold) time.Time {
	most := min(e.ExtendBy, h.FirstHeldAt.Add(e.Cap).Sub(h.HeldUntil))
	return h.HeldUntil.Add(most/2 - e.ExtendBy)
}

func (w *World) lengthen(ev *Event, h *Hold) bool {
	until := w.Now.Add(ev.ExtendBy)
	if last := h.FirstHeldAt.Add(ev.Cap); until.After(last) {
		until = last
	}
	if !until.After(h.HeldUntil) {
		return false
	}
	w.touchHold(h)
	h.HeldUntil = until
	h.Extended++
	for _, l := range h.Lines {
		w.touchLine(l)
		l.HeldUntil = until
		if l.Seat != 0 {
			s := w.seats[seatKey{h.EventID, l.Seat}]
			w.touchSeat(s)
			s.HeldUntil = until
		}
	}
	return true
}
