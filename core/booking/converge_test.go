package booking

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
)

// TestMessagesConverge (B24, P4): the same messages in every order, each once or
// twice, with nothing else between them, end in one state with one set of books.
func TestMessagesConverge(t *testing.T) {
	auth := payment.Facts{Authorized: exploreAmount}
	capt := payment.Facts{Authorized: exploreAmount, Captured: exploreAmount}
	part, all := capt, capt
	part.Refunded, all.Refunded = 300, exploreAmount
	open, won, lost := capt, capt, capt
	open.Dispute, won.Dispute, lost.Dispute = payment.DisputeOpen, payment.DisputeWon, payment.DisputeLost
	void := auth
	void.Voided = true
	declined := payment.Facts{Declined: true}
	for name, messages := range map[string][]payment.Facts{
		"captured":              {auth, capt},
		"declined, then paid":   {declined, auth, capt},
		"refunded in parts":     {auth, capt, part, all},
		"voided":                {auth, void},
		"dispute won":           {auth, capt, open, won},
		"dispute lost":          {capt, open, lost},
		"declined and refunded": {declined, capt, all},
	} {
		for _, end := range []hold.State{hold.Active, hold.Expired} {
			var want, first string
			for _, sequence := range permutations(messages) {
				for _, twice := range []bool{false, true} {
					m := paidModel(end)
					for _, f := range sequence {
						for range map[bool]int{false: 1, true: 2}[twice] {
							if err := m.d.learn(m.d.attempts[0], payment.Report{Facts: f, Currency: "EUR"}); err != nil {
								t.Fatalf("%s: %v: %v", name, sequence, err)
							}
							if err := m.commit(); err != nil {
								t.Fatalf("%s: %v: %v", name, sequence, err)
							}
						}
					}
					a := m.d.attempts[0]
					got := fmt.Sprintf("%s %+v disputed %v", payment.StateOf(a.Phase, a.Facts, a.Want), a.Facts, m.d.order.Disputed)
					for i, account := range accountKinds[:4] {
						got += fmt.Sprintf(" %s %d", account, m.books[i])
					}
					if end == hold.Active {
						// Over an ended hold the word differs by what was heard first: expired_refunded
						// or refunded. Money and places do not.
						got += " order " + string(m.d.order.State)
					}
					if want == "" {
						want, first = got, fmt.Sprint(sequence)
					}
					if got != want {
						t.Errorf("%s, hold %s: two ends\n%s: %s\n%v: %s", name, end, first, want, sequence, got)
					}
				}
			}
		}
	}
}

// paidModel is an order whose only attempt has been sent.
func paidModel(end hold.State) *orderModel {
	w := newWorld(payment.Capabilities{TwoStep: true, Keys: true}, "refund", 1, 1, 1)
	m := w.place(1, 0)
	m.stock.over = end == hold.Expired
	a := &attemptRow{ID: uuid.UUID{9}, Provider: "p", Phase: payment.Sent, Want: payment.Undecided, Amount: exploreAmount, Currency: "EUR"}
	m.d.attempts, m.bank = []*attemptRow{a}, make([]object, 1)
	m.d.order.State, m.d.order.Current, m.d.order.Attempts = order.Verifying, a.ID, 1
	return m
}

func permutations[T any](in []T) [][]T {
	if len(in) <= 1 {
		return [][]T{in}
	}
	var out [][]T
	for i := range in {
		rest := append(append([]T{}, in[:i]...), in[i+1:]...)
		for _, p := range permutations(rest) {
			out = append(out, append([]T{in[i]}, p...))
		}
	}
	return out
}
