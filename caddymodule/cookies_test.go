package caddymodule

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestStripCookies(t *testing.T) {
	for in, want := range map[string]string{
		"a=1; rl-p-main=x; b=2":                  "a=1; b=2",
		"rl-p-main=x; a=1":                       "a=1",
		"rl-t-main=x":                            "",
		"__Host-rl-t-other=x;a=1":                "a=1",
		"a=1;rl-t-main=x;  b=\"q;r\"":            "a=1;  b=\"q;r\"",
		"a=rl-t-main; b==; c":                    "a=rl-t-main; b==; c",
		"  rl-p-main = x ; a=1":                  "a=1",
		"rl-t-main; a=1":                         "a=1",
		"__Secure-rl-p-main=1; __Host-session=2": "__Host-session=2",
	} {
		if got := stripCookieLine(in); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

// Names follow the visitor's scheme; what was planted over plain HTTP is never read on HTTPS. Host-only, so a host
// under any public suffix keeps them (W31).
func TestCookieNamesFollowTheScheme(t *testing.T) {
	request := func(change func(*http.Request)) *http.Request {
		r := httptest.NewRequest("GET", "http://shop.example.co.uk/", nil)
		r = r.WithContext(context.WithValue(r.Context(), caddyhttp.VarsCtxKey, map[string]any{}))
		change(r)
		return r
	}
	trusted := func(r *http.Request) {
		caddyhttp.SetVar(r.Context(), caddyhttp.TrustedProxyVarKey, true)
		r.Header.Set("X-Forwarded-Proto", "https")
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   string
		secure bool
	}{
		"http":            {func(*http.Request) {}, "rl-t-main", false},
		"https":           {func(r *http.Request) { r.TLS = &tls.ConnectionState{} }, "__Host-rl-t-main", true},
		"trusted proxy":   {trusted, "__Host-rl-t-main", true},
		"untrusted proxy": {func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "https") }, "rl-t-main", false},
	} {
		r := request(c.change)
		w := httptest.NewRecorder()
		setCookie(w, r, ticketPart, "main", "v", 1e9)
		got := w.Result().Cookies()[0]
		if got.Name != c.want || got.Secure != c.secure || got.Domain != "" || !got.HttpOnly || got.Path != "/" || got.SameSite != http.SameSiteLaxMode {
			t.Errorf("%s: %+v", name, got)
		}
		r.Header.Set("Cookie", "rl-t-main=plain; __Host-rl-t-main=host")
		want := map[bool]string{false: "plain", true: "host"}[c.secure]
		if v := tokens(r, ticketHeader, ticketPart, "main"); len(v) != 1 || v[0] != want {
			t.Errorf("%s: read %v", name, v)
		}
	}
}

func FuzzStripCookies(f *testing.F) {
	for _, s := range []string{"a=1; rl-p-main=x", "rl-t-main=x;;=; a", "\x00rl-p-a=1", " __Host-rl-t-x = y;b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		h := http.Header{"Cookie": {s}}
		stripCookies(h)
		left := strings.Join(h["Cookie"], ";")
		for _, c := range (&http.Request{Header: h}).Cookies() {
			if ourCookie(c.Name) {
				t.Fatalf("%q left %q in %q", s, c.Name, left)
			}
		}
		var kept []string
		for _, p := range strings.Split(s, ";") {
			name, _, _ := strings.Cut(p, "=")
			if !ourCookie(strings.TrimSpace(name)) {
				kept = append(kept, p)
			}
		}
		if want := strings.TrimLeft(strings.Join(kept, ";"), " "); strings.TrimLeft(left, " ") != want {
			t.Fatalf("%q\n got %q\nwant %q", s, left, want)
		}
	})
}
