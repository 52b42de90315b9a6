// Package stripe is the payment provider Stripe, through its official SDK: payments are
// authorized and captured later (capture_method manual), every request has an
// idempotency key, and webhooks are verified here, with a window on both sides of now.
//
// Card data never comes here: the shop's card page (Config.CardPage) loads Stripe's own
// elements and brings back the id of a payment method.
package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"github.com/ropeline/ropeline/core/payment"
)

const (
	// longestProcessing: a payment shows up in searches within a minute, in an outage of
	// theirs later.
	longestProcessing = 15 * time.Minute
	// authorizationLifetime is the longest that Stripe gives a card's authorization.
	authorizationLifetime = 31 * 24 * time.Hour
	// referenceKey is our reference in a payment's metadata.
	referenceKey = "ropeline_reference"
)

// Config says how to reach an account.
type Config struct {
	Key      string   // secret API key
	Secrets  []string // of the webhook endpoint; any of them verifies
	CardPage string   // the shop's page with Stripe's card element; it comes back with card_token
	URL      string   // "" = Stripe's own
	FeeBP    int      // what the contract takes of a capture, in 1/10000

	// PerSecond of the contract; 0 = 80, which is what an account has in live mode.
	PerSecond float64
	AtOnce    int // requests at the same time; 0 = any number
	// Deadline of one call; 0 = payment.CallDeadline.
	Deadline time.Duration
}

// Client speaks to Stripe. It implements payment.Settler.
type Client struct {
	conf Config
	http *http.Client
	api  *sdk.Client
}

var _ payment.Settler = (*Client)(nil)

// New checks the configuration; it opens no connection.
func New(c Config) (*Client, error) {
	switch {
	case !strings.HasPrefix(c.Key, "sk_") && !strings.HasPrefix(c.Key, "rk_"):
		return nil, errors.New("stripe: the key is no secret API key; it begins with sk_ or rk_")
	case len(c.Secrets) == 0:
		return nil, errors.New("stripe: no webhook secret: without one nobody's webhooks could be believed")
	}
	for _, s := range c.Secrets {
		if s == "" {
			return nil, errors.New("stripe: an empty webhook secret would let anybody sign")
		}
	}
	if c.PerSecond == 0 {
		c.PerSecond = 80
	}
	if c.Deadline == 0 {
		c.Deadline = payment.CallDeadline
	}
	h := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 30 * time.Second, Proxy: http.ProxyFromEnvironment}}
	b := &sdk.BackendConfig{HTTPClient: h, EnableTelemetry: sdk.Bool(false), LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull},
		// Whether a request may be repeated is decided under the order's lock, never by a library.
		MaxNetworkRetries: sdk.Int64(0)}
	if c.URL != "" {
		b.URL = sdk.String(c.URL)
	}
	api := sdk.NewClient(c.Key, sdk.WithBackends(sdk.NewBackendsWithConfig(b)))
	return &Client{conf: c, http: h, api: api}, nil
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Name is the provider's name in accounts and addresses.
func (c *Client) Name() string { return "stripe" }

// Capabilities of a Stripe account.
func (c *Client) Capabilities() payment.Capabilities {
	return payment.Capabilities{TwoStep: true, Keys: true, Lookup: true, Partial: true,
		LongestProcessing: longestProcessing, AuthorizationLifetime: authorizationLifetime, PerSecond: c.conf.PerSecond, AtOnce: c.conf.AtOnce}
}

// Authorize makes and confirms a payment; its reference is its key.
func (c *Client) Authorize(ctx context.Context, a payment.Authorization) (payment.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, c.conf.Deadline)
	defer cancel()
	p := &sdk.PaymentIntentCreateParams{
		Amount: sdk.Int64(a.Amount), Currency: sdk.String(strings.ToLower(a.Currency)), PaymentMethod: sdk.String(a.CardToken),
		CaptureMethod: sdk.String("manual"), Confirm: sdk.Bool(true), Metadata: map[string]string{referenceKey: a.Reference},
		// A payment method that leads away from the shop would leave the order without its buyer.
		AutomaticPaymentMethods: &sdk.PaymentIntentCreateAutomaticPaymentMethodsParams{Enabled: sdk.Bool(true), AllowRedirects: sdk.String("never")},
		Expand:                  []*string{sdk.String("latest_charge")},
	}
	p.SetIdempotencyKey(a.Reference)
	in, err := c.api.V1PaymentIntents.Create(ctx, p)
	r, err := c.answer(in, err)
	var no *payment.Refused
	if errors.As(err, &no) { // refused before there was a payment: as definite as a decline
		if no.Report != nil {
			return *no.Report, nil
		}
		return payment.Report{Reference: a.Reference, Currency: a.Currency, Reason: no.Code, Facts: payment.Facts{Declined: true}}, nil
	}
	return r, err
}

// Lookup searches for our reference. What was made within the last minute may not be
// found yet; "not found" counts only much later.
func (c *Client) Lookup(ctx context.Context, reference string) (payment.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, c.conf.Deadline)
	defer cancel()
	p := &sdk.PaymentIntentSearchParams{Expand: []*string{sdk.String("data.latest_charge")}}
	p.Query = fmt.Sprintf("metadata['%s']:'%s'", referenceKey, strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(reference))
	p.Limit = sdk.Int64(2)
	for in, err := range c.api.V1PaymentIntents.Search(ctx, p).All(ctx) {
		return c.answer(in, err)
	}
	return payment.Report{}, payment.ErrNotFound
}

// Capture takes authorized money.
func (c *Client) Capture(ctx context.Context, m payment.Command) (payment.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, c.conf.Deadline)
	defer cancel()
	p := &sdk.PaymentIntentCaptureParams{AmountToCapture: sdk.Int64(m.Amount), Expand: []*string{sdk.String("latest_charge")}}
	p.SetIdempotencyKey(m.Key)
	return c.answer(c.api.V1PaymentIntents.Capture(ctx, m.PaymentRef, p))
}

// Void lets authorized money go.
func (c *Client) Void(ctx context.Context, m payment.Command) (payment.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, c.conf.Deadline)
	defer cancel()
	p := &sdk.PaymentIntentCancelParams{Expand: []*string{sdk.String("latest_charge")}}
	p.SetIdempotencyKey(m.Key)
	return c.answer(c.api.V1PaymentIntents.Cancel(ctx, m.PaymentRef, p))
}

// Refund gives captured money back, and then asks how the payment stands: the answer to
// a refund tells of the refund alone.
func (c *Client) Refund(ctx context.Context, m payment.Command) (payment.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, c.conf.Deadline)
	defer cancel()
	p := &sdk.RefundCreateParams{PaymentIntent: sdk.String(m.PaymentRef), Amount: sdk.Int64(m.Amount)}
	p.SetIdempotencyKey(m.Key)
	_, refused := c.api.V1Refunds.Create(ctx, p)
	if refused != nil {
		var no *payment.Refused
		if _, err := c.answer(nil, refused); !errors.As(err, &no) {
			return payment.Report{}, err
		} else if r, err := c.state(ctx, m.PaymentRef); err == nil {
			no.Report = &r
			return payment.Report{}, no
		}
		return payment.Report{}, fmt.Errorf("stripe: refund refused, and the payment could not be read: %w", refused)
	}
	return c.state(ctx, m.PaymentRef)
}

func (c *Client) state(ctx context.Context, id string) (payment.Report, error) {
	return c.answer(c.api.V1PaymentIntents.Retrieve(ctx, id, &sdk.PaymentIntentRetrieveParams{Expand: []*string{sdk.String("latest_charge")}}))
}

// answer tells a definite answer from "we do not know".
func (c *Client) answer(in *sdk.PaymentIntent, err error) (payment.Report, error) {
	if err == nil {
		return report(in)
	}
	var e *sdk.Error
	if !errors.As(err, &e) {
		return payment.Report{}, fmt.Errorf("stripe: %w", err)
	}
	switch {
	case e.HTTPStatusCode == http.StatusNotFound && e.Code == sdk.ErrorCodeResourceMissing && e.Param != "payment_method":
		return payment.Report{}, payment.ErrNotFound
	case e.Type == sdk.ErrorTypeCard, e.Type == sdk.ErrorTypeInvalidRequest && e.HTTPStatusCode/100 == 4 && definite[e.HTTPStatusCode]:
		no := &payment.Refused{Code: string(e.Code)}
		if e.DeclineCode != "" {
			no.Code = string(e.DeclineCode)
		}
		if e.PaymentIntent != nil {
			r, err := report(e.PaymentIntent)
			if err != nil {
				return payment.Report{}, err
			}
			no.Report = &r
		}
		return payment.Report{}, no
	}
	// Wrong key, limits, a key in use, their own errors: nothing is said about the payment.
	return payment.Report{}, fmt.Errorf("stripe: %s %s (status %d, request %s)", e.Type, e.Code, e.HTTPStatusCode, e.RequestID)
}

// definite are the statuses of an invalid request that had no effect and never will.
var definite = map[int]bool{http.StatusBadRequest: true, http.StatusPaymentRequired: true, http.StatusNotFound: true, http.StatusUnprocessableEntity: true}

// CardForm is the shop's card page; the caller appends "&return=".
func (c *Client) CardForm(reference string, amount int64, currency string) string {
	q := url.Values{"reference": {reference}, "amount": {strconv.FormatInt(amount, 10)}, "currency": {currency}}
	return c.conf.CardPage + "?" + q.Encode()
}
