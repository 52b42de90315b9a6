package fakepay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/core/payment"
)

const (
	// authorizationLifetime is as long as a card's usually is.
	authorizationLifetime = 7 * 24 * time.Hour

	maxAnswer = 64 << 10
)

// ClientConfig says where the provider is.
type ClientConfig struct {
	URL       string   // of the API, e.g. http://127.0.0.1:9100
	PublicURL string   // under which a browser reaches the card page; may be a path
	Secrets   []string // any of them verifies a webhook: the new one and the one before
	Name      string   // of the provider in accounts and addresses; "" = fakepay
	OneStep   bool     // the contract is for one-step payments, as with a mobile wallet
	NoKeys    bool     // the contract is without idempotency keys
	PerSecond float64  // requests a second that the contract allows; 0 = any number
	AtOnce    int      // requests at the same time, likewise

	// LongestProcessing: see payment.Capabilities; 0 = payment.NotFoundAfter.
	LongestProcessing time.Duration
	// Deadline of one call; 0 = payment.CallDeadline.
	Deadline time.Duration
}

// Client speaks to a fakepay server. It implements payment.Provider.
type Client struct {
	conf ClientConfig
	http *http.Client
}

var _ payment.Provider = (*Client)(nil)

// NewClient checks the configuration; it opens no connection.
func NewClient(c ClientConfig) (*Client, error) {
	u, err := url.Parse(c.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("fakepay: address %q: want http://host:port", c.URL)
	}
	if len(c.Secrets) == 0 {
		return nil, errors.New("fakepay: no webhook secret: without one nobody's webhooks could be believed")
	}
	for _, s := range c.Secrets {
		if s == "" {
			return nil, errors.New("fakepay: an empty webhook secret would let anybody sign")
		}
	}
	if c.Name == "" {
		c.Name = "fakepay"
	}
	if c.LongestProcessing == 0 {
		c.LongestProcessing = payment.NotFoundAfter
	}
	if c.Deadline == 0 {
		c.Deadline = payment.CallDeadline
	}
	c.URL = strings.TrimSuffix(c.URL, "/")
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	return &Client{conf: c, http: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 30 * time.Second},
		// A redirect would carry the request, and the money, to somebody else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Name is the provider's name in accounts and addresses.
func (c *Client) Name() string { return c.conf.Name }

// Capabilities of a fakepay contract.
func (c *Client) Capabilities() payment.Capabilities {
	return payment.Capabilities{
		TwoStep: !c.conf.OneStep, Keys: !c.conf.NoKeys, Lookup: true, Partial: true,
		LongestProcessing: c.conf.LongestProcessing, AuthorizationLifetime: authorizationLifetime, PerSecond: c.conf.PerSecond,
		AtOnce: c.conf.AtOnce,
	}
}

// Authorize sends the request for money; its reference is its key.
func (c *Client) Authorize(ctx context.Context, a payment.Authorization) (payment.Report, error) {
	body, err := json.Marshal(authorizeBody{Reference: a.Reference, Amount: a.Amount, Currency: a.Currency, CardToken: a.CardToken})
	if err != nil {
		return payment.Report{}, fmt.Errorf("fakepay: encode: %w", err)
	}
	r, err := c.call(ctx, http.MethodPost, "/v1/payments", a.Reference, body)
	var no *payment.Refused
	if errors.As(err, &no) && no.Report == nil {
		// Refused before a payment existed (bad token, bad amount): as definite as
		// a decline, and the same to the buyer.
		return payment.Report{Reference: a.Reference, Currency: a.Currency, Reason: no.Code, Facts: payment.Facts{Declined: true}}, nil
	}
	if errors.As(err, &no) && no.Report.Facts.Declined {
		return *no.Report, nil
	}
	return r, err
}

// Lookup asks by our reference.
func (c *Client) Lookup(ctx context.Context, reference string) (payment.Report, error) {
	return c.call(ctx, http.MethodGet, "/v1/payments?reference="+url.QueryEscape(reference), "", nil)
}

// Capture takes authorized money.
func (c *Client) Capture(ctx context.Context, m payment.Command) (payment.Report, error) {
	return c.command(ctx, m, "capture")
}

// Void lets authorized money go.
func (c *Client) Void(ctx context.Context, m payment.Command) (payment.Report, error) {
	m.Amount = 0
	return c.command(ctx, m, "void")
}

// Refund gives captured money back.
func (c *Client) Refund(ctx context.Context, m payment.Command) (payment.Report, error) {
	return c.command(ctx, m, "refund")
}

func (c *Client) command(ctx context.Context, m payment.Command, what string) (payment.Report, error) {
	body, err := json.Marshal(amountBody{Amount: m.Amount})
	if err != nil {
		return payment.Report{}, fmt.Errorf("fakepay: encode: %w", err)
	}
	return c.call(ctx, http.MethodPost, "/v1/payments/"+url.PathEscape(m.PaymentRef)+"/"+what, m.Key, body)
}

// call makes one request. Only a readable answer is an answer: an empty body, a
// 5xx, a 429 or a cut connection are all "we do not know".
func (c *Client) call(ctx context.Context, method, path, key string, body []byte) (payment.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, c.conf.Deadline)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.conf.URL+path, bytes.NewReader(body))
	if err != nil {
		return payment.Report{}, fmt.Errorf("fakepay: %s: %w", path, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		if !c.conf.NoKeys {
			req.Header.Set("Idempotency-Key", key)
		}
		// net/http repeats a request with this header by itself when a connection
		// breaks. Whether a request may be repeated is decided under the order's
		// lock and nowhere else; without GetBody the transport cannot.
		req.GetBody = nil
	}
	res, err := c.http.Do(req)
	if err != nil {
		return payment.Report{}, fmt.Errorf("fakepay: call: %w", err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return payment.Report{}, fmt.Errorf("fakepay: read answer: %w", err)
	}
	return readAnswer(res.StatusCode, b)
}

func readAnswer(status int, b []byte) (payment.Report, error) {
	if status/100 == 2 {
		var p Payment
		if err := json.Unmarshal(b, &p); err != nil {
			return payment.Report{}, fmt.Errorf("fakepay: status %d with an unreadable body: %w", status, err)
		}
		return report(p)
	}
	var e apiError
	if err := json.Unmarshal(b, &e); err != nil || e.Error.Code == "" {
		return payment.Report{}, fmt.Errorf("fakepay: status %d without a reason", status)
	}
	switch {
	case status == http.StatusNotFound && e.Error.Code == "not_found":
		return payment.Report{}, payment.ErrNotFound
	case status >= 500, status == http.StatusTooManyRequests, e.Error.Code == "idempotency_in_progress":
		return payment.Report{}, fmt.Errorf("fakepay: status %d %s", status, e.Error.Code)
	}
	no := &payment.Refused{Code: e.Error.Code}
	if e.Payment != nil {
		r, err := report(*e.Payment)
		if err != nil {
			return payment.Report{}, err
		}
		no.Report = &r
	}
	return payment.Report{}, no
}

// report turns a payment into facts, refusing one that makes no sense.
func report(p Payment) (payment.Report, error) {
	if p.ID == "" || p.Reference == "" {
		return payment.Report{}, errors.New("fakepay: a payment without id or reference")
	}
	r := payment.Report{
		Reference: p.Reference, PaymentRef: p.ID, Currency: p.Currency, Reason: p.DeclineCode,
		Facts: payment.Facts{
			Authorized: p.Authorized, Captured: p.Captured, Refunded: p.Refunded,
			Declined: p.Declined, Voided: p.Voided, Dispute: payment.Dispute(p.Dispute),
		},
	}
	if err := r.Facts.Check(); err != nil {
		return payment.Report{}, fmt.Errorf("fakepay: payment %s: %w", p.ID, err)
	}
	return r, nil
}

// ParseWebhook verifies header and time stamp, then reads the body.
func (c *Client) ParseWebhook(h http.Header, body []byte, now time.Time) (payment.Notice, error) {
	if err := payment.VerifyStamped(h.Get(SignatureHeader), body, c.conf.Secrets, now); err != nil {
		return payment.Notice{}, err
	}
	return c.ReadNotice(body)
}

// ReadNotice reads a body that was verified before.
func (c *Client) ReadNotice(body []byte) (payment.Notice, error) {
	var n notice
	if err := json.Unmarshal(body, &n); err != nil {
		return payment.Notice{}, fmt.Errorf("fakepay: webhook body: %w", err)
	}
	r, err := report(n.Payment)
	if err != nil {
		return payment.Notice{ID: n.ID, Type: n.Type}, err
	}
	return payment.Notice{ID: n.ID, Type: n.Type, Report: r}, nil
}

// CardForm is the address of the card page; the caller appends "&return=".
func (c *Client) CardForm(reference string, amount int64, currency string) string {
	q := url.Values{"reference": {reference}, "amount": {strconv.FormatInt(amount, 10)}, "currency": {currency}}
	return c.conf.PublicURL + "/card?" + q.Encode()
}
