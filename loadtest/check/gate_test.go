package check

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ropeline/ropeline/loadtest/record"
)

var start = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

// mint signs what an edge would sign.
type mint struct {
	t    *testing.T
	key  ed25519.PrivateKey
	keys map[string]ed25519.PublicKey
}

func newMint(t *testing.T) *mint {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	set := fmt.Sprintf(`{"keys":[{"kty":"RSA","kid":"x"},{"kty":"OKP","crv":"Ed25519","kid":"k1","x":%q}]}`, base64.RawURLEncoding.EncodeToString(public))
	keys, err := ParseKeys([]byte(set))
	if err != nil {
		t.Fatal(err)
	}
	return &mint{t: t, key: private, keys: keys}
}

// pass is good for 5 minutes from second `from` on; change may spoil it.
func (m *mint) pass(vid string, from int, change func(jwt.MapClaims, map[string]any)) string {
	m.t.Helper()
	nbf := start.Add(time.Duration(from) * time.Second).Unix()
	claims := jwt.MapClaims{"iss": "ropeline", "aud": "boxoffice", "sub": vid, "ep": 1, "tm": 1, "pl": 0, "iat": nbf, "nbf": nbf, "exp": nbf + 300, "hard": nbf + 3600}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	token.Header["kid"], token.Header["typ"] = "k1", "ropeline-pass+jwt"
	if change != nil {
		change(claims, token.Header)
	}
	signed, err := token.SignedString(m.key)
	if err != nil {
		m.t.Fatal(err)
	}
	return signed
}

func (m *mint) evidence(requests ...record.Request) *Evidence {
	return &Evidence{Requests: requests, Keys: m.keys, Room: "boxoffice", Ungated: []string{"/v1/orders*", "/healthz"}}
}

func seen(second int, method, path, pass string, status int) record.Request {
	return record.Request{At: start.Add(time.Duration(second) * time.Second), Method: method, Path: path, Pass: pass, Status: status}
}

func TestT1(t *testing.T) {
	m := newMint(t)
	good := m.pass("v", 0, nil)
	claim := func(name string, value any) string {
		return m.pass("v", 0, func(c jwt.MapClaims, _ map[string]any) {
			if c[name] = value; value == nil {
				delete(c, name)
			}
		})
	}
	header := func(name string, value any) string {
		return m.pass("v", 0, func(_ jwt.MapClaims, h map[string]any) { h[name] = value })
	}
	other := newMint(t).pass("v", 0, nil)
	for name, c := range map[string]struct {
		request record.Request
		want    string
	}{
		"good":                           {seen(5, "GET", "/event", good, 200), ""},
		"without":                        {seen(5, "GET", "/event", "", 200), "no pass"},
		"without, and refused there":     {seen(5, "GET", "/event", "", 404), "no pass"},
		"outside of the gate":            {seen(5, "GET", "/v1/orders/1", "", 200), ""},
		"outside, exact path":            {seen(5, "GET", "/healthz", "", 200), ""},
		"outside, exact path and more":   {seen(5, "GET", "/healthz/x", "", 200), "no pass"},
		"paid without, path is open":     {seen(5, "POST", "/v1/orders/1-a/payments", "", 202), "no pass"},
		"refused to pay without":         {seen(5, "POST", "/v1/orders/1-a/payments", "", 403), ""},
		"bad one outside of the gate":    {seen(5, "GET", "/v1/orders/1", "junk", 200), "refused"},
		"before its entry":               {seen(-3, "GET", "/event", good, 200), "before its entry time"},
		"within the slack of two clocks": {seen(-1, "GET", "/event", good, 200), ""},
		"after its end":                  {seen(302, "GET", "/event", good, 200), "after it ended"},
		"after the hard end":             {seen(60, "GET", "/event", claim("hard", start.Unix()+50), 200), "hard end"},
		"of another room":                {seen(5, "GET", "/event", claim("aud", "other"), 200), "aud"},
		"of another issuer":              {seen(5, "GET", "/event", claim("iss", "core"), 200), "iss"},
		"of nobody":                      {seen(5, "GET", "/event", claim("sub", nil), 200), "without sub"},
		"that never ends":                {seen(5, "GET", "/event", claim("exp", nil), 200), "exp"},
		"a ticket":                       {seen(5, "GET", "/event", header("typ", "ropeline-ticket+jwt"), 200), "no pass"},
		"of an unknown key":              {seen(5, "GET", "/event", header("kid", "k2"), 200), "unknown key"},
		"signed by somebody else":        {seen(5, "GET", "/event", other, 200), "signature"},
		"changed":                        {seen(5, "GET", "/event", strings.Replace(good, ".", ".e", 1), 200), "refused"},
	} {
		found, err := withoutPass(m.evidence(c.request))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.want == "" && len(found) != 0:
			t.Errorf("%s: %+v", name, found)
		case c.want != "" && (len(found) != 1 || !strings.Contains(found[0].What, c.want)):
			t.Errorf("%s: %+v, want one that says %q", name, found, c.want)
		}
	}
}

func TestQ4AtTheOrigin(t *testing.T) {
	m := newMint(t)
	a, b := m.pass("v0", 0, nil), m.pass("v1", 0, nil)
	log := opened("10", 1, 9).grant(0, 2000).gone("leave", 0).grant(1, 4000)
	for name, c := range map[string]struct {
		requests []record.Request
		want     string
	}{
		"one after the other":  {[]record.Request{seen(2, "GET", "/", a, 200), seen(3, "GET", "/", a, 200), seen(4, "GET", "/", b, 200)}, ""},
		"both at once":         {[]record.Request{seen(2, "GET", "/", a, 200), seen(4, "GET", "/", b, 200), seen(5, "GET", "/", a, 200), seen(6, "GET", "/", b, 200)}, "2 places at once"},
		"before the entry":     {[]record.Request{seen(0, "GET", "/", a, 200)}, "before the granted entry"},
		"never granted":        {[]record.Request{seen(5, "GET", "/", m.pass("ghost", 0, nil), 200)}, "without a grant"},
		"an invented one only": {[]record.Request{seen(5, "GET", "/", "junk", 200)}, ""}, // T1 finds it
	} {
		e := m.evidence(c.requests...)
		e.Grants = log.events(t)
		found, err := Run(t.Context(), []Invariant{q4}, e)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.want == "" && len(found) != 0:
			t.Errorf("%s: %+v", name, found)
		case c.want != "" && (len(found) != 1 || !strings.Contains(found[0].What, c.want)):
			t.Errorf("%s: %+v, want one that says %q", name, found, c.want)
		}
	}
}

func TestABadKeySetIsRefused(t *testing.T) {
	for _, set := range []string{`[`, `{"keys":[]}`, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"AAAA"}]}`} {
		if _, err := ParseKeys([]byte(set)); err == nil {
			t.Errorf("%s was taken", set)
		}
	}
}
