package caddymodule

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/golang-jwt/jwt/v5"
)

const (
	minSecret     = 32
	maxSubject    = 200
	maxIdentities = 8192 // bytes of a token
)

// Who may join, as the option join says.
const (
	joinAnyone     = "anyone"
	joinIdentified = "identified"
	joinInvited    = "invited"
)

var (
	errIdentify = errors.New("only who has signed in may join")
	errInvited  = errors.New("only the invited may join")
)

// identities checks what an operator's own sign-in says about a visitor. The same account is the same place, in any
// browser: the store gives an identity its first index again.
type identities struct {
	key    any
	method string
	cookie string
	header string
	room   string
}

// loadIdentities reads the key: a PEM public key (Ed25519, for EdDSA), or a secret of at least 32 bytes (HS256).
func loadIdentities(c RoomConfig, room string) (*identities, error) {
	if c.IdentityKey == "" {
		return nil, nil
	}
	name := caddy.NewReplacer().ReplaceKnown(c.IdentityKey, "")
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("identity_key: %w", err)
	}
	id := &identities{room: room, method: jwt.SigningMethodHS256.Alg()}
	if block, _ := pem.Decode(b); block != nil {
		pub, err := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := pub.(ed25519.PublicKey)
		if err != nil || !ok {
			return nil, fmt.Errorf("identity_key %s: not an Ed25519 public key: make one with openssl genpkey -algorithm ed25519 and openssl pkey -pubout", name)
		}
		id.key, id.method = crypto.PublicKey(key), jwt.SigningMethodEdDSA.Alg()
	} else if secret := strings.TrimSpace(string(b)); len(secret) < minSecret {
		return nil, fmt.Errorf("identity_key %s: %d bytes, at least %d: make one with openssl rand -base64 48", name, len(secret), minSecret)
	} else {
		id.key = []byte(secret)
	}
	from := c.IdentityFrom
	if from == "" {
		from = defaultIdentityFrom
	}
	kind, field, _ := strings.Cut(from, ":")
	switch kind {
	case "cookie":
		id.cookie = field
	case "header":
		id.header = field
	}
	return id, nil
}

const defaultIdentityFrom = "cookie:identity"

func checkJoin(c RoomConfig) error {
	switch c.Join {
	case "", joinAnyone, joinInvited:
	case joinIdentified:
		if c.IdentityKey == "" {
			return fmt.Errorf("join identified needs identity_key: name the file of the key your sign-in signs with")
		}
	default:
		return fmt.Errorf("join %q: write anyone, identified or invited", c.Join)
	}
	if s, err := c.settings(); err == nil && s.Passthrough && (c.Join == joinIdentified || c.Join == joinInvited) {
		return fmt.Errorf("join %s with passthrough: a safety net lets everybody through: choose one", c.Join)
	}
	if kind, field, _ := strings.Cut(c.IdentityFrom, ":"); c.IdentityFrom != "" && (field == "" || kind != "cookie" && kind != "header") {
		return fmt.Errorf("identity_from %q: write cookie:<name> or header:<name>", c.IdentityFrom)
	}
	if c.SignIn != "" && (c.SignIn[0] != '/' || strings.HasPrefix(c.SignIn, "//")) {
		return fmt.Errorf("sign_in %q: write a path of this site outside the gate, for example /login", c.SignIn)
	}
	if signInPath(c.SignIn) == "/" {
		return fmt.Errorf("sign_in %q: the home page would need no pass: write the path of a page of its own, for example /login", c.SignIn)
	}
	return nil
}

// signInPath is the path of the sign-in page, without what may follow it.
func signInPath(v string) string {
	if i := strings.IndexAny(v, "?#"); i >= 0 {
		v = v[:i]
	}
	return v
}

// of is the hash of the account that a request is signed in to; empty: none, or nothing that we can check.
func (id *identities) of(r *http.Request, now time.Time) string {
	if id == nil {
		return ""
	}
	raw := ""
	if id.header != "" {
		raw = strings.TrimPrefix(r.Header.Get(id.header), "Bearer ")
	} else if c, err := r.Cookie(id.cookie); err == nil {
		raw = c.Value
	}
	if raw == "" || len(raw) > maxIdentities {
		return ""
	}
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(raw, &claims, func(*jwt.Token) (any, error) { return id.key, nil }, jwt.WithValidMethods([]string{id.method}),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(func() time.Time { return now }), jwt.WithStrictDecoding())
	if err != nil || claims.Subject == "" || len(claims.Subject) > maxSubject {
		return ""
	}
	return identityHash("account", id.room, claims.Subject)
}

// identityHash keeps accounts out of tickets and store: neither needs to know who somebody is.
func identityHash(kind, room, subject string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + room + "\x00" + subject))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// identityOf is the signed identity of a request, and empty in rooms without.
func (h *Handler) identityOf(r *http.Request) string { return h.identities.of(r, h.room.now()) }

// mayJoin says whether the room takes newcomers of this kind.
func (h *Handler) mayJoin(identity string) error {
	switch h.room.conf.Load().Join {
	case joinIdentified:
		if identity == "" {
			return errIdentify
		}
	case joinInvited:
		return errInvited
	}
	return nil
}
