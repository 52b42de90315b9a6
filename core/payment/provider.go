package payment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Capabilities say what a provider can do, so that no rule asks for its name.
type Capabilities struct {
	TwoStep bool // authorize first, capture later; otherwise authorized money is captured at once
	Keys    bool // idempotency keys: repeating a request is safe
	Lookup  bool // can be asked by our own reference
	Partial bool // can refund a part

	// LongestProcessing bounds how long a request may still take effect after it
	// was sent; "not found" counts for nothing before.
	LongestProcessing time.Duration
	// AuthorizationLifetime is how long an authorization lives. One that nobody knows
	// of is in no settlement report, so a payment that was given up is asked about daily
	// for so long; 0: DefaultLifetime.
	AuthorizationLifetime time.Duration
	// PerSecond is what the contract allows of requests, over all our processes; 0: as
	// many as we like. Selling faster than money can be taken makes a line nobody sees.
	PerSecond float64
	// AtOnce is what the contract allows of requests at the same time, of this process; 0: as
	// many as we like.
	AtOnce int
}

// Provider is a payment company. Every method but ParseWebhook makes one
// request and returns before ctx ends.
//
// Errors: ErrNotFound and *Refused are answers, definite ones. Anything else
// means "we do not know", never "it failed".
type Provider interface {
	Name() string
	Capabilities() Capabilities

	// Authorize asks for the money. Its key is the reference. A decline is a
	// Report with Facts.Declined and no error.
	Authorize(ctx context.Context, r Authorization) (Report, error)
	// Lookup asks what became of a reference.
	Lookup(ctx context.Context, reference string) (Report, error)
	Capture(ctx context.Context, c Command) (Report, error)
	Void(ctx context.Context, c Command) (Report, error)
	Refund(ctx context.Context, c Command) (Report, error)

	// ParseWebhook verifies the signature in constant time and the time stamp at
	// now, and reads the notice. ErrSignature: not from the provider. A notice
	// with a good signature but an unreadable body is returned with its ID and an error.
	ParseWebhook(h http.Header, body []byte, now time.Time) (Notice, error)
	// ReadNotice reads the body of a webhook that was verified when it was stored.
	ReadNotice(body []byte) (Notice, error)
	// CardForm is the address of the provider's own card page for a browser.
	// Card numbers are typed there and never reach us; a token comes back.
	CardForm(reference string, amount int64, currency string) string
}

// Authorization is a request for money.
type Authorization struct {
	Reference string // ours: event and attempt; also the idempotency key
	Amount    int64  // minor units
	Currency  string
	CardToken string
}

// Command is a request about a payment that exists.
type Command struct {
	PaymentRef string // the provider's id
	Key        string // idempotency key
	Amount     int64  // minor units; not used by Void
}

// Report is what a provider says about one payment: all it knows, not a change.
type Report struct {
	Reference  string
	PaymentRef string
	Currency   string
	Reason     string // the provider's word for a decline
	Facts      Facts
}

// Notice is one webhook.
type Notice struct {
	ID     string // the provider's, unique: a duplicate has the same
	Type   string
	Report Report
}

// The definite answers that are not reports.
var (
	ErrNotFound  = errors.New("payment: the provider does not know this payment")
	ErrSignature = errors.New("payment: the webhook's signature or time stamp does not verify")
)

// Refused is a definite no to a command: it had no effect. Report, if there is
// one, says how the payment stands, which often is the reason.
type Refused struct {
	Code   string
	Report *Report
}

func (r *Refused) Error() string { return fmt.Sprintf("payment: refused by the provider: %s", r.Code) }
