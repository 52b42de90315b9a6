package booking

import (
	"fmt"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
)

var exploreCaps = payment.Capabilities{TwoStep: true, Keys: true, Lookup: true, Partial: true}

// moves are all things that may happen in a state.
func (m *orderModel) moves(oneStep bool) []move {
	out := m.worldMoves()
	for i, a := range m.d.attempts {
		out = append(out, m.ourMoves(i, a)...)
		out = append(out, m.bankMoves(i, a, oneStep)...)
	}
	return out
}

// worldMoves: buyer, staff and time.
func (m *orderModel) worldMoves() (out []move) {
	if len(m.d.attempts) < exploreAttempts && m.d.mayPay(1, PayRequest{}) == nil {
		out = append(out, move{"pay", false, func(m *orderModel) error {
			a := &attemptRow{ID: uuid.UUID{9, byte(len(m.d.attempts))}, Provider: "p", Phase: payment.Created, Want: payment.Undecided,
				Amount: exploreAmount, Currency: "EUR"}
			m.d.attempts, m.d.order.Current = append(m.d.attempts, a), a.ID
			m.d.order.Attempts++
			_, err := m.d.happen(order.Pay, a, false)
			return err
		}})
	}
	out = append(out, move{"cancel", false, func(m *orderModel) error { _, err := m.d.cancel("buyer"); return err }})
	if m.stock.state == hold.Active {
		out = append(out, move{"hold ends", false, func(m *orderModel) error { m.stock.state = hold.Expired; return m.d.endIfHoldIsOver() }})
		out = append(out, move{"released", false, func(m *orderModel) error {
			m.stock.state = hold.Released
			if !m.d.order.State.Waiting() {
				return nil
			}
			_, err := m.d.happen(order.Cancel, nil, false)
			return err
		}})
	}
	if m.stock.state == hold.Expired && !m.stock.taken {
		out = append(out, move{"taken by another", false, func(m *orderModel) error { m.stock.taken = true; return nil }})
	}
	if m.ev.State == "on_sale" {
		out = append(out, move{"sale closed", false, func(m *orderModel) error { m.ev.State = "closed"; return nil }})
	}
	return out
}

// ourMoves: what the loops do next, with the answer heard or lost.
func (m *orderModel) ourMoves(i int, a *attemptRow) (out []move) {
	prepare := func(m *orderModel) (payment.Action, error) {
		return m.d.prepare(m.d.attempts[i], call{}, exploreCaps)
	}
	owed := m.d.owed(a)
	switch do := payment.NextAction(a.Phase, a.Facts, a.Want, owed); do {
	case payment.DoSend:
		may := m.stock.state == hold.Active && m.ev.State == "on_sale" && m.d.order.State == order.Verifying && m.d.order.Current == a.ID
		out = append(out, move{fmt.Sprintf("send %d", i), true, func(m *orderModel) error {
			do, err := prepare(m)
			if sent := do == payment.DoSend; err == nil && sent != may {
				return fmt.Errorf("sent: %v, though it may: %v", sent, may)
			}
			return err
		}})
	case payment.DoAsk:
		out = append(out, move{fmt.Sprintf("unknown %d", i), a.Phase == payment.Sent, func(m *orderModel) error { _, err := prepare(m); return err }})
		if m.truth[i] != (payment.Facts{}) {
			out = append(out, m.hear(i, "asked", m.truth[i], true))
		} else {
			out = append(out, move{fmt.Sprintf("abandoned %d", i), true, func(m *orderModel) error {
				return m.d.ended(m.d.attempts[i], "not_found")
			}})
		}
	case payment.DoCapture, payment.DoVoid, payment.DoRefund:
		after, refused := bank(m.truth[i], do, owed)
		x := call{do: do, caps: exploreCaps}
		out = append(out, move{fmt.Sprintf("%s %d", do, i), true, func(m *orderModel) error {
			m.truth[i] = after
			r := payment.Report{Facts: after, Currency: "EUR"}
			var err error
			if refused {
				err = &payment.Refused{Code: "no", Report: &r}
			}
			return m.d.record(m.d.attempts[i], x, r, err)
		}})
		out = append(out, move{fmt.Sprintf("%s %d, answer lost", do, i), false, func(m *orderModel) error { m.truth[i] = after; return nil }})
	}
	return out
}

// bank is what the provider does with a command.
func bank(f payment.Facts, do payment.Action, amount int64) (after payment.Facts, refused bool) {
	switch {
	case do == payment.DoCapture && !f.Voided && f.Captured == 0:
		f.Captured = f.Authorized
	case do == payment.DoVoid && f.Captured == 0 && !f.Voided:
		f.Voided = true
	case do == payment.DoRefund && f.Captured-f.Refunded >= amount:
		f.Refunded += amount
	default:
		return f, true
	}
	return f, false
}

// bankMoves: what the provider does by itself, and its messages, old and new.
func (m *orderModel) bankMoves(i int, a *attemptRow, oneStep bool) (out []move) {
	f := m.truth[i]
	becomes := func(name string, g payment.Facts) {
		out = append(out, move{fmt.Sprintf("%s %d", name, i), false, func(m *orderModel) error { m.truth[i] = g; return nil }})
	}
	switch {
	case a.SentAt == nil || a.Phase == payment.Abandoned && a.Reason == "never_sent":
		return nil
	case f == (payment.Facts{}):
		g := payment.Facts{Authorized: exploreAmount}
		if oneStep {
			g.Captured = exploreAmount
		}
		becomes("bank says yes", g)
		becomes("bank says no", payment.Facts{Declined: true})
		return out
	case f == payment.Facts{Declined: true}:
		// The same object succeeds after all; real providers do this.
		g := payment.Facts{Declined: true, Authorized: exploreAmount}
		if oneStep {
			g.Captured = exploreAmount
		}
		becomes("bank says yes after no", g)
	}
	if f.Captured > 0 && f.Refunded == 0 {
		g := f
		g.Refunded = f.Captured
		becomes("refunded elsewhere", g)
	}
	if f.Authorized > 0 && f.Captured == 0 && !f.Voided {
		g := f
		g.Voided = true
		becomes("voided elsewhere", g)
	}
	if f != a.Facts {
		out = append(out, m.hear(i, "told", f, true))
	}
	if f.Money() && !a.Facts.Money() { // the first notice, overtaken by what came after it
		out = append(out, m.hear(i, "told late", payment.Facts{Authorized: exploreAmount}, false))
	}
	return out
}

func (m *orderModel) hear(i int, name string, f payment.Facts, restless bool) move {
	return move{fmt.Sprintf("%s %d", name, i), restless, func(m *orderModel) error {
		return m.d.learn(m.d.attempts[i], payment.Report{Facts: f, Currency: "EUR"})
	}}
}
