package fakepay

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/payment"
)

func read(text string) (list []payment.Movement, err error) {
	err = readSettlement(strings.NewReader(text), func(m payment.Movement) bool { list = append(list, m); return true })
	return list, err
}

const head = "id,kind,payment,reference,amount,fee,currency,at\n"

// A report without its end, or with another number of rows than it says, is none: what
// is missing from it would be taken for missing at the provider.
func TestACutReportIsRefused(t *testing.T) {
	row := "m1,capture,pay_1,1-x,100,1,EUR,2027-03-01T00:00:00Z\n"
	if list, err := read(head + row + "end,1,,,,,,\n"); err != nil || len(list) != 1 || list[0].Amount != 100 || list[0].Fee != 1 {
		t.Errorf("whole: %+v %v", list, err)
	}
	for name, text := range map[string]string{"no end": head + row, "fewer": head + row + "end,2,,,,,,\n", "nothing": "", "other columns": "a,b\n"} {
		if _, err := read(text); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	list, err := read(head + "m1,capture,,,x,1,EUR,2027-03-01T00:00:00Z\nshort,row\n" + row + "end,3,,,,,,\n")
	if err != nil || len(list) != 3 || list[0].Unreadable == "" || list[1].Unreadable == "" || list[2].Amount != 100 {
		t.Errorf("with rows that cannot be read: %+v %v", list, err)
	}
}

func TestMovementsOfAPayment(t *testing.T) {
	at := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	p := func(change func(*Payment)) *Payment {
		x := &Payment{ID: "pay_1", Reference: "1-x", Amount: 5000, Currency: "EUR", Authorized: 5000, Updated: at}
		change(x)
		return x
	}
	steps := []*Payment{p(func(*Payment) {}), p(func(x *Payment) { x.Captured = 5000 }), p(func(x *Payment) { x.Captured, x.Refunded = 5000, 1000 }),
		p(func(x *Payment) { x.Captured, x.Refunded, x.Dispute = 5000, 1000, "open" }), p(func(x *Payment) { x.Captured, x.Refunded, x.Dispute = 5000, 1000, "won" })}
	var before *Payment
	var got []string
	for _, s := range steps {
		for _, m := range moves(before, s) {
			got = append(got, fmt.Sprintf("%s %d fee %d", m.Kind, m.Amount, m.Fee))
		}
		before = s
	}
	if want := "[capture 5000 fee 70 refund 1000 fee 0 dispute 4000 fee 0 dispute_won 4000 fee 0]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// Each defect changes the report and nothing else.
func TestDefects(t *testing.T) {
	m := payment.Movement{ID: "m", Kind: payment.MoveCapture, PaymentRef: "pay", Reference: "1-x", Amount: 100, Fee: 1, Currency: "EUR"}
	for kind, want := range map[string]string{
		DefectMissing: "", DefectDuplicate: "m 100 1 EUR, m 100 1 EUR", DefectTwice: "m 100 1 EUR, m_again 100 0 EUR",
		DefectUnknown: "m 100 1 EUR, mov_unknown 100 1 EUR", DefectAmount: "m 101 1 EUR", DefectCurrency: "m 100 1 USD", DefectFee: "m 100 4 EUR",
		DefectGarbled: "m 100 1 EUR, mov_garbled a lot  ",
	} {
		p := planting{{Kind: kind, Reference: "1-x"}}
		var got []string
		for _, l := range p.into(m) {
			got = append(got, strings.Join([]string{l[0], l[4], l[5], l[6]}, " "))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", kind, strings.Join(got, ", "), want)
		}
		if again := p.into(m); len(again) != 1 {
			t.Errorf("%s was planted twice", kind)
		}
	}
	if len(defects) != 8 {
		t.Error("a defect without a test")
	}
	if err := new(controls).replace(Control{Settlement: []Defect{{Kind: "odd"}}}); err == nil || errors.Is(err, errEnough) {
		t.Errorf("an unknown defect: %v", err)
	}
}
