package stripe

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"github.com/ropeline/ropeline/core/payment"
)

// report turns a payment intent into facts.
//
//	requires_capture                      authorized
//	succeeded                             captured
//	canceled, after an authorization      voided
//	canceled before one, or an error      declined
//	processing, requires_action, ...      nothing is decided
func report(in *sdk.PaymentIntent) (payment.Report, error) {
	if in == nil || in.ID == "" {
		return payment.Report{}, errors.New("stripe: a payment without id")
	}
	r := payment.Report{Reference: in.Metadata[referenceKey], PaymentRef: in.ID, Currency: strings.ToUpper(string(in.Currency))}
	f := &r.Facts
	switch in.Status {
	case sdk.PaymentIntentStatusRequiresCapture:
		f.Authorized = in.AmountCapturable
	case sdk.PaymentIntentStatusSucceeded:
		f.Authorized, f.Captured = in.Amount, in.AmountReceived
	case sdk.PaymentIntentStatusCanceled:
		f.Voided = in.LatestCharge != nil && in.LatestCharge.ID != ""
		f.Declined = !f.Voided
		if f.Voided {
			f.Authorized = in.Amount
		}
	case sdk.PaymentIntentStatusRequiresPaymentMethod:
		f.Declined = in.LastPaymentError != nil
	}
	if e := in.LastPaymentError; e != nil {
		if r.Reason = string(e.DeclineCode); r.Reason == "" {
			r.Reason = string(e.Code)
		}
	}
	if c := in.LatestCharge; c != nil && c.Captured {
		chargeFacts(f, c)
	}
	return r, check(r)
}

// chargeFacts adds what a charge knows. Of one that was never captured, "refunded" means
// that its authorization was let go.
func chargeFacts(f *payment.Facts, c *sdk.Charge) {
	f.Captured = max(f.Captured, c.AmountCaptured)
	f.Authorized = max(f.Authorized, c.Amount)
	f.Refunded = c.AmountRefunded
	if c.Disputed && f.Dispute == payment.NoDispute {
		f.Dispute = payment.DisputeOpen
	}
}

func check(r payment.Report) error {
	if err := r.Facts.Check(); err != nil {
		return fmt.Errorf("stripe: payment %s: %w", r.PaymentRef, err)
	}
	return nil
}

// ParseWebhook verifies header and time stamp, then reads the body.
func (c *Client) ParseWebhook(h http.Header, body []byte, now time.Time) (payment.Notice, error) {
	if err := payment.VerifyStamped(h.Get("Stripe-Signature"), body, c.conf.Secrets, now); err != nil {
		return payment.Notice{}, err
	}
	return c.ReadNotice(body)
}

// ReadNotice reads an event. A dispute names its payment only by Stripe's own id.
func (c *Client) ReadNotice(body []byte) (payment.Notice, error) {
	var e struct {
		ID, Type string
		Data     struct{ Object json.RawMessage }
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return payment.Notice{}, fmt.Errorf("stripe: webhook body: %w", err)
	}
	n := payment.Notice{ID: e.ID, Type: e.Type}
	var err error
	switch {
	case strings.HasPrefix(e.Type, "payment_intent."):
		var in sdk.PaymentIntent
		if err = json.Unmarshal(e.Data.Object, &in); err == nil {
			n.Report, err = report(&in)
		}
	case strings.HasPrefix(e.Type, "charge.dispute."):
		n.Report, err = disputeReport(e.Data.Object)
	case strings.HasPrefix(e.Type, "charge."):
		n.Report, err = chargeReport(e.Data.Object)
	default:
		err = fmt.Errorf("stripe: an event of type %q says nothing about a payment; do not subscribe to it", e.Type)
	}
	return n, err
}

func chargeReport(raw []byte) (r payment.Report, err error) {
	var c sdk.Charge
	if err := json.Unmarshal(raw, &c); err != nil {
		return r, fmt.Errorf("stripe: charge: %w", err)
	}
	if c.PaymentIntent == nil {
		return r, errors.New("stripe: a charge without payment")
	}
	r = payment.Report{Reference: c.Metadata[referenceKey], PaymentRef: c.PaymentIntent.ID, Currency: strings.ToUpper(string(c.Currency))}
	switch {
	case c.Captured:
		chargeFacts(&r.Facts, &c)
	case c.Status == sdk.ChargeStatusSucceeded:
		r.Facts.Authorized, r.Facts.Voided = c.Amount, c.Refunded
	}
	return r, check(r)
}

func disputeReport(raw []byte) (r payment.Report, err error) {
	var d sdk.Dispute
	if err := json.Unmarshal(raw, &d); err != nil {
		return r, fmt.Errorf("stripe: dispute: %w", err)
	}
	if d.PaymentIntent == nil {
		return r, errors.New("stripe: a dispute without payment")
	}
	r = payment.Report{PaymentRef: d.PaymentIntent.ID, Currency: strings.ToUpper(string(d.Currency))}
	switch d.Status {
	case sdk.DisputeStatusWon, sdk.DisputeStatusWarningClosed:
		r.Facts.Dispute = payment.DisputeWon
	case sdk.DisputeStatusLost:
		r.Facts.Dispute = payment.DisputeLost
	case sdk.DisputeStatusWarningNeedsResponse, sdk.DisputeStatusWarningUnderReview:
		// An inquiry moves no money.
	default:
		r.Facts.Dispute = payment.DisputeOpen
	}
	return r, nil
}
