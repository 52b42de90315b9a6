// Package issuer is the development issuer of account tokens: it signs whoever
// types an e-mail address in, which is right for a demo, for tests and for nothing
// else. Verification is apart from signing, so that a deployment that switches the
// issuer off goes on accepting the tokens of its key file.
package issuer

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
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
	pemType  = "PRIVATE KEY"
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

// Load reads the key file (PKCS #8, PEM). With create a missing file is made.
func Load(file string, create bool) (*Issuer, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && create {
		b, err = createKey(file)
	}
	if err != nil {
		return nil, fmt.Errorf("issuer key: %w", err)
	}
	block, _ := pem.Decode(b)
	if block == nil || block.Type != pemType {
		return nil, fmt.Errorf("issuer key %s: want a PEM block %q, as made by `openssl genpkey -algorithm ed25519`", file, pemType)
	}
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("issuer key %s: %w", file, err)
	}
	key, ok := k.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("issuer key %s: a %T, want an Ed25519 key", file, k)
	}
	return New(key, nil), nil
}

// createKey: of several processes that start together one wins the link, and all
// of them read what it wrote.
func createKey(file string) ([]byte, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".issuer-key-*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der}))
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(tmp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(file)
}

// ErrEmail: what was typed is no e-mail address.
var ErrEmail = errors.New("write an e-mail address, as in ada@example.com")

// Email checks and normalises an address. The same person typing it in capitals
// is the same account.
func Email(typed string) (string, error) {
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
