package fakepay

import "time"

// Payment is what the server remembers of one payment, and what it shows.
type Payment struct {
	ID          string    `json:"id"`
	Reference   string    `json:"reference"`
	Amount      int64     `json:"amount"`
	Currency    string    `json:"currency"`
	Status      string    `json:"status"`
	Authorized  int64     `json:"authorized"`
	Captured    int64     `json:"captured"`
	Voided      bool      `json:"voided"`
	Refunded    int64     `json:"refunded"`
	Declined    bool      `json:"declined"`
	DeclineCode string    `json:"decline_code"`
	Dispute     string    `json:"dispute,omitempty"`
	Created     time.Time `json:"created"`
	Updated     time.Time `json:"updated"`
}

// status is the one-word summary of the amounts.
func (p *Payment) status() string {
	switch {
	case p.Declined:
		return "declined"
	case p.Captured > 0 && p.Refunded >= p.Captured:
		return "refunded"
	case p.Refunded > 0:
		return "partly_refunded"
	case p.Captured > 0:
		return "captured"
	case p.Voided:
		return "voided"
	}
	return "authorized"
}

// The card tokens: what the test cards on the card page turn into. An API
// client may send them directly.
const (
	TokenOK           = "tok_ok"
	TokenDeclined     = "tok_declined"
	TokenInsufficient = "tok_insufficient"
	TokenSlow         = "tok_slow" // takes effect and answers after 10 s
	TokenLost         = "tok_lost" // takes effect, the answer is lost
)

// declineOf maps a token to its decline code; "" means the card works.
func declineOf(token string) (code string, known bool) {
	switch token {
	case TokenOK, TokenSlow, TokenLost:
		return "", true
	case TokenDeclined:
		return "card_declined", true
	case TokenInsufficient:
		return "insufficient_funds", true
	}
	return "", false
}

// apiError is the body of every refusal. The payment is included where there is
// one, since how it stands usually is the reason.
type apiError struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	Payment *Payment `json:"payment,omitempty"`
}
