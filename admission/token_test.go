package admission

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

var t0 = time.Unix(1_800_000_000, 0)

func testRing(t testing.TB) *Keyring {
	t.Helper()
	r, err := NewKeyring(NewKey(UseTicket, AlgHS256, t0.Add(-time.Hour)), NewKey(UsePass, AlgEdDSA, t0.Add(-time.Hour)), NewKey(UseDraw, AlgHS256, t0))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func goodPass() Pass {
	return Pass{Room: "boxoffice", VID: NewVID(), Epoch: 3, Term: 1, Place: 41, IssuedAt: t0, NotBefore: t0,
		Expires: t0.Add(PassLife), Hard: t0.Add(time.Hour)}
}

func wantReason(t *testing.T, err error, want ...Reason) {
	t.Helper()
	var inv *Invalid
	if !errors.As(err, &inv) {
		t.Fatalf("accepted, or another error: %v", err)
	}
	for _, w := range want {
		if inv.Reason == w {
			return
		}
	}
	t.Fatalf("reason %s, want %v (%v)", inv.Reason, want, err)
}

func TestTokensRoundTrip(t *testing.T) {
	r := testRing(t)
	p := goodPass()
	rawPass, err := r.SignPass(p)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.VerifyPass(rawPass, p.Room, t0); err != nil || got != p {
		t.Errorf("pass\n got %+v %v\nwant %+v", got, err, p)
	}
	for _, tk := range []Ticket{
		{Room: "a", Epoch: 1, VID: NewVID(), Index: 0, IssuedAt: t0},
		{Room: "a", Epoch: 1, VID: NewVID(), Index: NoIndex, IssuedAt: t0, Identity: "3f"},
		{Room: "a", Epoch: 1, VID: NewVID(), Index: 7, IssuedAt: t0, Drawn: true, Place: 0, N: 9},
	} {
		raw, err := r.SignTicket(tk)
		if err != nil {
			t.Fatal(err)
		}
		back, err := r.VerifyTicket(raw, "a", t0)
		if err != nil || back != tk {
			t.Errorf("ticket\n got %+v %v\nwant %+v", back, err, tk)
		}
	}
}

// forge signs arbitrary header and claims with the ring's own pass key, to show which check refuses.
func forge(t testing.TB, r *Keyring, h map[string]any, claims any) string {
	t.Helper()
	k, err := r.signer(UsePass, t0)
	if err != nil {
		t.Fatal(err)
	}
	full := map[string]any{"alg": AlgEdDSA, "kid": k.Kid, "typ": passTyp}
	for name, v := range h {
		full[name] = v
	}
	hb, _ := json.Marshal(full)
	cb, _ := json.Marshal(claims)
	text := strict64.EncodeToString(hb) + "." + strict64.EncodeToString(cb)
	sig, err := jwt.SigningMethodEdDSA.Sign(text, k.priv)
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + strict64.EncodeToString(sig)
}

func claimsOf(p Pass) map[string]any {
	return map[string]any{"iss": issuer, "aud": p.Room, "sub": string(p.VID), "ep": p.Epoch, "tm": p.Term, "pl": p.Place,
		"iat": p.IssuedAt.Unix(), "nbf": p.NotBefore.Unix(), "exp": p.Expires.Unix(), "hard": p.Hard.Unix()}
}

// AT1, AT4, AT8: what the header and the claims may not say, even under a good signature.
func TestForgedHeadersAndClaims(t *testing.T) {
	r := testRing(t)
	p := goodPass()
	if _, err := r.VerifyPass(forge(t, r, nil, claimsOf(p)), p.Room, t0); err != nil {
		t.Fatal("the forge itself is broken:", err)
	}
	for _, alg := range []string{"none", "None", "nOnE", "", "HS256", "RS256", "EdDSA "} {
		raw := forge(t, r, map[string]any{"alg": alg}, claimsOf(p))
		_, err := r.VerifyPass(raw, p.Room, t0)
		wantReason(t, err, ReasonAlg)
		_, err = r.VerifyPass(raw[:strings.LastIndex(raw, ".")+1], p.Room, t0)
		wantReason(t, err, ReasonAlg)
	}
	for _, name := range []string{"jku", "x5u", "jwk", "x5c", "crit", "b64", "zip"} {
		_, err := r.VerifyPass(forge(t, r, map[string]any{name: []string{"x"}}, claimsOf(p)), p.Room, t0)
		wantReason(t, err, ReasonHeader)
	}
	for name, v := range map[string]any{"iss": "other", "aud": "other"} {
		c := claimsOf(p)
		c[name] = v
		_, err := r.VerifyPass(forge(t, r, nil, c), p.Room, t0)
		wantReason(t, err, ReasonRoom)
	}
	for name, v := range map[string]any{"sub": "short", "pl": -1, "ep": -1, "tm": -1, "exp": t0.Add(time.Hour).Unix(), "more": 1, "hard": t0.Unix()} {
		c := claimsOf(p)
		c[name] = v
		_, err := r.VerifyPass(forge(t, r, nil, c), p.Room, t0)
		wantReason(t, err, ReasonClaims)
	}
	other := testRing(t) // another environment's keys
	raw, _ := other.SignPass(p)
	_, err := r.VerifyPass(raw, p.Room, t0)
	wantReason(t, err, ReasonKey)
}

// AT2: the public key used as an HMAC secret.
func TestKeyConfusion(t *testing.T) {
	r := testRing(t)
	k, _ := r.signer(UsePass, t0)
	hb, _ := json.Marshal(header{AlgHS256, k.Kid, passTyp})
	cb, _ := json.Marshal(claimsOf(goodPass()))
	text := strict64.EncodeToString(hb) + "." + strict64.EncodeToString(cb)
	m := hmac.New(sha256.New, k.pub)
	m.Write([]byte(text))
	_, err := r.VerifyPass(text+"."+strict64.EncodeToString(m.Sum(nil)), "boxoffice", t0)
	wantReason(t, err, ReasonAlg)
}

// AT5, AT6: both sides of the leeway.
func TestTimes(t *testing.T) {
	r := testRing(t)
	p := goodPass()
	raw, _ := r.SignPass(p)
	for _, c := range []struct {
		at   time.Time
		want Reason
	}{
		{p.Expires.Add(Leeway - time.Second), ""},
		{p.Expires.Add(Leeway + time.Second), ReasonExpired},
		{t0.Add(-Leeway + time.Second), ""},
		{t0.Add(-Leeway - time.Second), ReasonEarly},
	} {
		for name, verify := range map[string]func() error{
			"ring":    func() error { _, err := r.VerifyPass(raw, p.Room, c.at); return err },
			"checker": func() error { _, err := NewChecker(r, p.Room).Verify(raw, c.at); return err },
		} {
			if err := verify(); c.want == "" && err != nil {
				t.Errorf("%s at %s: %v", name, c.at.Sub(t0), err)
			} else if c.want != "" {
				wantReason(t, err, c.want)
			}
		}
	}
	// A remembered pass is judged by the clock again.
	ch := NewChecker(r, p.Room)
	if _, err := ch.Verify(raw, t0); err != nil {
		t.Fatal(err)
	}
	_, err := ch.Verify(raw, p.Expires.Add(Leeway+time.Second))
	wantReason(t, err, ReasonExpired)
	// AT25: an old ticket still names its place, within the retention.
	tk, _ := r.SignTicket(Ticket{Room: "a", VID: NewVID(), Index: 5, IssuedAt: t0})
	if _, err := r.VerifyTicket(tk, "a", t0.Add(TicketRetention-time.Hour)); err != nil {
		t.Error(err)
	}
	_, err = r.VerifyTicket(tk, "a", t0.Add(TicketRetention+time.Hour))
	wantReason(t, err, ReasonExpired)
}

// AT9: one kind never works as the other, not even with each other's type written on it.
func TestKindsDoNotMix(t *testing.T) {
	r := testRing(t)
	ticket, _ := r.SignTicket(Ticket{Room: "boxoffice", VID: NewVID(), Index: 5, IssuedAt: t0})
	pass, _ := r.SignPass(goodPass())
	_, err := r.VerifyPass(ticket, "boxoffice", t0)
	wantReason(t, err, ReasonType)
	_, err = r.VerifyTicket(pass, "boxoffice", t0)
	wantReason(t, err, ReasonType)
	_, err = r.VerifyTicket(forge(t, r, map[string]any{"typ": ticketTyp}, claimsOf(goodPass())), "boxoffice", t0)
	wantReason(t, err, ReasonKey)
}

// AT10: exactly one text is valid.
func TestOneEncoding(t *testing.T) {
	r := testRing(t)
	p := goodPass()
	raw, _ := r.SignPass(p)
	check := func(name, s string) {
		t.Helper()
		if _, err := r.VerifyPass(s, p.Room, t0); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for i := range raw {
		if raw[i] == '.' {
			continue
		}
		for _, c := range []byte("AQgw_-+/= \n\x00") {
			if c != raw[i] {
				check("changed character", raw[:i]+string(c)+raw[i+1:])
			}
		}
	}
	for i := range raw {
		check("truncated", raw[:i])
	}
	for _, tail := range []string{"=", "==", "A", "\n", " ", ".", ".A"} {
		check("extended by "+tail, raw+tail)
		check("preceded by "+tail, tail+raw)
	}
	parts := strings.Split(raw, ".")
	sig, _ := strict64.DecodeString(parts[2])
	check("padded", parts[0]+"."+parts[1]+"."+base64.URLEncoding.EncodeToString(sig))
	check("line break inside", parts[0]+"."+parts[1]+"."+parts[2][:20]+"\r\n"+parts[2][20:])
	check("too long", raw+strings.Repeat("A", maxToken))
}

func FuzzTicket(f *testing.F) {
	r := testRing(f)
	raw, _ := r.SignTicket(Ticket{Room: "a", VID: NewVID(), Index: 5, IssuedAt: t0})
	f.Add(raw)
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := r.VerifyTicket(s, "a", t0); err == nil && s != raw {
			t.Fatalf("accepted %q", s)
		}
	})
}

func FuzzPass(f *testing.F) {
	r := testRing(f)
	p := goodPass()
	raw, _ := r.SignPass(p)
	c := NewChecker(r, p.Room)
	f.Add(raw)
	f.Add("..")
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := c.Verify(s, t0); err == nil && s != raw {
			t.Fatalf("accepted %q", s)
		}
	})
}

// A pass that a checker signed is known to it, says what it would say if it were checked, and ends with its key.
func TestCheckerRemembersWhatItSigned(t *testing.T) {
	now := t0
	ring := testRing(t)
	c := NewChecker(ring, "main")
	raw, err := c.Sign(Pass{Room: "main", VID: NewVID(), Epoch: 1, Term: 2, Place: 3, IssuedAt: now, NotBefore: now, Expires: now.Add(time.Minute), Hard: now.Add(time.Hour)})
	if err != nil || !c.Knows(raw) {
		t.Fatalf("known: %v, %v", c.Knows(raw), err)
	}
	mine, err := c.Verify(raw, now)
	if err != nil {
		t.Fatal(err)
	}
	checked, err := ring.VerifyPass(raw, "main", now)
	if err != nil || checked != mine {
		t.Errorf("remembered %+v, checked %+v, %v", mine, checked, err)
	}
	if _, err := c.Verify(raw, now.Add(2*time.Minute)); err == nil {
		t.Error("a remembered pass never ends")
	}
	for _, k := range ring.order {
		k.Recalled = k.Recalled || k.Use == UsePass
	}
	if _, err := c.Verify(raw, now); err == nil {
		t.Error("a remembered pass outlives its recalled key")
	}
}
