package check

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	passType   = "ropeline-pass+jwt"
	passIssuer = "ropeline"

	// clockSlack is for two clocks of one machine and for passes whose times are
	// whole seconds. Nobody may hide a late pass behind it.
	clockSlack = time.Second
)

// passClaims is what a pass says.
type passClaims struct {
	jwt.RegisteredClaims
	Epoch int64            `json:"ep"`
	Term  int64            `json:"tm"`
	Place *int64           `json:"pl"`
	Hard  *jwt.NumericDate `json:"hard"`
}

// pass is what the gate needs of a verified one.
type pass struct {
	problem       string // why it is none; "" when signature, type, issuer and audience are good
	vid           string
	nbf, exp, end time.Time
}

// validAt says why a pass does not hold at a time; "" when it does.
func (p pass) validAt(t time.Time) string {
	switch {
	case p.problem != "":
		return p.problem
	case t.Before(p.nbf.Add(-clockSlack)):
		return fmt.Sprintf("used %s before its entry time", p.nbf.Sub(t))
	case !t.Before(p.exp.Add(clockSlack)):
		return fmt.Sprintf("used %s after it ended", t.Sub(p.exp))
	case !t.Before(p.end.Add(clockSlack)):
		return fmt.Sprintf("used %s after its hard end", t.Sub(p.end))
	}
	return ""
}

// passReader verifies each distinct pass once: a session sends the same one with
// every request, and a signature costs 50 us.
type passReader struct {
	parser *jwt.Parser
	room   string
	keys   map[string]ed25519.PublicKey
	known  map[string]pass
}

func newPassReader(e *Evidence) (*passReader, error) {
	if len(e.Keys) == 0 {
		return nil, errors.New("no pass keys; give --jwks")
	}
	return &passReader{
		room: e.Room, keys: e.Keys, known: map[string]pass{},
		// Claims are judged by hand: times at the time of use and not now, and the
		// library's switch for that turns off issuer and audience as well.
		parser: jwt.NewParser(jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithoutClaimsValidation()),
	}, nil
}

func (r *passReader) read(token string) pass {
	if token == "" {
		return pass{problem: "no pass"}
	}
	p, ok := r.known[token]
	if !ok {
		p = r.verify(token)
		r.known[token] = p
	}
	return p
}

func (r *passReader) verify(token string) pass {
	var c passClaims
	parsed, err := r.parser.ParseWithClaims(token, &c, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		if key, ok := r.keys[kid]; ok {
			return key, nil
		}
		return nil, fmt.Errorf("unknown key %q", kid)
	})
	switch {
	case err != nil:
		return pass{problem: "pass refused: " + err.Error()}
	case parsed.Header["typ"] != passType:
		return pass{problem: fmt.Sprintf("a token of type %v is no pass", parsed.Header["typ"])}
	case c.Issuer != passIssuer || !slices.Equal(c.Audience, jwt.ClaimStrings{r.room}):
		return pass{problem: fmt.Sprintf("a pass of iss %q for aud %q, not of this room", c.Issuer, c.Audience)}
	case c.Subject == "" || c.NotBefore == nil || c.ExpiresAt == nil || c.Hard == nil:
		return pass{problem: "a pass without sub, nbf, exp or hard"}
	}
	return pass{vid: c.Subject, nbf: c.NotBefore.Time, exp: c.ExpiresAt.Time, end: c.Hard.Time}
}

// LoadKeys fetches the pass keys of a room.
func LoadKeys(ctx context.Context, address string) (map[string]ed25519.PublicKey, error) {
	var set json.RawMessage
	if err := getJSON(ctx, address, &set); err != nil {
		return nil, fmt.Errorf("pass keys: %w", err)
	}
	return ParseKeys(set)
}

// ParseKeys reads a JWKS (RFC 7517, RFC 8037) and keeps its Ed25519 keys.
func ParseKeys(set []byte) (map[string]ed25519.PublicKey, error) {
	var doc struct {
		Keys []struct {
			Type  string `json:"kty"`
			Curve string `json:"crv"`
			ID    string `json:"kid"`
			X     string `json:"x"`
		} `json:"keys"`
	}
	if err := json.Unmarshal(set, &doc); err != nil {
		return nil, fmt.Errorf("pass keys: not a JWKS: %w", err)
	}
	keys := map[string]ed25519.PublicKey{}
	for _, k := range doc.Keys {
		if k.Type != "OKP" || k.Curve != "Ed25519" {
			continue
		}
		raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(k.X, "="))
		if err != nil || len(raw) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("pass keys: x of key %q is not 32 bytes of base64url", k.ID)
		}
		keys[k.ID] = raw
	}
	if len(keys) == 0 {
		return nil, errors.New("pass keys: the JWKS has no Ed25519 key")
	}
	return keys, nil
}
