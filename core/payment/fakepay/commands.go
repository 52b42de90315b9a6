package fakepay

import (
	"encoding/json"
	"net/http"
)

type amountBody struct {
	Amount int64 `json:"amount"`
}

// amountOf reads {amount}; an empty body or no amount means all that is left.
func amountOf(body []byte, left int64) (int64, error) {
	if len(body) == 0 {
		return left, nil
	}
	var b amountBody
	if err := json.Unmarshal(body, &b); err != nil {
		return 0, err
	}
	if b.Amount == 0 {
		return left, nil
	}
	return b.Amount, nil
}

func (s *Server) capture(q request, put func(*Payment) error) outcome {
	p := s.memory.copyOf(q.id)
	if p == nil {
		return refused(http.StatusNotFound, "not_found", "there is no such payment", nil)
	}
	amount, err := amountOf(q.body, p.Authorized)
	switch {
	case err != nil:
		return refused(http.StatusBadRequest, "invalid_json", err.Error(), p)
	case p.Declined:
		return refused(http.StatusConflict, "declined", "the payment was declined", p)
	case p.Voided:
		return refused(http.StatusConflict, "voided", "the payment was voided", p)
	case p.Captured > 0:
		return refused(http.StatusConflict, "already_captured", "the payment is captured already", p)
	case amount <= 0 || amount > p.Authorized:
		return refused(http.StatusUnprocessableEntity, "invalid_amount", "amount: more than was authorized", p)
	}
	p.Captured = amount
	return store(p, put, "payment.captured")
}

func (s *Server) void(q request, put func(*Payment) error) outcome {
	p := s.memory.copyOf(q.id)
	switch {
	case p == nil:
		return refused(http.StatusNotFound, "not_found", "there is no such payment", nil)
	case p.Declined:
		return refused(http.StatusConflict, "declined", "the payment was declined", p)
	case p.Captured > 0:
		return refused(http.StatusConflict, "already_captured", "a captured payment can only be refunded", p)
	case p.Voided:
		return refused(http.StatusConflict, "already_voided", "the payment is voided already", p)
	}
	p.Voided = true
	return store(p, put, "payment.voided")
}

func (s *Server) refund(q request, put func(*Payment) error) outcome {
	p := s.memory.copyOf(q.id)
	if p == nil {
		return refused(http.StatusNotFound, "not_found", "there is no such payment", nil)
	}
	left := p.Captured - p.Refunded
	amount, err := amountOf(q.body, left)
	switch {
	case err != nil:
		return refused(http.StatusBadRequest, "invalid_json", err.Error(), p)
	case p.Captured == 0:
		return refused(http.StatusConflict, "not_captured", "nothing was captured", p)
	case p.Dispute == "open" || p.Dispute == "lost":
		return refused(http.StatusConflict, "disputed", "the payment is disputed", p)
	case left == 0:
		return refused(http.StatusConflict, "already_refunded", "everything is refunded already", p)
	case amount < 0 || amount > left:
		return refused(http.StatusUnprocessableEntity, "invalid_amount", "amount: more than is left", p)
	}
	p.Refunded += amount
	return store(p, put, "payment.refunded")
}

func store(p *Payment, put func(*Payment) error, typ string) outcome {
	if err := put(p); err != nil {
		return refused(http.StatusInternalServerError, "internal", err.Error(), nil)
	}
	return changed(http.StatusOK, *p, typ)
}

// elsewhere answers POST /control/payments/{id}/{what}: something happens to the
// payment that the merchant did not ask for, through the provider's dashboard or a bank.
func (s *Server) elsewhere(w http.ResponseWriter, r *http.Request) {
	ops := map[string]operation{
		"capture": s.capture, "void": s.void, "refund": s.refund,
		"dispute": s.dispute("open"), "dispute_won": s.dispute("won"), "dispute_lost": s.dispute("lost"),
	}
	do, ok := ops[r.PathValue("what")]
	if !ok {
		s.refuse(w, http.StatusNotFound, "not_found", "capture, void, refund, dispute, dispute_won or dispute_lost", nil)
		return
	}
	var body []byte
	if r.ContentLength > 0 {
		var b amountBody
		if err := decode(w, r, &b); err != nil {
			s.refuse(w, http.StatusBadRequest, "invalid_json", err.Error(), nil)
			return
		}
		body, _ = json.Marshal(b)
	}
	q := request{op: "elsewhere", id: r.PathValue("id"), path: r.URL.Path, key: "elsewhere_" + randomID(), body: body}
	out := s.execute(r.Context(), q, do)
	writeJSON(w, out.status, out.body)
}

func (s *Server) dispute(stage string) operation {
	return func(q request, put func(*Payment) error) outcome {
		p := s.memory.copyOf(q.id)
		switch {
		case p == nil:
			return refused(http.StatusNotFound, "not_found", "there is no such payment", nil)
		case p.Captured == 0:
			return refused(http.StatusConflict, "not_captured", "nothing was captured", p)
		case stage != "open" && p.Dispute != "open":
			return refused(http.StatusConflict, "not_disputed", "there is no open dispute", p)
		}
		p.Dispute = stage
		return store(p, put, "payment.dispute_"+stage)
	}
}
