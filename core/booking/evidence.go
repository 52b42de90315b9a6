package booking

import (
	"errors"

	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/refund"
)

// learn takes in what the provider says about an attempt, whichever way it came:
// as the answer to our call, as a webhook, as the answer to a question. A report
// says all the provider knows, so repeating one or bringing two in the wrong order
// changes nothing.
func (d *dossier) learn(a *attemptRow, r payment.Report) error {
	before := a.Facts
	a.Facts = before.Merge(r.Facts, a.Amount)
	if a.PaymentRef == "" && r.PaymentRef != "" {
		a.PaymentRef, a.changed = r.PaymentRef, true
	}
	known := a.Facts.Money() || a.Facts.Declined
	if known && a.Phase != payment.Answered {
		a.Phase, a.WatchUntil, a.changed = payment.Answered, nil, true
	}
	if a.Facts == before {
		return nil
	}
	a.changed = true
	switch {
	case !a.Facts.Money():
		return d.declined(a, r.Reason)
	case a.Want == payment.Undecided:
		return d.firstMoney(a, r)
	default:
		return d.later(a, before)
	}
}

// declined ends the waiting of the current attempt. Money that comes for it later
// is first money all the same.
func (d *dossier) declined(a *attemptRow, reason string) error {
	a.Reason = reason
	if d.order.Current != a.ID {
		return nil
	}
	if ok, err := d.happen(order.AttemptEnded, a, false); !ok || err != nil {
		return err
	}
	d.order.Reason = "declined"
	return d.endIfHoldIsOver()
}

// ended is the same for an attempt that never was or never will be.
func (d *dossier) ended(a *attemptRow, reason string) error {
	a.Phase, a.Reason, a.changed = payment.Abandoned, reason, true
	d.note("abandoned:"+reason, a)
	if d.order.Current != a.ID {
		return nil
	}
	if ok, err := d.happen(order.AttemptEnded, a, false); !ok || err != nil {
		return err
	}
	return d.endIfHoldIsOver()
}

// endIfHoldIsOver: an order that may be paid anew needs a hold to pay for.
func (d *dossier) endIfHoldIsOver() error {
	if d.order.State != order.Pending || d.places.Alive() {
		return nil
	}
	_, err := d.happen(order.HoldEnded, nil, false)
	return err
}

// firstMoney runs the late-success table, once per attempt.
func (d *dossier) firstMoney(a *attemptRow, r payment.Report) error {
	free, within := d.places.Retakable()
	shape := payment.MoneyOf(a.Facts)
	v := payment.Decide(payment.Scene{
		PaidByOther:  d.kept() != nil,
		Mismatch:     a.Facts.Authorized != a.Amount || (r.Currency != "" && r.Currency != a.Currency),
		OrderOver:    d.order.State.Over(),
		EventOff:     d.ev.State == "cancelled",
		SaleClosed:   d.ev.State != "on_sale",
		HoldAlive:    d.places.Alive(),
		HoldTimedOut: d.places.TimedOut(),
		PlacesFree:   free,
		WithinLimit:  within,
		Retake:       d.ev.LatePolicy == "retake",
	}, shape)
	a.Want, a.Reason = v.Want, string(v.Cell)
	d.note("late_success:"+string(v.Cell), a)
	if v.Break != "" {
		d.note("break:"+v.Break, a)
	}
	if v.Want == payment.Keep {
		ev := order.KeepAuthorized
		if shape == payment.MoneyCaptured {
			ev = order.KeepCaptured
		}
		if _, err := d.happen(ev, a, v.Retake); err != nil {
			return err
		}
		d.note(noteConfirmed, a)
		if err := d.disputed(a, payment.Facts{}); err != nil {
			return err
		}
		return d.postReturned(a, 0)
	}
	d.postLateMoney(a, 0)
	if err := d.disputed(a, payment.Facts{}); err != nil {
		return err
	}
	if d.order.Current == a.ID {
		if _, err := d.happen(givenBack(v.Cell, shape), a, false); err != nil {
			return err
		}
		if err := d.endIfHoldIsOver(); err != nil {
			return err
		}
	}
	if err := d.postReturned(a, 0); err != nil {
		return err
	}
	return d.lateReturned()
}

// givenBack is what it means to the order that its current attempt is given back.
func givenBack(c payment.Cell, m payment.Money) order.Event {
	switch {
	case c == payment.CellReturned && m == payment.MoneyVoided:
		return order.AlreadyVoided
	case c == payment.CellReturned:
		return order.AlreadyReturn
	case c == payment.CellEventOff, c == payment.CellClosed:
		return order.GiveBackOff
	case c == payment.CellMismatch:
		return order.AttemptEnded // the buyer may pay the right amount while the hold lives
	case c == payment.CellHoldEnded:
		return order.GiveBackGone
	}
	return "" // paid by another attempt, or over already: no cell
}

// later posts what a further fact of a decided attempt changes. It decides
// nothing: that was done at the first money.
func (d *dossier) later(a *attemptRow, before payment.Facts) error {
	if a.Want == payment.Keep && a.Facts.Voided && a.Facts.Captured == 0 {
		return d.captureRefused(a)
	}
	if a.Facts.Captured > before.Captured {
		if a.Want == payment.Keep {
			if _, err := d.happen(order.Capture, a, false); err != nil {
				return err
			}
		} else {
			d.postLateMoney(a, before.Captured)
		}
	}
	if err := d.disputed(a, before); err != nil {
		return err
	}
	if a.Facts.Refunded > before.Refunded {
		if err := d.postReturned(a, before.Refunded); err != nil {
			return err
		}
	}
	return d.lateReturned()
}

// captureRefused: the provider will not give us the money it promised. The order
// is undone and the attempt voided, never left authorized on the buyer's card.
func (d *dossier) captureRefused(a *attemptRow) error {
	if _, err := d.happen(order.CaptureRefused, a, false); err != nil {
		return err
	}
	a.Want, a.Reason, a.changed = a.Want.Then(payment.GiveBack), "capture_failed", true
	d.note("capture_refused", a)
	return nil
}

// lateReturned closes an expired order once nothing of its late money is left.
func (d *dossier) lateReturned() error {
	if d.order.State != order.Expired {
		return nil
	}
	some := false
	for _, a := range d.attempts {
		if a.Facts.Captured > 0 {
			some = true
			if !a.Facts.Returned() {
				return nil
			}
		}
	}
	if !some {
		return nil
	}
	_, err := d.happen(order.LateReturned, nil, false)
	return err
}

// cancel is the buyer's or staff's: whatever the order holds goes back.
func (d *dossier) cancel(reason string) (bool, error) {
	switch d.order.State {
	case order.Captured, order.PartlyRefunded:
		q, err := refund.Tier{}.Quote(money.Currency(d.order.Currency), d.places.Sold())
		if errors.Is(err, refund.ErrNothing) {
			return false, nil
		}
		if err == nil {
			_, err = d.refundLines(q, grant{reason: reason})
		}
		return err == nil, err
	}
	ok, err := d.happen(order.Cancel, d.kept(), false)
	if ok {
		d.order.Reason = reason
	}
	return ok, err
}
