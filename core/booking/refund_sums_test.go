package booking

import (
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/refund"
)

// linesStock is a sold hold of several lines.
type linesStock struct {
	noPlaces
	parts []refund.Part
}

func (s *linesStock) Sold() []refund.Part { return s.parts }
func (s *linesStock) Unsell(lines ...int16) error {
	var left []refund.Part
	for _, p := range s.parts {
		gone := len(lines) == 0
		for _, n := range lines {
			gone = gone || n == p.Line
		}
		if !gone {
			left = append(left, p)
		}
	}
	s.parts = left
	return nil
}

// B42: whatever is given back of an order, in whatever steps and with whatever fees, the
// organiser's and the platform's parts are at every moment those of what is still sold,
// to the cent in sum, and end at exactly zero; what buyers are owed and what was kept is
// the price of what is gone.
func TestRefundsInAnyStepsSumUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []refund.Part
		var amount int64
		for i := range rapid.IntRange(1, 6).Draw(t, "lines") {
			p := refund.Part{Line: int16(i + 1), Places: rapid.IntRange(1, 4).Draw(t, "places"), Price: rapid.Int64Range(1, 9999).Draw(t, "price")}
			parts, amount = append(parts, p), amount+p.Value()
		}
		fee := rapid.Int64Range(0, amount).Draw(t, "fee")
		stock := &linesStock{parts: parts}
		a := &attemptRow{ID: uuid.UUID{9}, Provider: "p", Phase: payment.Answered, Want: payment.Keep, Amount: amount, Currency: "KWD",
			Facts: payment.Facts{Authorized: amount, Captured: amount}}
		d := &dossier{ev: &hold.Event{ID: 1, State: "on_sale", Organiser: "o", Currency: "KWD"}, places: stock, attempts: []*attemptRow{a},
			order: orderRow{ID: uuid.UUID{1}, State: order.Captured, Amount: amount, Currency: "KWD", Fee: fee, Current: a.ID, Attempts: 1}}
		books := map[string]int64{}
		d.postConfirm("p")
		post := func() {
			for _, j := range d.journals {
				var sum int64
				for _, p := range j.Postings {
					books[p.Account.Kind()] += p.Amount.Minor
					sum += p.Amount.Minor
				}
				if sum != 0 {
					t.Fatalf("journal %s is off by %d", j.Kind, sum)
				}
			}
			d.journals = nil
		}
		post()
		for len(stock.parts) > 0 {
			n := rapid.IntRange(1, len(stock.parts)).Draw(t, "so many lines")
			chosen := rapid.Permutation(stock.parts).Draw(t, "which")[:n]
			var value int64
			for _, p := range chosen {
				value += p.Value()
			}
			q, err := refund.Exactly(rapid.Int64Range(1, value).Draw(t, "back"), chosen)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.refundLines(q, grant{reason: "test"}); err != nil {
				t.Fatal(err)
			}
			post()
			var sold int64
			for _, p := range stock.parts {
				sold += p.Value()
			}
			if got := -books["payable"] - books["revenue"]; got != sold {
				t.Fatalf("payable and revenue are %d, sold is %d", got, sold)
			}
			if books["payable"] > 0 || books["revenue"] > 0 {
				t.Fatalf("somebody owes for what was given back: %v", books)
			}
			if got := -books["refunds_due"] - books["fees_kept"]; got != amount-sold {
				t.Fatalf("due and kept are %d, gone is %d", got, amount-sold)
			}
		}
		if books["payable"] != 0 || books["revenue"] != 0 {
			t.Fatalf("after all was given back: %v", books)
		}
		if left := a.Facts.Captured - d.reservedOf(a); left < 0 || left != d.keptFees(a) {
			t.Fatalf("%d is left, %d was kept", left, d.keptFees(a))
		}
	})
}
