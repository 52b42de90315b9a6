package hold

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
