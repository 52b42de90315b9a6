package admission

import "fmt"

// Reason says in one word why a token was refused. It is a metric label, so the set is closed.
type Reason string

// The reasons. Every one but ReasonUnavailable means: this token proves nothing, treat the visitor as one without.
const (
	ReasonMalformed   Reason = "malformed"   // not three strict base64url parts of JSON, or too long
	ReasonAlg         Reason = "alg"         // not the algorithm of the key, "none" among them
	ReasonHeader      Reason = "header"      // a header parameter we do not issue: jku, jwk, x5u, crit ...
	ReasonType        Reason = "type"        // another kind of token: ticket as pass, pass as ticket
	ReasonKey         Reason = "key"         // no such key, not yet valid, retired or recalled
	ReasonSignature   Reason = "signature"   // the signature is not of these bytes
	ReasonRoom        Reason = "room"        // issuer or audience is another's
	ReasonClaims      Reason = "claims"      // authentic, yet a claim is out of its range
	ReasonExpired     Reason = "expired"     // exp or hard end passed
	ReasonEarly       Reason = "early"       // iat or nbf in the future
	ReasonUnavailable Reason = "unavailable" // the key set could not be fetched: nothing is known about the token
)

// Invalid is the error of every refused token.
type Invalid struct {
	Reason Reason
	Detail string // for the operator's log; may quote a clipped part of the token's header, never a signature
	Err    error
}

func (e *Invalid) Error() string {
	s := "token refused (" + string(e.Reason) + "): " + e.Detail
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Invalid) Unwrap() error { return e.Err }

func invalid(r Reason, format string, args ...any) *Invalid {
	return &Invalid{Reason: r, Detail: fmt.Sprintf(format, args...)}
}
