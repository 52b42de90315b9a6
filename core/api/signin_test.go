package api

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

const formType = "application/x-www-form-urlencoded"

func TestSignInComesBackToThisSiteOnly(t *testing.T) {
	for to, want := range map[string]string{
		"/orders?x=1#y": "/orders?x=1#y", "/": "/", "": "/", "orders": "/", "https://evil.example/": "/", "//evil.example": "/",
		`/\evil.example`: "/", `\\evil.example`: "/", "/\t/evil.example": "/", "javascript:alert(1)": "/", "/" + strings.Repeat("a", 3000): "/",
	} {
		if got := localPath(to); got != want {
			t.Errorf("%q leads to %q, want %q", to, got, want)
		}
	}
}

func TestSignInPage(t *testing.T) {
	s := open(t)
	page := s.do("GET", `/sign-in?return=/orders%22%3E%3Cscript%3E`, nil).want(http.StatusOK, "")
	html := string(page.body)
	if strings.Contains(html, "<script") || !strings.Contains(html, "For development") {
		t.Errorf("page:\n%s", html)
	}
	// The policy admits exactly the style that is on the page.
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(html)
	if style == nil || !strings.Contains(page.header.Get("Content-Security-Policy"), styleHash(style[1])) {
		t.Errorf("policy %q does not fit the page's style", page.header.Get("Content-Security-Policy"))
	}
	if page.header.Get("Cache-Control") != cachePersonal {
		t.Errorf("Cache-Control %q", page.header.Get("Cache-Control"))
	}

	bad := s.do("POST", "/sign-in", "email=%3Cb%3E&return=%2Forders", "Content-Type", formType)
	if bad.status != http.StatusUnprocessableEntity || bad.header.Get("Set-Cookie") != "" || !strings.Contains(string(bad.body), "Please write an e-mail address") ||
		!strings.Contains(string(bad.body), `value="&lt;b&gt;"`) || !strings.Contains(string(bad.body), `value="/orders"`) {
		t.Errorf("a bad address: %d %s", bad.status, bad.body)
	}
	spanish := s.do("POST", "/sign-in", "email=&return=%2Forders", "Content-Type", formType, "Accept-Language", "es-MX")
	if html := string(spanish.body); !strings.Contains(html, `<html lang="es" dir="ltr">`) || !strings.Contains(html, "Escriba una dirección") || spanish.header.Get("Vary") == "" {
		t.Errorf("in Spanish: %s", html)
	}
	s.do("POST", "/sign-in", `{"email": "a@b.c"}`).want(http.StatusUnsupportedMediaType, "unsupported_media_type")
}

func TestCookieSignsIn(t *testing.T) {
	s := open(t)
	in := s.do("POST", "/sign-in", "email=Ada%40Example.com", "Content-Type", formType, "X-Forwarded-Proto", "https").want(http.StatusSeeOther, "")
	cookie := in.header.Get("Set-Cookie")
	if !strings.Contains(cookie, "Secure") || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "Path=/") {
		t.Errorf("cookie %q", cookie)
	}
	pair, _, _ := strings.Cut(cookie, ";")
	s.do("GET", "/v1/orders", nil, "Cookie", pair).want(http.StatusOK, "")
	// The same person by the other door is the same account.
	ada := s.buyer("ada@example.com")
	held := ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}).want(http.StatusCreated, "")
	s.do("GET", "/v1/events/gig/holds/"+held.str("id"), nil, "Cookie", pair).want(http.StatusOK, "")
}

func TestDevTokenNeedsAnAddress(t *testing.T) {
	s := open(t)
	for _, body := range []string{`{}`, `{"email": "ada"}`, `{"email": ["a@b.c"]}`, `{"mail": "a@b.c"}`} {
		s.do("POST", "/dev/token", body).want(http.StatusUnprocessableEntity, "invalid_body")
	}
	// What is no text is no address, and is not made one by way of U+FFFD.
	for body, says := range map[string]string{
		"{\"email\": \"ad\xe4@example.com\"}": "not UTF-8", `{"email": "ad\ud83d@example.com"}`: "email: has half of a surrogate pair", `{"email": "ad\u0000@example.com"}`: "email: has the character NUL",
	} {
		if r := s.do("POST", "/dev/token", body).want(http.StatusUnprocessableEntity, "invalid_body"); !strings.Contains(string(r.body), says) {
			t.Errorf("%q: %s", body, r.body)
		}
	}
	s.do("POST", "/dev/token", `{"email": "ad\ud83d\ude00@example.com"}`).want(http.StatusOK, "")
	if r := s.do("POST", "/sign-in", "email=ad%E4@example.com", "Content-Type", formType); r.status != http.StatusUnprocessableEntity {
		t.Errorf("a form with Latin-1: %d", r.status)
	}
	s.do("GET", "/v1/events?q=%E4", nil).want(http.StatusUnprocessableEntity, "invalid_parameter")
	s.do("GET", "/v1/events/g%E4g", nil).want(http.StatusNotFound, "not_found")
}
