package caddymodule

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

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
		h := &Handler{Room: "main"}
		h.setCookie(w, r, ticketPart, "v", 1e9)
		got := w.Result().Cookies()[0]
		if got.Name != c.want || got.Secure != c.secure || got.Domain != "" || !got.HttpOnly || got.Path != "/" || got.SameSite != http.SameSiteLaxMode {
			t.Errorf("%s: %+v", name, got)
		}
		r.Header.Set("Cookie", "rl-t-main=plain; __Host-rl-t-main=host")
		want := map[bool]string{false: "plain", true: "host"}[c.secure]
		if v := h.tokens(r, ticketHeader, ticketPart); len(v) != 1 || v[0] != want {
			t.Errorf("%s: read %v", name, v)
		}
	}
}
