package issuer

import (
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

var t0 = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

func testKey(fill byte) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	for i := range seed {
		seed[i] = fill
	}
	return ed25519.NewKeyFromSeed(seed)
}

func TestTokenComesBackAsAccount(t *testing.T) {
	i := New(testKey(1), func() time.Time { return t0 })
	token, err := i.Sign("ada@example.com", t0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := i.Verify(token)
	if want := (Account{Subject: "ropeline-dev|ada@example.com", Email: "ada@example.com", Expires: t0.Add(Life)}); err != nil || !got.Expires.Equal(want.Expires) || got.Subject != want.Subject || got.Email != want.Email {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestForeignTokensAreRefused(t *testing.T) {
	now := t0
	i := New(testKey(1), func() time.Time { return now })
	good, _ := i.Sign("ada@example.com", t0)
	other, _ := New(testKey(2), nil).Sign("ada@example.com", t0)
	claims := func(change func(*Claims)) Claims {
		c := Claims{Email: "a@b.c", RegisteredClaims: jwt.RegisteredClaims{Issuer: Name, Subject: "a@b.c",
			Audience: jwt.ClaimStrings{audience}, ExpiresAt: jwt.NewNumericDate(t0.Add(time.Hour))}}
		change(&c)
		return c
	}
	sign := func(m jwt.SigningMethod, key any, kind string, c Claims) string {
		tok := jwt.NewWithClaims(m, c)
		tok.Header["typ"] = kind
		s, err := tok.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ed := jwt.SigningMethodEdDSA
	same := func(*Claims) {}
	for name, token := range map[string]string{
		"nothing":         "",
		"no token":        "abc",
		"another key":     other,
		"a changed byte":  good[:len(good)-6] + "AAAAAA",
		"alg none":        sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, typ, claims(same)),
		"our key as HMAC": sign(jwt.SigningMethodHS256, []byte(testKey(1).Public().(ed25519.PublicKey)), typ, claims(same)),
		"a pass":          sign(ed, testKey(1), "ropeline-pass+jwt", claims(same)),
		"another issuer":  sign(ed, testKey(1), typ, claims(func(c *Claims) { c.Issuer = "x" })),
		"other audience":  sign(ed, testKey(1), typ, claims(func(c *Claims) { c.Audience = jwt.ClaimStrings{"x"} })),
		"no end":          sign(ed, testKey(1), typ, claims(func(c *Claims) { c.ExpiresAt = nil })),
		"nobody":          sign(ed, testKey(1), typ, claims(func(c *Claims) { c.Subject = "" })),
		"too long":        strings.Repeat("a", maxToken+1),
	} {
		if a, err := i.Verify(token); err == nil {
			t.Errorf("%s: accepted as %+v", name, a)
		}
	}
	now = t0.Add(Life + time.Second)
	if _, err := i.Verify(good); err == nil {
		t.Error("an expired token: accepted")
	}
}

func TestEmail(t *testing.T) {
	if got, err := Email("  Ada@Example.COM "); got != "ada@example.com" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range []string{"", "ada", "ada@", "Ada <ada@example.com>", "a@b.c, d@e.f", "a\r\nb@c.d", strings.Repeat("a", 260) + "@b.c"} {
		if got, err := Email(bad); err == nil {
			t.Errorf("%q: accepted as %q", bad, got)
		}
	}
}
