package captcha

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// The verifier against a server that speaks the protocol: it sends what the service wants, takes yes for yes, no for no,
// and everything else for "nobody can say".
func TestSiteverify(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.PostFormValue("secret") != "s3cret" || r.PostFormValue("remoteip") != "203.0.113.7" {
			t.Errorf("asked by %s with %v", r.Method, r.PostForm)
		}
		switch token := r.PostFormValue("response"); token {
		case "good":
			fmt.Fprint(w, `{"success": true, "hostname": "shop.example.com"}`)
		case "bad":
			fmt.Fprint(w, `{"success": false, "error-codes": ["timeout-or-duplicate"]}`)
		case "our-secret":
			fmt.Fprint(w, `{"success": false, "error-codes": ["invalid-input-secret"]}`)
		case "their-outage":
			fmt.Fprint(w, `{"success": false, "error-codes": ["internal-error"]}`)
		case "of-another-site":
			fmt.Fprint(w, `{"success": false, "error-codes": ["sitekey-secret-mismatch"]}`)
		case "of-the-testing-key":
			fmt.Fprint(w, `{"success": false, "error-codes": ["not-using-dummy-secret"]}`)
		case "garbage":
			fmt.Fprint(w, `{"success": false, "error-codes": ["bad-request"]}`)
		case "broken":
			http.Error(w, "<html>", http.StatusBadGateway)
		case "empty":
			fmt.Fprint(w, `{}`)
		}
	}))
	s := Siteverify{URL: srv.URL, Secret: "s3cret"}
	for token, want := range map[string]error{"good": nil, "bad": ErrRefused, "": ErrRefused, "our-secret": ErrUnavailable, "their-outage": ErrUnavailable,
		"of-another-site": ErrRefused, "of-the-testing-key": ErrRefused, "garbage": ErrRefused, "broken": ErrUnavailable, "empty": ErrUnavailable} {
		if err := s.Verify(t.Context(), token, "203.0.113.7"); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", token, err, want)
		}
	}
	srv.Close()
	if err := s.Verify(t.Context(), "good", "203.0.113.7"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("nobody there: %v", err)
	}
}
