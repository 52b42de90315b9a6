// Package issuer is the development issuer of account tokens: it signs whoever
// types an e-mail address in, which is right for a demo, for tests and for nothing
// else. Verification is apart from signing, so that a deployment that switches the
// issuer off goes on accepting the tokens of its key file.
package issuer

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ropeline/ropeline/core/keyfile"
)

const (
	// Name is the "iss" of the tokens.
	Name = "ropeline-dev"
	// Life of a token; a development account signs in again after it.
	Life = 30 * 24 * time.Hour
	// StaffLife of a token that may change the catalogue: a working day.
	StaffLife = 10 * time.Hour

	audience = "bookingd"
	typ      = "ropeline-account+jwt"
	maxToken = 2048
	maxEmail = 254 // RFC 5321
)

// Issuer signs and verifies with one Ed25519 key.
type Issuer struct {
	key    ed25519.PrivateKey
	parser *jwt.Parser
}

// Role is what a token is for. A token has one: staff who buy do it as buyers.
type Role string

const (
	Buyer Role = ""
	Staff Role = "staff"
)

// Claims are what a token says.
type Claims struct {
	Email string `json:"email"`
	Role  Role   `json:"role,omitempty"`
	jwt.RegisteredClaims
}

// Account is the person a token speaks of.
type Account struct {
	Subject string // "iss|sub", the key of the account table
	Email   string
	Role    Role
	Expires time.Time
}

// New uses a key as it is. now is the clock of verification, nil for the real one.
func New(key ed25519.PrivateKey, now func() time.Time) *Issuer {
	if now == nil {
		now = time.Now
	}
	return &Issuer{key: key, parser: jwt.NewParser(jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithIssuer(Name),
		jwt.WithAudience(audience), jwt.WithExpirationRequired(), jwt.WithTimeFunc(now))}
}

// Load reads the key file. With create a missing file is made.
func Load(file string, create bool) (*Issuer, error) {
	key, err := keyfile.Load(file, create)
	if err != nil {
		return nil, fmt.Errorf("issuer key: %w", err)
	}
	return New(key, nil), nil
}

// ErrEmail: what was typed is no e-mail address.
var ErrEmail = errors.New("write an e-mail address, as in ada@example.com")

// Email checks and normalises an address. The same person typing it in capitals
// is the same account.
func Email(typed string) (string, error) {
	if !utf8.ValidString(typed) { // ToLower would make U+FFFD of it, and an account of that
		return "", ErrEmail
	}
	s := strings.ToLower(strings.TrimSpace(typed))
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || a.Name != "" || len(s) > maxEmail {
		return "", ErrEmail
	}
	return s, nil
}

// Sign returns a buyer's token for an address that Email has returned.
func (i *Issuer) Sign(email string, now time.Time) (string, error) {
	return i.SignAs(Buyer, email, now)
}

// SignAs is Sign for a role.
func (i *Issuer) SignAs(role Role, email string, now time.Time) (string, error) {
	life := Life
	if role == Staff {
		life = StaffLife
	}
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, Claims{Email: email, Role: role, RegisteredClaims: jwt.RegisteredClaims{
		Issuer: Name, Subject: email, Audience: jwt.ClaimStrings{audience},
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(life)),
	}})
	t.Header["typ"] = typ
	signed, err := t.SignedString(i.key)
	if err != nil {
		return "", fmt.Errorf("sign account token: %w", err)
	}
	return signed, nil
}

// Verify checks a token and returns whom it speaks of.
func (i *Issuer) Verify(token string) (Account, error) {
	if len(token) > maxToken {
		return Account{}, errors.New("account token: too long")
	}
	var c Claims
	t, err := i.parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return i.key.Public(), nil })
	if err != nil {
		return Account{}, fmt.Errorf("account token: %w", err)
	}
	// Tokens of other kinds (passes, tickets) never work here, whoever signed them.
	if t.Header["typ"] != typ || c.Subject == "" {
		return Account{}, errors.New("account token: not of our type")
	}
	if c.Role != Buyer && c.Role != Staff {
		return Account{}, fmt.Errorf("account token: unknown role %q", c.Role)
	}
	return Account{Subject: c.Issuer + "|" + c.Subject, Email: c.Email, Role: c.Role, Expires: c.ExpiresAt.Time}, nil
}
