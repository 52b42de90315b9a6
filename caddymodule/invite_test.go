package caddymodule

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/caddymodule/captcha"
)

// A room for the invited: nobody else joins; an invitation is one place in however many browsers it is used.
func TestInvitations(t *testing.T) {
	room := roomWith("rate 0", "join invited", "pow always")
	e := newEdge(t, room, "")
	var out bytes.Buffer
	if err := (inviteOptions{room: "main", count: 2, valid: time.Hour, link: "https://shop.example.com/"}).write(&out, filepath.Join(e.dir, "keys"), time.Now()); err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, link := range strings.Fields(out.String()) {
		code, ok := strings.CutPrefix(link, "https://shop.example.com/.well-known/ropeline/main/invite#invitation=")
		if !ok {
			t.Fatal(link)
		}
		codes = append(codes, code)
	}
	v := e.visitor()
	if r := v.navigate("/shop").want(t, 503); !strings.Contains(r.body, `name="code"`) || r.Header.Get("Set-Cookie") != "" {
		t.Errorf("%.300s", r.body)
	}
	if m := e.visitor().do("GET", "/", "Accept", "application/json").want(t, 403).json(t); m["code"] != "invitation_required" {
		t.Error(m)
	}
	if r := v.postForm("invite", url.Values{"code": {codes[0][:len(codes[0])-6] + "AAAAAA"}, "to": {"/shop"}}, asPerson("")...).want(t, 503); !strings.Contains(r.body, `aria-invalid="true"`) {
		t.Errorf("a made-up code: %.300s", r.body)
	}
	for range 3 {
		b := e.visitor()
		r := b.postForm("invite", url.Values{"code": {" " + codes[0] + "\n"}, "to": {"/shop"}}, asPerson("")...).want(t, 303)
		if r.Header.Get("Location") != "/shop" || ticketOf(e, b).Index != 0 {
			t.Errorf("%v, index %d", r.Header, ticketOf(e, b).Index)
		}
	}
	b := e.visitor()
	b.postForm("invite", url.Values{"code": {codes[1]}}, asScript("")...).want(t, 200)
	if i := ticketOf(e, b).Index; i != 1 || e.joined() != 2 {
		t.Errorf("the second invitation has index %d of %d", i, e.joined())
	}
	for name, o := range map[string]inviteOptions{"--room": {count: 1, valid: time.Hour}, "--count": {room: "main", valid: time.Hour}, "--valid": {room: "main", count: 1}, "--link": {room: "main", count: 1, valid: time.Hour, link: "shop"}} {
		if err := o.write(&out, e.dir, time.Now()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The invited join before the pre-queue begins, and are in the draw.
func TestInvitedBeforeThePrequeue(t *testing.T) {
	e := newEdge(t, roomWith("rate 0", "state prequeue", "prequeue_at "+time.Now().Add(time.Hour).Format(time.RFC3339)), "")
	var out bytes.Buffer
	if err := (inviteOptions{room: "main", count: 1, valid: time.Hour}).write(&out, filepath.Join(e.dir, "keys"), time.Now()); err != nil {
		t.Fatal(err)
	}
	e.until("scheduled", func() bool { return strings.Contains(e.visitor().navigate("/").body, `"state":"scheduled"`) })
	v := e.visitor()
	v.postForm("invite", url.Values{"code": {strings.TrimSpace(out.String())}}, asPerson("")...).want(t, 303)
	if ticketOf(e, v).Index != 0 || e.joined() != 1 {
		t.Error("no place for the invited")
	}
}

func signedIn(t *testing.T, secret, subject string, until time.Duration) string {
	t.Helper()
	raw, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{Subject: subject, ExpiresAt: jwt.NewNumericDate(time.Now().Add(until))}).SignedString([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// W13, AQ5: where the site signs who somebody is, an account is one place, in a hundred browsers and without work. Words
// that the site has not signed are nobody's.
func TestOneEntryAnAccount(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 1000/s"), store)
		const secret = "a secret that the shop's sign-in signs with"
		key := filepath.Join(e.dir, "identity.key")
		if err := os.WriteFile(key, []byte(secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		room := roomWith("rate 0", "join identified", "pow always", "identity_from cookie:account", "identity_key "+key, "sign_in /login")
		if err := e.load(room); err != nil {
			t.Fatal(err)
		}
		e.until("in force", func() bool { return strings.Contains(e.visitor().navigate("/").body, `href="/login"`) })
		// The page to sign in at is beside the gate, and nothing else of the site is.
		if r := e.visitor().navigate("/login?next=%2F").want(t, 200); r.body != "origin /login?next=%2F" {
			t.Errorf("/login: %.200s", r.body)
		}
		for _, path := range []string{"/login/", "//login", "/Login", "/login%2f", "/x/../login"} {
			if r := e.visitor().navigate(path); r.StatusCode == 200 {
				t.Errorf("%s needs no pass", path)
			}
		}
		ann := signedIn(t, secret, "ann@example.com", time.Hour)
		for range 100 {
			m := e.visitor().do("GET", "/", "Accept", "application/json", "Cookie", "account="+ann).want(t, 429).json(t)
			if m["index"] != float64(0) {
				t.Fatalf("%v", m)
			}
		}
		bob := signedIn(t, secret, "bob@example.com", time.Hour)
		v := e.visitor()
		if m := v.do("GET", "/", "Accept", "application/json", "Cookie", "account="+bob).json(t); m["index"] != float64(1) {
			t.Errorf("%v", m)
		}
		forged, err := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.RegisteredClaims{Subject: "eve", ExpiresAt: jwt.NewNumericDate(time.Now().Add(time.Hour))}).SignedString(jwt.UnsafeAllowNoneSignatureType)
		if err != nil {
			t.Fatal(err)
		}
		for name, raw := range map[string]string{"another key": signedIn(t, strings.ToUpper(secret), "eve", time.Hour), "expired": signedIn(t, secret, "eve", -time.Minute), "nobody": signedIn(t, secret, "", time.Hour), "unsigned": forged, "words": "eve", "none": ""} {
			if m := e.visitor().do("GET", "/", "Accept", "application/json", "Cookie", "account="+raw).want(t, 403).json(t); m["code"] != "identity_required" {
				t.Errorf("%s: %v", name, m)
			}
		}
		if n := e.joined(); n != 2 {
			t.Errorf("%d places for two accounts", n)
		}
	})
}

// An account that was in and has left may come again: its used place is history, and it stands at the end.
func TestAnAccountComesAgain(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 1000/s"), store)
		const secret = "a secret that the shop's sign-in signs with"
		key := filepath.Join(e.dir, "identity.key")
		if err := os.WriteFile(key, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := e.load(roomWith("rate 1000/s", "identity_key "+key)); err != nil {
			t.Fatal(err)
		}
		v, ann := e.visitor(), signedIn(t, secret, "ann", time.Hour)
		v.Jar.SetCookies(e.url(), []*http.Cookie{{Name: "identity", Value: ann}})
		e.until("known", func() bool { v.navigate("/"); return ticketOf(e, v).Identity != "" })
		first := ticketOf(e, v).Index
		v.enter("/")
		other := e.visitor()
		other.Jar.SetCookies(e.url(), []*http.Cookie{{Name: "identity", Value: ann}})
		other.navigate("/")
		if got := ticketOf(e, other).Index; got != first {
			t.Errorf("while the session lives, another browser of the account has index %d, not %d", got, first)
		}
		v.post("leave").want(t, 200)
		third := e.visitor()
		third.Jar.SetCookies(e.url(), []*http.Cookie{{Name: "identity", Value: ann}})
		e.until("a new place", func() bool { third.navigate("/"); return ticketOf(e, third).Index > first })
		third.enter("/")
	})
}

func solve(challenge string, bits any) string {
	return admission.SolveWork(challenge, int(bits.(float64)))
}

// The CAPTCHA is asked beside the work. No is no; a service that cannot be asked shuts nobody out.
func TestCaptcha(t *testing.T) {
	e := newEdge(t, roomWith("rate 0"), "")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.PostFormValue("response") {
		case "person":
			fmt.Fprint(w, `{"success":true}`)
		case "away":
			http.Error(w, "", http.StatusBadGateway)
		default:
			fmt.Fprint(w, `{"success":false,"error-codes":["invalid-input-response"]}`)
		}
	}))
	t.Cleanup(srv.Close)
	t.Setenv("CAPTCHA_SECRET", "s3cret")
	room := roomWith("rate 0", "pow always", "captcha turnstile", "captcha_site_key 1x00AA", "captcha_secret {env.CAPTCHA_SECRET}", "captcha_url "+srv.URL)
	if err := e.load(room); err != nil {
		t.Fatal(err)
	}
	var page reply
	e.until("in force", func() bool {
		page = e.visitor().navigate("/")
		return strings.Contains(page.body, `data-sitekey="1x00AA"`)
	})
	if p := page.Header.Get("Content-Security-Policy"); !strings.Contains(p, "frame-src https://challenges.cloudflare.com") || !strings.Contains(page.body, captcha.Services["turnstile"].Script) {
		t.Errorf("the widget is not admitted: %s", p)
	}
	for token, want := range map[string]int{"person": 200, "robot": 403, "": 403, "away": 200} {
		m := e.visitor().do("GET", "/", "Accept", "application/json").want(t, 429).json(t)
		raw := m["challenge"].(string)
		r := e.visitor().postForm("join", url.Values{"challenge": {raw}, "work": {solve(raw, m["bits"])}, "captcha": {token}}, asScript("")...)
		if r.StatusCode != want || want == 403 && r.json(t)["code"] != "captcha_refused" {
			t.Errorf("%q: %d %s", token, r.StatusCode, r.body)
		}
	}
}
