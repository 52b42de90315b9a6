package booking

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/core/refund"
)

// move is one thing that may happen. restless moves are ours to make, or messages that
// come some time: a state in which one would change something is not at rest.
type move struct {
	name     string
	of       int // the order; -1: of none
	restless bool
	do       func(w *world, m *orderModel) error
}

var errLost = errors.New("no answer")

// stranger is the account of those who have no order here.
const stranger = 99

// moves are all things that may happen in a state.
func (w *world) moves() []move {
	out := w.worldMoves()
	for i, m := range w.orders {
		add := func(name string, restless bool, do func(w *world, m *orderModel) error) {
			out = append(out, move{name, i, restless, do})
		}
		m.buyerMoves(w, add)
		for k, a := range m.d.attempts {
			m.ourMoves(w, k, a, add)
			m.bankMoves(w, k, a, add)
		}
		for k, r := range m.d.refunds {
			m.refundMoves(w, k, r, add)
		}
	}
	return out
}

type adder func(name string, restless bool, do func(w *world, m *orderModel) error)

// worldMoves: staff and strangers.
func (w *world) worldMoves() (out []move) {
	add := func(name string, do func(w *world, m *orderModel) error) {
		out = append(out, move{name, -1, false, do})
	}
	if w.ev.State == "on_sale" {
		add("sale closed", func(w *world, _ *orderModel) error { w.ev.State = "closed"; return nil })
	}
	if w.ev.State != "cancelled" {
		add("event cancelled", func(w *world, _ *orderModel) error { w.ev.State = "cancelled"; return nil })
	}
	if w.crowd || w.full {
		for _, x := range w.hall.holds {
			if x.account == stranger && !x.over {
				add("the other leaves", func(w *world, _ *orderModel) error { w.hall.holds[x.id].over = true; return nil })
			}
		}
	}
	if w.crowd {
		for s := range w.hall.seats {
			add("another place", func(w *world, _ *orderModel) error { w.hall.take(1, s); return nil })
		}
	}
	for s, seat := range w.hall.seats {
		if seat.state == 'h' && w.hall.free(s) && w.hall.holds[seat.holder].account != stranger {
			add("taken by another", func(w *world, _ *orderModel) error { w.hall.take(stranger, s); return nil })
			break
		}
	}
	return out
}

// buyerMoves: the buyer, time, and what follows of both by itself.
func (m *orderModel) buyerMoves(w *world, add adder) {
	if len(m.d.attempts) < w.tries && m.d.mayPay(m.d.order.AccountID, PayRequest{}) == nil {
		add("pay", false, func(_ *world, m *orderModel) error {
			n := byte(len(m.d.attempts))
			a := &attemptRow{ID: uuid.UUID{9, n + 1}, Provider: "p", Phase: payment.Created, Want: payment.Undecided,
				Amount: m.d.order.Amount, Currency: "EUR"}
			m.d.attempts, m.d.order.Current = append(m.d.attempts, a), a.ID
			m.d.order.Attempts++
			m.bank = append(m.bank, object{})
			_, err := m.d.happen(order.Pay, a, false)
			return err
		})
	}
	add("cancel", false, func(_ *world, m *orderModel) error { _, err := m.d.cancel(reasonBuyer); return err })
	if w.full && m.d.order.State.Sold() && m.stock.sold() > 1 {
		add("give one place back", false, func(_ *world, m *orderModel) error {
			q, err := m.d.quote(refund.Policy{}, []int16{m.d.places.Sold()[0].Line})
			if err == nil {
				_, err = m.d.refundLines(q, grant{reason: reasonBuyer})
			}
			if problem.As(err) != nil { // refused, with no effect
				return nil
			}
			return err
		})
	}
	if w.ev.State == "cancelled" {
		add("event job", true, func(_ *world, m *orderModel) error { _, err := m.d.cancel(reasonEvent); return err })
	}
	if m.stock.at() == hold.Active {
		add("hold ends", false, func(_ *world, m *orderModel) error { m.stock.over = true; return nil })
		add("released", false, func(_ *world, m *orderModel) error {
			if err := m.stock.giveBack(); err != nil || !m.d.order.State.Waiting() {
				return err
			}
			m.d.places = noPlaces{} // as the lane does, which has dealt with the places
			_, err := m.d.happen(order.Cancel, nil, false)
			m.d.places, m.d.order.Reason = m.stock, reasonReleased
			return err
		})
	}
	if m.d.order.State == order.Pending && !m.stock.Alive() {
		add("seen to be over", true, func(_ *world, m *orderModel) error { return m.d.endIfHoldIsOver() })
	}
}

// waits: somebody is at the till with places, and the event sells. Said without the
// code under test.
func (m *orderModel) waits(w *world, a *attemptRow) bool {
	return m.d.order.State == order.Verifying && m.d.order.Current == a.ID && a.Want == payment.Undecided && m.stock.Alive() && w.ev.State == "on_sale"
}

// prepare is a worker's turn; a request that leaves must be one for somebody.
func (m *orderModel) prepare(w *world, k int, was call) error {
	a := m.d.attempts[k]
	waits := m.waits(w, a)
	mayRepeat := waits || w.caps.TwoStep && a.Want == payment.Undecided
	do, err := m.d.prepare(a, was, w.caps)
	if err != nil || do != payment.DoSend {
		return err
	}
	m.bank[k].requests = min(m.bank[k].requests+1, 2)
	if !was.repeat && !waits || was.repeat && !mayRepeat {
		return fmt.Errorf("a request left for nobody (repeated: %v)", was.repeat)
	}
	return nil
}

// ourMoves: what the loops do next with an attempt, the answer heard or lost.
func (m *orderModel) ourMoves(w *world, k int, a *attemptRow, add adder) {
	named := func(name string) string { return name + " " + string('0'+rune(k)) }
	told := func(name string, do payment.Action, lost bool, effect func(o *object) (refused bool)) {
		add(named(name), !lost, func(w *world, m *orderModel) error {
			o := &m.bank[k]
			refused := effect != nil && effect(o)
			if lost {
				return m.d.record(m.d.attempts[k], call{do: do, caps: w.caps, a: *m.d.attempts[k]}, payment.Report{}, errLost)
			}
			o.lost = false
			r := payment.Report{Facts: o.truth, Currency: "EUR"}
			var err error
			if refused {
				err = &payment.Refused{Code: "no", Report: &r}
			}
			return m.d.record(m.d.attempts[k], call{do: do, caps: w.caps, a: *m.d.attempts[k]}, r, err)
		})
	}
	ask := func() {
		if m.bank[k].truth != (payment.Facts{}) {
			told("asked", payment.DoAsk, false, nil)
			return
		}
		add(named("not there"), true, func(w *world, m *orderModel) error { return m.prepare(w, k, call{repeat: true}) })
		told("asked in vain", payment.DoAsk, true, nil)
		if a.Phase == payment.Unknown {
			add(named("not there for long"), true, func(w *world, m *orderModel) error {
				m.d.attempts[k].Silence = payment.Silence{Times: payment.NotFoundTimes, For: payment.NotFoundAfter, Since: w.now}
				return m.prepare(w, k, call{repeat: true})
			})
		}
	}
	switch payment.NextAction(a.Phase, a.Facts, a.Want, 0) {
	case payment.DoSend:
		add(named("sender's turn"), true, func(w *world, m *orderModel) error { return m.prepare(w, k, call{}) })
	case payment.DoAsk:
		if a.Phase == payment.Sent {
			told("timed out", payment.DoSend, true, nil)
			add(named("sender died"), true, func(w *world, m *orderModel) error { return m.prepare(w, k, call{}) })
		}
		ask()
	case payment.DoCapture:
		told("capture", payment.DoCapture, false, (*object).capture)
		told("capture, answer lost", payment.DoCapture, true, (*object).capture)
		if m.bank[k].truth.Captured == 0 {
			told("capture refused", payment.DoCapture, false, func(*object) bool { return true })
		}
	case payment.DoVoid:
		told("void", payment.DoVoid, false, (*object).void)
		told("void, answer lost", payment.DoVoid, true, (*object).void)
	}
	if a.WatchUntil != nil {
		if m.bank[k].truth != (payment.Facts{}) {
			told("asked daily", payment.DoAsk, false, nil)
		}
		add(named("watched long enough"), false, func(w *world, m *orderModel) error {
			if m.bank[k].truth == (payment.Facts{}) { // no authorization lives that long
				m.d.now = m.d.attempts[k].WatchUntil.Add(time.Second)
				m.d.watch(m.d.attempts[k])
				m.bank[k].requests = 0
				m.d.now = w.now
			}
			return nil
		})
	}
}

func (o *object) capture() (refused bool) {
	if o.truth.Voided || o.truth.Captured > 0 || o.truth.Authorized == 0 {
		return true
	}
	o.truth.Captured = o.truth.Authorized
	return false
}

func (o *object) void() (refused bool) {
	if o.truth.Captured > 0 || o.truth.Voided {
		return true
	}
	o.truth.Voided = true
	return false
}

// refundMoves: a reserved refund is on its way, at a provider without keys with care.
func (m *orderModel) refundMoves(w *world, n int, r *refundRow, add adder) {
	a := m.d.attempt(r.Attempt)
	k := 0
	for m.d.attempts[k] != a {
		k++
	}
	if m.d.refundBefore(a, r) {
		return
	}
	if a.Facts.Dispute == payment.DisputeOpen && payment.NextAction(a.Phase, a.Facts, a.Want, m.d.stillToReturn(a, r)) == payment.DoRefund {
		add("refund", true, func(*world, *orderModel) error { return errors.New("a refund leaves while a dispute is open") })
	}
	if r.Done || payment.NextAction(a.Phase, a.Facts, a.Want, m.d.stillToReturn(a, r)) != payment.DoRefund {
		return
	}
	send := func(name string, effect, lost bool) {
		add(name+" "+string('0'+rune(k)), !lost, func(w *world, m *orderModel) error {
			a, r, o := m.d.attempts[k], m.d.refunds[n], &m.bank[k]
			if !w.caps.Keys {
				if m.d.carefully(a, r, false, longestModel) != payment.DoAsk {
					return errors.New("a refund without keys left before the provider was asked")
				}
				if err := m.d.learn(a, payment.Report{Facts: o.truth, Currency: "EUR"}); err != nil {
					return err
				}
				if payment.NextAction(a.Phase, a.Facts, a.Want, m.d.stillToReturn(a, r)) != payment.DoRefund ||
					m.d.carefully(a, r, true, longestModel) != payment.DoRefund {
					return nil
				}
				o.refunds++
			}
			if effect {
				o.truth.Refunded = min(o.truth.Captured, o.truth.Refunded+m.d.stillToReturn(a, r))
			}
			if lost {
				return nil
			}
			if o.refunds > 0 {
				o.refunds--
			}
			return m.d.learn(a, payment.Report{Facts: o.truth, Currency: "EUR"})
		})
	}
	if o := m.bank[k].truth; o.Dispute == payment.DisputeOpen || o.Dispute == payment.DisputeLost {
		return // the provider refuses
	}
	send("refund", true, false)
	send("refund, answer lost", true, true)
	send("refund, lost on the way", false, true)
	if m.bank[k].refunds > 0 {
		add("an hour later", true, func(w *world, m *orderModel) error {
			w.now = w.now.Add(2 * longestModel)
			for _, o := range w.orders {
				o.d.now = w.now
				for i := range o.bank {
					o.bank[i].refunds = 0
				}
			}
			return nil
		})
	}
}

// bankMoves: what the provider does by itself, and its messages, old and new.
func (m *orderModel) bankMoves(w *world, k int, a *attemptRow, add adder) {
	o := m.bank[k]
	f, amount := o.truth, a.Amount
	named := func(name string) string { return name + " " + string('0'+rune(k)) }
	becomes := func(name string, g payment.Facts, quietly bool) {
		add(named(name), false, func(_ *world, m *orderModel) error {
			m.bank[k].truth, m.bank[k].lost = g, quietly
			return nil
		})
	}
	yes := payment.Facts{Authorized: amount, Declined: f.Declined}
	if !w.caps.TwoStep {
		yes.Captured = amount
	}
	switch {
	case o.requests == 0:
		return
	case f == (payment.Facts{}):
		becomes("bank says yes", yes, false)
		if a.Phase == payment.Abandoned {
			becomes("bank says yes and tells nobody", yes, true)
		}
		becomes("bank says no", payment.Facts{Declined: true}, false)
		return
	case f == payment.Facts{Declined: true}:
		becomes("bank says yes after no", yes, false) // the same object; real providers do this
	}
	if w.full && f.Captured > 0 && f.Refunded == 0 && f.Dispute == payment.NoDispute {
		g := f
		g.Refunded = 300
		becomes("part refunded elsewhere", g, false)
	}
	if f.Captured > f.Refunded && f.Dispute == payment.NoDispute && (w.full || !m.troubled(k)) {
		g := f
		g.Refunded = f.Captured
		becomes("refunded elsewhere", g, false)
		g.Refunded, g.Dispute = f.Refunded, payment.DisputeOpen
		becomes("dispute", g, false)
	}
	if f.Dispute == payment.DisputeOpen {
		g := f
		g.Dispute = payment.DisputeWon
		becomes("dispute won", g, false)
		g.Dispute = payment.DisputeLost
		becomes("dispute lost", g, false)
	}
	if f.Authorized > 0 && f.Captured == 0 && !f.Voided {
		g := f
		g.Voided = true
		becomes("voided elsewhere", g, false)
	}
	if f != a.Facts && !o.lost {
		m.hear(k, "told", f, true, add)
	}
	if f.Money() && !o.lost { // the first notice, overtaken by what came after it
		m.hear(k, "told late", payment.Facts{Authorized: amount}, false, add)
	}
	if f.Refunded == amount && !o.lost {
		m.hear(k, "told of the refund alone", payment.Facts{Refunded: f.Refunded}, false, add)
	}
	if f == a.Facts && f.Money() {
		m.hear(k, "told again", f, false, add)
	}
}

// troubled: another attempt is disputed or was returned elsewhere. One at a time is what
// the exhaustive walk affords.
func (m *orderModel) troubled(k int) bool {
	for i, o := range m.bank {
		if i != k && (o.truth.Dispute != payment.NoDispute || o.truth.Refunded > 0) {
			return true
		}
	}
	return false
}

func (m *orderModel) hear(k int, name string, f payment.Facts, restless bool, add adder) {
	add(name+" "+string('0'+rune(k)), restless, func(_ *world, m *orderModel) error {
		return m.d.learn(m.d.attempts[k], payment.Report{Facts: f, Currency: "EUR"})
	})
}
