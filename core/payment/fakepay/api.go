package fakepay

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"
)

// outcome is what an operation answers: bytes, since a key brings back bytes.
type outcome struct {
	status int
	body   []byte
	typ    string // of the notice to send; "" = nothing changed
	notice *Payment
}

func refused(status int, code, message string, p *Payment) outcome {
	return outcome{status: status, body: refusal(code, message, p)}
}

// changed answers with the payment and sends the notice typ.
func changed(status int, p Payment, typ string) outcome {
	b, _ := json.Marshal(p)
	return outcome{status: status, body: b, typ: typ, notice: &p}
}

// request is what an operation is asked.
type request struct {
	op    string // authorize, capture, void, refund, or elsewhere
	id    string // of the payment, from the path
	path  string
	key   string
	body  []byte
	fault Fault
}

// operation executes a request under the memory's lock. put makes a payment durable.
type operation func(q request, put func(*Payment) error) outcome

// api wraps an operation: key, latency, faults. The effect does not depend on the
// client still being there, as it would not at a real provider.
func (s *Server) api(op string, do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if s.controls.noKeys() {
			key = "nobody_asks_" + randomID()
		}
		if key == "" || len(key) > maxKey {
			s.refuse(w, http.StatusBadRequest, "idempotency_key", fmt.Sprintf("Idempotency-Key: 1 to %d characters", maxKey), nil)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			s.refuse(w, http.StatusRequestEntityTooLarge, "too_large", err.Error(), nil)
			return
		}
		if !s.controls.allow() {
			s.misanswer(w, r, Fault{Kind: Fault429}, 0, nil)
			return
		}
		f := s.controls.strike(op, s.referenceOf(r, body))
		s.pause(r.Context(), s.latency())
		switch f.Kind {
		case FaultDelay:
			s.pause(context.WithoutCancel(r.Context()), f.delay)
		case FaultTimeoutBefore, FaultReset, Fault500, Fault429:
			s.misanswer(w, r, f, 0, nil)
			return
		case FaultDecline:
			if op != "authorize" {
				s.refuse(w, http.StatusConflict, "refused", "refused by the fault setting", s.memory.get(r.PathValue("id")))
				return
			}
		case FaultBalance:
			s.refuse(w, http.StatusConflict, "insufficient_balance", "the merchant's balance is too low", s.memory.get(r.PathValue("id")))
			return
		}
		s.work.Add(1)
		out := s.execute(r.Context(), request{op, r.PathValue("id"), r.URL.Path, key, body, f}, do)
		s.work.Done()
		if cardToken(op, body) == TokenLost && f.Kind == "" {
			f.Kind = FaultDrop
		}
		switch f.Kind {
		case FaultTimeoutAfter, FaultDrop, FaultHalf, FaultEmpty, Fault500After:
			s.misanswer(w, r, f, out.status, out.body)
		default:
			writeJSON(w, out.status, out.body)
		}
	}
}

func (s *Server) execute(ctx context.Context, q request, do operation) outcome {
	sum := sha256.Sum256(append([]byte(q.path+"\n"), q.body...))
	hash := hex.EncodeToString(sum[:])
	m := s.memory
	m.mu.Lock()
	if a, ok := m.answers[q.key]; ok {
		m.mu.Unlock()
		if a.Hash != hash {
			return refused(http.StatusUnprocessableEntity, "idempotency_mismatch", "this key was used for another request", nil)
		}
		return outcome{status: a.Status, body: a.Body}
	}
	if m.busy[q.key] {
		m.mu.Unlock()
		return refused(http.StatusConflict, "idempotency_in_progress", "the first request with this key is still running", nil)
	}
	m.busy[q.key] = true
	m.mu.Unlock()

	if cardToken(q.op, q.body) == TokenSlow {
		s.pause(context.WithoutCancel(ctx), s.opts.SlowCard)
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.busy, q.key)
	out := do(q, func(p *Payment) error {
		p.Status, p.Updated = p.status(), time.Now().UTC()
		return m.put(record{Payment: p})
	})
	if out.status < 500 {
		if err := m.put(record{Key: q.key, Answer: &answer{Hash: hash, Status: out.status, Body: out.body}}); err != nil {
			return refused(http.StatusInternalServerError, "internal", err.Error(), nil)
		}
	}
	if out.notice != nil {
		s.hooks.enqueue(out.typ, *out.notice)
	}
	return out
}

type authorizeBody struct {
	Reference string `json:"reference"`
	Amount    int64  `json:"amount"`
	Currency  string `json:"currency"`
	CardToken string `json:"card_token"`
}

// cardToken is the token of an authorization, "" for anything else.
func cardToken(op string, body []byte) string {
	var b authorizeBody
	if op != "authorize" || json.Unmarshal(body, &b) != nil {
		return ""
	}
	return b.CardToken
}

func (s *Server) referenceOf(r *http.Request, body []byte) string {
	if p := s.memory.get(r.PathValue("id")); p != nil {
		return p.Reference
	}
	var b authorizeBody
	_ = json.Unmarshal(body, &b) // an unreadable body is refused by the operation
	return b.Reference
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

func (s *Server) authorize(q request, put func(*Payment) error) outcome {
	var b authorizeBody
	d := json.NewDecoder(bytes.NewReader(q.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return refused(http.StatusBadRequest, "invalid_json", err.Error(), nil)
	}
	decline, known := declineOf(b.CardToken)
	switch {
	case b.Reference == "" || len(b.Reference) > maxReference:
		return refused(http.StatusUnprocessableEntity, "invalid_reference", fmt.Sprintf("reference: 1 to %d characters", maxReference), nil)
	case b.Amount <= 0 || b.Amount > maxAmount:
		return refused(http.StatusUnprocessableEntity, "invalid_amount", "amount: a positive number of minor units", nil)
	case !currencyCode.MatchString(b.Currency):
		return refused(http.StatusUnprocessableEntity, "invalid_currency", "currency: three capital letters", nil)
	case !known:
		return refused(http.StatusUnprocessableEntity, "invalid_card_token", "card_token: not one of this server's tokens", nil)
	}
	if q.fault.Kind == FaultDecline {
		decline = "card_declined"
	}
	p := &Payment{
		ID: "pay_" + randomID(), Reference: b.Reference, Amount: b.Amount, Currency: b.Currency,
		Created: time.Now().UTC(), Declined: decline != "", DeclineCode: decline,
	}
	typ := "payment.declined"
	if decline == "" {
		p.Authorized, typ = b.Amount, "payment.authorized"
		if s.controls.oneStep() {
			p.Captured, typ = b.Amount, "payment.captured"
		}
	}
	if err := put(p); err != nil {
		return refused(http.StatusInternalServerError, "internal", err.Error(), nil)
	}
	if p.Declined {
		out := changed(http.StatusPaymentRequired, *p, typ)
		out.body = refusal(decline, "the card was declined", p)
		return out
	}
	return changed(http.StatusCreated, *p, typ)
}

func randomID() string {
	var b [12]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
