package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// AB10, AB11, AB13.
func TestIdempotencyKey(t *testing.T) {
	s := open(t)
	ada, bob := s.buyer("ada@example.com"), s.buyer("bob@example.com")
	take := func(b *buyer, key string, seat int) *reply {
		return b.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{seat}}, "Idempotency-Key", key)
	}
	take(ada, "", 1).want(http.StatusBadRequest, "idempotency_key_required")
	for _, bad := range []string{strings.Repeat("k", 256), "k\tk", "clé", `"open`, `"a"b"`, `"a\b"`, `""`} {
		take(ada, bad, 1).want(http.StatusBadRequest, "idempotency_key_invalid")
	}
	first := take(ada, "k1", 1).want(http.StatusCreated, "")
	for _, same := range []string{"k1", `"k1"`, " k1 "} {
		again := take(ada, same, 1).want(http.StatusCreated, "")
		if string(again.body) != string(first.body) || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("key %q: not the first answer:\n%s\n%s", same, first.body, again.body)
		}
	}
	if first.header.Get("Idempotency-Replayed") != "" {
		t.Error("the first answer says it is a replay")
	}
	take(ada, "k1", 2).want(http.StatusUnprocessableEntity, "idempotency_mismatch") // another body
	take(bob, "k1", 2).want(http.StatusCreated, "")                                 // another account: independent

	// The same key on another thing of the same route.
	second := take(ada, "k2", 3).want(http.StatusCreated, "")
	path := "/v1/events/gig/holds/"
	ada.do("DELETE", path+first.str("id"), nil, "Idempotency-Key", "d").want(http.StatusOK, "")
	ada.do("DELETE", path+second.str("id"), nil, "Idempotency-Key", "d").want(http.StatusUnprocessableEntity, "idempotency_mismatch")
	ada.do("DELETE", path+second.str("id"), nil, "Idempotency-Key", "").want(http.StatusBadRequest, "idempotency_key_required")
}

// AB5 and its neighbours: what is not exactly a body of the call is named.
func TestBodies(t *testing.T) {
	s := open(t)
	ada := s.buyer("ada@example.com")
	_, order := ada.order(1)
	pay := "/v1/orders/" + order.str("id") + "/payments"
	before := s.rows()
	for _, c := range []struct {
		path, body string
		status     int
		code, says string
	}{
		{"/v1/events/gig/holds", `{"seats": [2]`, 400, "invalid_json", ""},
		{"/v1/events/gig/holds", ``, 400, "invalid_json", ""},
		{"/v1/events/gig/holds", `{"seats": [2]} {}`, 400, "invalid_json", "follows"},
		{"/v1/events/gig/holds", `[]`, 422, "invalid_body", "the body: is array"},
		{"/v1/events/gig/holds", `{"seat": [2]}`, 422, "invalid_body", "seat: is no member"},
		{"/v1/events/gig/holds", `{"seats": "2"}`, 422, "invalid_body", "seats: is string, want a list"},
		{"/v1/events/gig/holds", `{"seats": [2.5]}`, 422, "invalid_body", "whole number"},
		{"/v1/events/gig/holds", `{"seats": [99999999999]}`, 422, "invalid_body", "whole number in range"},
		{"/v1/events/gig/holds", `{"seats": [2], "replace": "x"}`, 422, "invalid_body", "replace: want the id of a hold"},
		{"/v1/events/gig/holds", `{"seats": [2], "replace": "00000000-0000-0000-0000-000000000000"}`, 422, "invalid_body", "replace: is no hold"},
		{"/v1/events/gig/holds", `{"SEATS": [2]}`, 422, "invalid_body", "is no member"},
		{"/v1/events/gig/holds", `{"\u017feats": [2]}`, 422, "invalid_body", "is no member"},
		{"/v1/events/gig/holds", `{"seats": [2], "seats": [3]}`, 422, "invalid_body", "seats: is there more than once"},
		{"/v1/events/gig/holds", `{"places": [{"counter": 1, "quantity": 1, "quantity": 2}]}`, 422, "invalid_body", "quantity: is there more than once"},
		{"/v1/events/gig/holds", `{"places": [{"counter": 1, "Quantity": 1}]}`, 422, "invalid_body", "is no member"},
		{"/v1/events/gig/holds", `{"seats": [-2]}`, 422, "invalid_seat", ""},
		{"/v1/events/gig/holds", `{"seats": [999]}`, 422, "invalid_seat", ""},
		{"/v1/events/gig/holds", `{}`, 422, "invalid_hold", ""},
		{"/v1/events/gig/holds", `{"places": [{"counter": 1, "quantity": 7}]}`, 422, "limit_exceeded", ""},
		{"/v1/events/nope/holds", `{"seats": [2]}`, 404, "not_found", ""},
		{"/v1/events/gig/orders", `{}`, 422, "invalid_body", "hold: is missing"},
		{pay, `{"card_token": "tok_ok", "expected_amount": 45.00}`, 422, "invalid_body", "expected_amount"},
		{pay, `{"card_token": "tok_ok", "expected_amount": "4500"}`, 422, "invalid_body", "expected_amount"},
		{pay, `{"card_token": "tok_ok", "expected_amount": 92233720368547758070}`, 422, "invalid_body", "expected_amount"},
		{pay, `{"card_token": "tok_ok", "amount": 1}`, 422, "invalid_body", "amount: is no member"},
		{pay, `{"card_token": "tok_ok", "currency": "JPY"}`, 422, "invalid_body", "currency: is no member"},
		{pay, `{"card_token": "tok_ok", "expected_amount": 1}`, 409, "price_changed", ""},
		{pay, `{}`, 422, "invalid_card_token", ""},
		{pay, `{"card_token": "4242424242424242"}`, 422, "invalid_card_token", "This is a card number"},
		{pay, `{"card_token": "4242 4242-4242 4241"}`, 422, "invalid_card_token", "This is a card number"},
		{pay, `{"card_token": "4000000000006"}`, 422, "invalid_card_token", "This is a card number"},
		{pay, `{"card_token": "6304000000000000000"}`, 422, "invalid_card_token", "This is a card number"},
		{pay, `{"card_token": "4242424242424242 12/31 123"}`, 422, "invalid_card_token", "This is a card number"},
		{"/v1/events/gig/orders", `{"hold": "tok_"}`, 422, "invalid_body", "hold: want the id of a hold"},
		{pay, `{"card_token": "` + strings.Repeat("x", maxBody) + `"}`, 413, "body_too_large", ""},
	} {
		r := ada.do("POST", c.path, c.body)
		if r.status != c.status || r.str("code") != c.code || !strings.Contains(r.str("detail"), c.says) {
			t.Errorf("%s %.80s:\n got %d %s\nwant %d %s %q", c.path, c.body, r.status, r.body, c.status, c.code, c.says)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("rows %s, before %s: a refused body changed something", after, before)
	}
}

func TestSearchParameters(t *testing.T) {
	s := open(t)
	for query, parameter := range map[string]string{
		"dat=2027-06-12": "dat", "sort=title": "sort", "q=a&q=b": "q", "date=tomorrow": "date", "date=2027-02-30": "date",
		"q=" + strings.Repeat("x", maxSearch+1): "q", "q=%ff": "q", "place=%00": "place",
	} {
		r := s.do("GET", "/v1/events?"+query, nil).want(http.StatusUnprocessableEntity, "invalid_parameter")
		if r.str("parameter") != parameter {
			t.Errorf("%s: names %s, want %s", query, r.str("parameter"), parameter)
		}
	}
	// AB26: SQL is data.
	for _, sql := range []string{`'; DROP TABLE event; --`, `' OR 1=1 --`, `%`, `\`, `$1`, `"`} {
		r := s.do("GET", "/v1/events?q="+strings.NewReplacer(" ", "+", "%", "%25", ";", "%3B", "'", "%27", `"`, "%22", `\`, "%5C").Replace(sql), nil).want(http.StatusOK, "")
		if n := len(r.get("events").([]any)); n != 0 {
			t.Errorf("%q found %d events", sql, n)
		}
	}
	s.do("GET", "/v1/events?q=gig", nil).want(http.StatusOK, "")
}

// AH28, AH25, AB24.
func TestLimits(t *testing.T) {
	s := open(t)
	// More than we take, and less than what net/http itself refuses (500 fields, since Go 1.27) in words of its own.
	many := make([]string, 0, 4*maxHeaders)
	for i := range 2 * maxHeaders {
		many = append(many, fmt.Sprintf("X-H-%d", i), "v")
	}
	s.do("GET", "/v1/events", nil, "X-Large", strings.Repeat("x", 17<<10)).want(http.StatusRequestHeaderFieldsTooLarge, "headers_too_large")
	s.do("GET", "/v1/events", nil, many...).want(http.StatusRequestHeaderFieldsTooLarge, "headers_too_large")
	s.do("GET", "/v1/events?"+strings.Repeat("a=1&", 10_000)+"a=1", nil).want(http.StatusBadRequest, "too_many_parameters")
	s.do("GET", "/v1/events?q="+strings.Repeat("x", 8<<10), nil).want(http.StatusRequestURITooLong, "url_too_long")
	s.do("POST", "/webhooks/fakepay", strings.Repeat("x", 2<<20)).want(http.StatusRequestEntityTooLarge, "body_too_large")

	for _, method := range []string{"GETX", "PROPFIND", "TRACK", strings.Repeat("M", 8<<10)} {
		r := s.do(method, "/v1/events", nil).want(http.StatusNotImplemented, "not_implemented")
		if strings.Contains(string(r.body), method) {
			t.Errorf("%.20s is echoed", method)
		}
	}
	for _, method := range []string{"TRACE", "PATCH", "OPTIONS", "POST"} {
		if r := s.do(method, "/v1/events", nil).want(http.StatusMethodNotAllowed, "method_not_allowed"); r.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow %q", method, r.header.Get("Allow"))
		}
	}
}

func TestAddresses(t *testing.T) {
	s := open(t)
	for _, path := range []string{"/v1/nope", "/v1", "/v1/events/", "/v1/events/gig/", "//v1/events", "/v1/events/%2e%2e", "/./", "/events/../events/gig", "/webhooks/", "/dev/nope", "/v1/geometry/zz", "/v1/events/GIG"} {
		if r := s.do("GET", path, nil); r.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, r.status)
		}
	}
	s.do("GET", "/v1/nope", nil).want(http.StatusNotFound, "not_found")
	s.do("POST", "/", nil).want(http.StatusMethodNotAllowed, "method_not_allowed")
	if page := s.do("GET", "/events/gig", nil); page.status != http.StatusOK || !strings.Contains(string(page.body), "Gig") {
		t.Errorf("the storefront: %d", page.status)
	}
	off := open(t, func(o *Options) { o.DevIssuer = false })
	for _, path := range []string{"/sign-in", "/dev/token"} {
		if r := off.do("GET", path, nil); r.status != http.StatusNotFound {
			t.Errorf("%s with the issuer off: %d", path, r.status)
		}
	}
}

// How long an answer may be kept, and by whom.
func TestCaching(t *testing.T) {
	s := open(t)
	ada := s.buyer("ada@example.com")
	geometry := s.do("GET", "/v1/events/gig", nil).str("geometry")
	for path, want := range map[string]string{
		"/v1/events": cacheSecond, "/v1/events/gig": cacheSecond, "/v1/events/gig/seats": "public, max-age=1, s-maxage=1, stale-while-revalidate=2, stale-if-error=60", geometry: cacheImmutable,
		"/v1/orders": cachePersonal, "/v1/tickets": cachePersonal, "/v1/orders/nope": cachePersonal, "/v1/events/nope": cachePersonal,
		"/v1/events/gig/holds/" + uuid.NewString(): cachePersonal,
	} {
		if got := ada.do("GET", path, nil).header.Get("Cache-Control"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{geometry} {
		for coding, want := range map[string]string{"gzip": "gzip", "identity": "", "gzip;q=0": "", "br;q=0.4, gzip;q=0.5": "gzip", "br, gzip;q=0.5": "br", "gzip, deflate, br, zstd": "zstd"} {
			first := s.do("GET", path, nil, "Accept-Encoding", coding).want(http.StatusOK, "")
			if got := first.header.Get("Content-Encoding"); got != want || first.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s for %q: %v", path, coding, first.header)
			}
			tag := first.header.Get("ETag")
			r := s.do("GET", path, nil, "Accept-Encoding", coding, "If-None-Match", `"x", W/`+tag).want(http.StatusNotModified, "")
			if len(r.body) != 0 || r.header.Get("ETag") != tag {
				t.Errorf("304 of %s: %d bytes, %v", path, len(r.body), r.header)
			}
		}
		if head := s.do("HEAD", path, nil); head.status != http.StatusOK || len(head.body) != 0 {
			t.Errorf("HEAD %s: %d, %d bytes", path, head.status, len(head.body))
		}
	}
}
