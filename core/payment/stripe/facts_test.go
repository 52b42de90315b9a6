package stripe

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"github.com/ropeline/ropeline/core/payment"
)

const eur = `"id":"pi_1","object":"payment_intent","currency":"eur","amount":4200,"metadata":{"ropeline_reference":"1-r"}`

// TestNotices reads what Stripe sends of each step of a payment.
func TestNotices(t *testing.T) {
	c := client(t, "")
	for name, tc := range map[string]struct {
		typ, object string
		want        payment.Facts
	}{
		"authorized": {"payment_intent.amount_capturable_updated", `{` + eur + `,"status":"requires_capture","amount_capturable":4200}`, payment.Facts{Authorized: 4200}},
		"captured":   {"payment_intent.succeeded", `{` + eur + `,"status":"succeeded","amount_received":4200}`, payment.Facts{Authorized: 4200, Captured: 4200}},
		"declined":   {"payment_intent.payment_failed", `{` + eur + `,"status":"requires_payment_method","last_payment_error":{"type":"card_error","code":"card_declined"}}`, payment.Facts{Declined: true}},
		"processing": {"payment_intent.processing", `{` + eur + `,"status":"processing"}`, payment.Facts{}},
		"voided":     {"payment_intent.canceled", `{` + eur + `,"status":"canceled","latest_charge":"ch_1"}`, payment.Facts{Authorized: 4200, Voided: true}},
		"abandoned":  {"payment_intent.canceled", `{` + eur + `,"status":"canceled"}`, payment.Facts{Declined: true}},
		"refunded": {"charge.refunded", `{"id":"ch_1","payment_intent":"pi_1","currency":"eur","amount":4200,"amount_captured":4200,"amount_refunded":700,"captured":true,"metadata":{"ropeline_reference":"1-r"}}`,
			payment.Facts{Authorized: 4200, Captured: 4200, Refunded: 700}},
		"let go": {"charge.refunded", `{"id":"ch_1","payment_intent":"pi_1","currency":"eur","amount":4200,"amount_refunded":4200,"captured":false,"status":"succeeded","refunded":true,"metadata":{"ropeline_reference":"1-r"}}`,
			payment.Facts{Authorized: 4200, Voided: true}},
	} {
		n, err := c.ReadNotice([]byte(`{"id":"evt_1","type":"` + tc.typ + `","data":{"object":` + tc.object + `}}`))
		if err != nil || n.ID != "evt_1" || n.Report.Facts != tc.want || n.Report.PaymentRef != "pi_1" || n.Report.Reference != "1-r" || n.Report.Currency != "EUR" {
			t.Errorf("%s: %+v %v", name, n, err)
		}
	}
	for status, want := range map[string]payment.Dispute{"needs_response": payment.DisputeOpen, "won": payment.DisputeWon, "lost": payment.DisputeLost, "warning_under_review": payment.NoDispute} {
		n, err := c.ReadNotice([]byte(`{"id":"evt_2","type":"charge.dispute.closed","data":{"object":{"id":"dp_1","payment_intent":"pi_1","status":"` + status + `","currency":"eur"}}}`))
		if err != nil || n.Report.Facts.Dispute != want || n.Report.PaymentRef != "pi_1" {
			t.Errorf("dispute %s: %+v %v", status, n, err)
		}
	}
	for _, bad := range []string{`{`, `{"id":"e","type":"customer.created"}`, `{"id":"e","type":"charge.refunded","data":{"object":{"captured":true,"payment_intent":"pi_1","amount":5,"amount_captured":5,"amount_refunded":9}}}`} {
		if n, err := c.ReadNotice([]byte(bad)); err == nil {
			t.Errorf("%s passed: %+v", bad, n)
		}
	}
}

// TestSignature (B29, AB21).
func TestSignature(t *testing.T) {
	c, now := client(t, ""), time.Unix(1_800_000_000, 0)
	body := []byte(`{"id":"evt_1","type":"payment_intent.processing","data":{"object":{` + eur + `,"status":"processing"}}}`)
	for offset, ok := range map[int]bool{0: true, -299: true, 299: true, -301: false, 301: false} {
		for _, secret := range []string{"whsec_new", "whsec_old"} {
			ts := strconv.FormatInt(now.Unix()+int64(offset), 10)
			h := http.Header{"Stripe-Signature": {"t=" + ts + ",v1=" + hex.EncodeToString(payment.StampedMAC(secret, ts, body))}}
			if _, err := c.ParseWebhook(h, body, now); (err == nil) != ok {
				t.Errorf("%d s, %s: %v", offset, secret, err)
			}
			if _, err := c.ParseWebhook(h, append([]byte(" "), body...), now); !errors.Is(err, payment.ErrSignature) {
				t.Errorf("a byte of white space: %v", err)
			}
		}
	}
}

// TestAnswers: a decline and a definite refusal are answers; everything else is "we do
// not know", above all a wrong key and a key that is in use.
func TestAnswers(t *testing.T) {
	var status int
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get("Idempotency-Key") == "" {
			t.Errorf("%s without Idempotency-Key", r.URL)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	defer s.Close()
	c := client(t, s.URL)
	for name, tc := range map[string]struct {
		status   int
		error    string
		declined bool
	}{
		"card":        {402, `"type":"card_error","code":"card_declined","decline_code":"stolen_card","payment_intent":{` + eur + `,"status":"requires_payment_method","last_payment_error":{"code":"card_declined"}}`, true},
		"bad token":   {400, `"type":"invalid_request_error","code":"resource_missing","param":"payment_method"`, true},
		"wrong key":   {401, `"type":"invalid_request_error"`, false},
		"forbidden":   {403, `"type":"invalid_request_error"`, false},
		"key in use":  {409, `"type":"idempotency_error"`, false},
		"other body":  {400, `"type":"idempotency_error"`, false},
		"too many":    {429, `"type":"invalid_request_error","code":"rate_limit"`, false},
		"their fault": {500, `"type":"api_error"`, false},
	} {
		status, body = tc.status, `{"error":{`+tc.error+`}}`
		r, err := c.Authorize(context.Background(), payment.Authorization{Reference: "1-r", Amount: 4200, Currency: "EUR", CardToken: "pm_x"})
		var no *payment.Refused
		if tc.declined != (err == nil && r.Facts.Declined && r.Reference == "1-r") || errors.As(err, &no) || !tc.declined && err == nil {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
	status, body = 200, ``
	if _, err := c.Capture(context.Background(), payment.Command{PaymentRef: "pi_1", Key: "k", Amount: 1}); err == nil {
		t.Error("an empty answer passed")
	}
	status, body = 404, `{"error":{"type":"invalid_request_error","code":"resource_missing","param":"intent"}}`
	if _, err := c.Capture(context.Background(), payment.Command{PaymentRef: "pi_1", Key: "k", Amount: 1}); !errors.Is(err, payment.ErrNotFound) {
		t.Errorf("not found: %v", err)
	}
	status, body = 200, `{"object":"search_result","data":[]}`
	if _, err := c.Lookup(context.Background(), "1-r"); !errors.Is(err, payment.ErrNotFound) {
		t.Errorf("searched in vain: %v", err)
	}
}

// TestMovements reads the rows of the balance.
func TestMovements(t *testing.T) {
	in := &sdk.PaymentIntent{ID: "pi_1"}
	charge := &sdk.Charge{Metadata: map[string]string{referenceKey: "1-r"}, PaymentIntent: in}
	for _, tc := range []struct {
		row  sdk.BalanceTransaction
		want payment.MovementKind
	}{
		{sdk.BalanceTransaction{Type: "charge", Amount: 4200, Fee: 90, Source: &sdk.BalanceTransactionSource{Charge: charge}}, payment.MoveCapture},
		{sdk.BalanceTransaction{Type: "refund", Amount: -700, Source: &sdk.BalanceTransactionSource{Refund: &sdk.Refund{Charge: charge, PaymentIntent: in}}}, payment.MoveRefund},
		{sdk.BalanceTransaction{Type: "adjustment", Amount: -4200, Source: &sdk.BalanceTransactionSource{Dispute: &sdk.Dispute{Charge: charge, PaymentIntent: in}}}, payment.MoveDispute},
		{sdk.BalanceTransaction{Type: "adjustment", Amount: 4200, Source: &sdk.BalanceTransactionSource{Dispute: &sdk.Dispute{Charge: charge, PaymentIntent: in}}}, payment.MoveDisputeWon},
		{sdk.BalanceTransaction{Type: "payout", Amount: -9000}, payment.MovePayout},
		{sdk.BalanceTransaction{Type: "stripe_fee", Amount: -10}, ""},
	} {
		m, ours := movement(&tc.row)
		if ours != (tc.want != "") || ours && (m.Kind != tc.want || m.Amount <= 0 || tc.want != payment.MovePayout && (m.PaymentRef != "pi_1" || m.Reference != "1-r")) {
			t.Errorf("%s %d: %+v %v", tc.row.Type, tc.row.Amount, m, ours)
		}
	}
}
