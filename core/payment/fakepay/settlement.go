package fakepay

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/payment"
)

// contract of every merchant here.
var contract = payment.Contract{FeeBP: 140, Delay: 15 * time.Minute}

// settlementColumns of the CSV; amounts are minor units.
var settlementColumns = []string{"id", "kind", "payment", "reference", "amount", "fee", "currency", "at"}

// Defect plants an error into the settlement report, which is then not what happened.
type Defect struct {
	// Kind: see defects below.
	Kind string `json:"kind"`
	// Reference limits it to one payment's rows; "" is the first row it can be planted in.
	Reference string `json:"reference,omitempty"`
}

// The kinds of defect.
const (
	DefectMissing   = "missing"   // the row is not there
	DefectDuplicate = "duplicate" // the row is there twice
	DefectTwice     = "twice"     // the capture is there a second time, as another movement
	DefectUnknown   = "unknown"   // one more capture, of a payment nobody made
	DefectAmount    = "amount"    // one minor unit more
	DefectCurrency  = "currency"  // another currency
	DefectFee       = "fee"       // three minor units more
	DefectGarbled   = "garbled"   // a row that cannot be read
)

var defects = map[string]bool{DefectMissing: true, DefectDuplicate: true, DefectTwice: true, DefectUnknown: true,
	DefectAmount: true, DefectCurrency: true, DefectFee: true, DefectGarbled: true}

// moves are the movements that a change of a payment means.
func moves(before, after *Payment) (list []payment.Movement) {
	if before == nil {
		before = &Payment{}
	}
	add := func(kind payment.MovementKind, amount, cumulative int64) {
		m := payment.Movement{ID: fmt.Sprintf("mov_%s_%s_%d", after.ID, kind, cumulative), Kind: kind, PaymentRef: after.ID,
			Reference: after.Reference, Amount: amount, Currency: after.Currency, At: after.Updated}
		if kind == payment.MoveCapture {
			if fee, err := contract.Fee(money.Of(amount, money.Currency(after.Currency))); err == nil {
				m.Fee = fee.Minor
			}
		}
		list = append(list, m)
	}
	if n := after.Captured - before.Captured; n > 0 {
		add(payment.MoveCapture, n, after.Captured)
	}
	if n := after.Refunded - before.Refunded; n > 0 {
		add(payment.MoveRefund, n, after.Refunded)
	}
	open := after.Captured - after.Refunded
	switch {
	case before.Dispute == after.Dispute:
	case after.Dispute == "open":
		add(payment.MoveDispute, open, open)
	case after.Dispute == "won":
		add(payment.MoveDisputeWon, open, open)
	}
	return list
}

// settlements answers GET /v1/settlements?from=&until=: what moved, oldest first, with
// the planted defects.
func (s *Server) settlements(w http.ResponseWriter, r *http.Request) {
	var bounds [2]time.Time
	for i, name := range []string{"from", "until"} {
		t, err := time.Parse(time.RFC3339, r.URL.Query().Get(name))
		if err != nil {
			s.refuse(w, http.StatusUnprocessableEntity, "invalid_time", name+": want a time such as 2027-03-01T00:00:00Z", nil)
			return
		}
		bounds[i] = t
	}
	if s.broken(w, r, s.controls.strike("settlement", "")) {
		return
	}
	w.Header().Set("Content-Type", "text/csv")
	out := csv.NewWriter(w)
	_ = out.Write(settlementColumns)
	plant := s.controls.defects()
	rows := 0
	for _, m := range s.memory.settled() {
		if m.At.Before(bounds[0]) || !m.At.Before(bounds[1]) {
			continue
		}
		for _, line := range plant.into(m) {
			rows++
			_ = out.Write(line)
		}
	}
	_ = out.Write([]string{"end", strconv.Itoa(rows), "", "", "", "", "", ""}) // without it the report was cut
	out.Flush()
}

func settlementLine(m payment.Movement) []string {
	return []string{m.ID, string(m.Kind), m.PaymentRef, m.Reference, strconv.FormatInt(m.Amount, 10), strconv.FormatInt(m.Fee, 10),
		m.Currency, m.At.UTC().Format(time.RFC3339Nano)}
}

// planting is the defects that are still to be planted in one report.
type planting []Defect

// into gives the lines that stand for a movement: usually its own.
func (p *planting) into(m payment.Movement) [][]string {
	for i, d := range *p {
		if d.Reference != "" && d.Reference != m.Reference || m.Kind != payment.MoveCapture {
			continue
		}
		*p = append(append(planting{}, (*p)[:i]...), (*p)[i+1:]...)
		right := settlementLine(m)
		switch d.Kind {
		case DefectMissing:
			return nil
		case DefectDuplicate:
			return [][]string{right, right}
		case DefectTwice:
			m.ID += "_again"
			m.Fee = 0
		case DefectUnknown:
			m.ID, m.PaymentRef, m.Reference = "mov_unknown", "pay_unknown", "somebody-else"
		case DefectAmount:
			m.Amount++
			return [][]string{settlementLine(m)}
		case DefectCurrency:
			m.Currency = map[bool]string{true: "USD", false: "EUR"}[m.Currency == "EUR"]
			return [][]string{settlementLine(m)}
		case DefectFee:
			m.Fee += 3
			return [][]string{settlementLine(m)}
		case DefectGarbled:
			return [][]string{right, {"mov_garbled", "capture", "", "", "a lot", "", "", ""}}
		}
		return [][]string{right, settlementLine(m)}
	}
	return [][]string{settlementLine(m)}
}

// payOut answers POST /control/payouts: money goes to the merchant's bank.
func (s *Server) payOut(w http.ResponseWriter, r *http.Request) {
	var b struct {
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
	}
	if err := decode(w, r, &b); err != nil {
		s.refuse(w, http.StatusBadRequest, "invalid_json", err.Error(), nil)
		return
	}
	if b.Amount <= 0 || !currencyCode.MatchString(b.Currency) {
		s.refuse(w, http.StatusUnprocessableEntity, "invalid_payout", "amount above zero and currency", nil)
		return
	}
	m := payment.Movement{ID: "po_" + randomID(), Kind: payment.MovePayout, Amount: b.Amount, Currency: b.Currency, At: time.Now().UTC()}
	s.memory.mu.Lock()
	err := s.memory.put(record{Payout: &m})
	s.memory.mu.Unlock()
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, "internal", err.Error(), nil)
		return
	}
	writeJSON(w, http.StatusCreated, []byte(`{"id":"`+m.ID+`"}`))
}
