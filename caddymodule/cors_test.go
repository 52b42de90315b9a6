package caddymodule

import (
	"net/http"
	"strings"
	"testing"
)

// AH26, W32, AH36: preflights are answered at the edge from the allow-list; a page on it can read what it needs, any
// other nothing. The origin sees none of it.
func TestCORS(t *testing.T) { overBoth(t, testCORS) }

func testCORS(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1/h", `cors "https://app.example.com https://m.example.com"`), "")
	v := e.visitor()
	ask := []string{"Origin", "https://app.example.com", "Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "content-type,ropeline-ticket"}
	for _, uri := range []string{"/api/x", reservedPrefix + "main/enter"} {
		r := v.do("OPTIONS", uri, ask...).want(t, http.StatusNoContent)
		if r.Header.Get("Access-Control-Allow-Origin") != "https://app.example.com" || !strings.Contains(r.Header.Get("Access-Control-Allow-Methods"), "PUT") ||
			r.Header.Get("Access-Control-Allow-Headers") != "content-type,ropeline-ticket" || !strings.Contains(strings.Join(r.Header["Vary"], ","), "Origin") {
			t.Errorf("%s: %v", uri, r.Header)
		}
		for _, other := range []string{"https://evil.example", "null", "https://app.example.com.evil.example", "http://app.example.com"} {
			r := v.do("OPTIONS", uri, append([]string{"Origin", other}, ask[2:]...)...).want(t, http.StatusForbidden)
			if r.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s may read: %v", other, r.Header)
			}
		}
	}
	get := func(origin string) reply {
		return v.do("GET", "/api/x", "Origin", origin, "Accept", "application/json", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty").want(t, 429)
	}
	if r := get("https://m.example.com"); r.Header.Get("Access-Control-Allow-Origin") != "https://m.example.com" || !strings.Contains(r.Header.Get("Access-Control-Expose-Headers"), "Retry-After") {
		t.Errorf("allowed: %v", r.Header)
	}
	if r := get("https://evil.example"); r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("not allowed: %v", r.Header)
	}
	if n := len(e.origin.requests()); n != 0 {
		t.Errorf("the origin saw %d", n)
	}
	for _, bad := range []string{"*", "app.example.com", "https://app.example.com/"} {
		if _, err := origins(bad); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}

// W40: what most sites want beside the gate, in one word each, and nothing that only looks like it.
func TestPresets(t *testing.T) { overBoth(t, testPresets) }

func testPresets(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1/h", `beside "assets health webhooks"`), "")
	v := e.visitor()
	for _, c := range []struct {
		method, uri string
		beside      bool
	}{
		{"GET", "/assets/app.css", true}, {"HEAD", "/static/a/b.js", true}, {"GET", "/favicon.ico", true}, {"GET", "/healthz", true}, {"POST", "/webhooks/stripe", true},
		{"POST", "/assets/app.css", false}, {"GET", "/checkout.css", false}, {"GET", "/assets/../checkout", false}, {"GET", "/assets/%2e%2e/checkout", false},
		{"GET", "/assets/..%2fcheckout", false}, {"GET", "/assets//../checkout", false}, {"GET", "/assets/..;/checkout", false}, {"GET", "/assets/", false},
		{"GET", "//assets/x", false}, {"GET", "/ASSETS/x", false}, {"GET", "/healthz/x", false}, {"GET", "/webhooks/stripe", false}, {"GET", `/assets/..\checkout`, false},
	} {
		before := len(e.origin.requests())
		r := v.do(c.method, c.uri, "Accept", "*/*")
		if got := len(e.origin.requests()) > before; got != c.beside {
			t.Errorf("%s %s: beside the gate is %v (%d)", c.method, c.uri, got, r.StatusCode)
		}
	}
	if err := checkPresets("assets images"); err == nil {
		t.Error("an unknown preset was taken")
	}
}
