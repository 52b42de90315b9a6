package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission"
)

// AH1: around the waiting room there is nothing, not even the news whether an
// account, an event or a key is good.
func TestBuyingNeedsAPass(t *testing.T) {
	s := open(t)
	ada := s.buyer("ada@example.com")
	_, order := ada.order(1)
	before := s.rows()
	past := func(p *admission.Pass) {
		p.IssuedAt, p.NotBefore = p.IssuedAt.Add(-time.Hour), p.NotBefore.Add(-time.Hour)
		p.Expires, p.Hard = p.IssuedAt.Add(time.Minute), p.IssuedAt.Add(time.Minute)
	}
	good := s.pass()
	for _, c := range []struct{ name, pass string }{
		{"none", ""},
		{"garbage", "abc"},
		{"of another room", s.pass(func(p *admission.Pass) { p.Room = "other" })},
		{"expired", s.pass(past)},
		{"not yet valid", s.pass(func(p *admission.Pass) { p.NotBefore = p.NotBefore.Add(time.Minute) })},
		{"with a changed byte", good[:len(good)-4] + "AAAA"},
		{"an account's token", ada.token},
	} {
		for _, path := range []string{"/v1/events/gig/holds", "/v1/events/gig/orders", "/v1/events/nope/holds?odd=1", "/v1/orders/" + order.str("id") + "/payments"} {
			for _, token := range []string{"Bearer " + ada.token, "Bearer forged", ""} {
				r := ada.do("POST", path, map[string]any{"seats": []int{2}}, "Ropeline-Pass", c.pass, "Authorization", token, "Idempotency-Key", "")
				if r.status != http.StatusForbidden || r.str("code") != "pass_required" {
					t.Errorf("pass %s, POST %s: %d %s", c.name, path, r.status, r.body)
				}
			}
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("rows %s, before %s: a refused call changed something", after, before)
	}
	// Reading and giving back are outside of the gate.
	ada.do("GET", "/v1/orders", nil, "Ropeline-Pass", "").want(http.StatusOK, "")
	ada.do("DELETE", "/v1/orders/"+order.str("id"), nil, "Ropeline-Pass", "").want(http.StatusOK, "")
}

// rows counts what a buyer's call may write.
func (s *stand) rows() string {
	s.t.Helper()
	var all string
	err := s.db.Pool.QueryRow(s.t.Context(), `SELECT concat_ws(' ', (SELECT count(*) FROM account), (SELECT count(*) FROM hold), (SELECT count(*) FROM orders),
		(SELECT count(*) FROM attempt), (SELECT count(*) FROM idempotency), (SELECT count(*) FROM seat WHERE state <> 'available'), (SELECT sum(v) FROM event_version))`).Scan(&all)
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func TestPassKeysOutOfReachIsNotAForgedPass(t *testing.T) {
	s := open(t, func(o *Options) {
		v, err := admission.NewVerifier(admission.Options{JWKSURL: "http://127.0.0.1:1/jwks.json", Room: room})
		if err != nil {
			t.Fatal(err)
		}
		o.Passes = v
	})
	ada := s.buyer("ada@example.com")
	r := ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}).want(http.StatusServiceUnavailable, "pass_keys_unavailable")
	if r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestAccountIsNeeded(t *testing.T) {
	s := open(t)
	pass := s.pass()
	for _, token := range []string{"", "Bearer", "Bearer forged", "Basic YTpi", "Bearer " + pass} {
		for _, path := range []string{"/v1/orders", "/v1/tickets", "/v1/events/gig/holds/00000000-0000-0000-0000-000000000000"} {
			r := s.do("GET", path, nil, "Authorization", token).want(http.StatusUnauthorized, "unauthenticated")
			if r.header.Get("WWW-Authenticate") == "" || r.header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("%s: headers %v", path, r.header)
			}
		}
		s.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}, "Authorization", token, "Ropeline-Pass", pass, "Idempotency-Key", "k").
			want(http.StatusUnauthorized, "unauthenticated")
	}
}

// AB1, AB2: what belongs to others is not there, in the same words as what nobody has.
func TestOthersThingsAreNotThere(t *testing.T) {
	s := open(t)
	ada, eve := s.buyer("ada@example.com"), s.buyer("eve@example.com")
	hold, order := ada.order(1)
	id := order.str("id")
	ada.do("POST", "/v1/orders/"+id+"/payments", map[string]string{"card_token": "tok_ok"}).want(http.StatusAccepted, "")
	ada.settled(id)
	ticket := ada.do("GET", "/v1/tickets", nil).str("tickets", 0, "id")
	nobody := "00000000-0000-4000-8000-000000000000"
	event, _, _ := strings.Cut(id, "-")

	before := s.rows()
	for _, c := range []struct{ method, others, nobodys string }{
		{"GET", "/v1/events/gig/holds/" + hold.str("id"), "/v1/events/gig/holds/" + nobody},
		{"DELETE", "/v1/events/gig/holds/" + hold.str("id"), "/v1/events/gig/holds/" + nobody},
		{"GET", "/v1/orders/" + id, "/v1/orders/" + event + "-" + nobody},
		{"DELETE", "/v1/orders/" + id, "/v1/orders/" + event + "-" + nobody},
		{"GET", "/v1/tickets/" + ticket, "/v1/tickets/" + event + "-" + nobody},
		{"GET", "/v1/tickets/" + ticket + "/qr.svg", "/v1/tickets/" + event + "-" + nobody + "/qr.svg"},
	} {
		theirs, none := eve.do(c.method, c.others, nil).want(http.StatusNotFound, "not_found"), eve.do(c.method, c.nobodys, nil).want(http.StatusNotFound, "not_found")
		if theirs.str("detail") != none.str("detail") {
			t.Errorf("%s %s says %q, nobody's says %q: it can be told apart", c.method, c.others, theirs.str("detail"), none.str("detail"))
		}
	}
	pay := map[string]string{"card_token": "tok_ok"}
	eve.do("POST", "/v1/orders/"+id+"/payments", pay).want(http.StatusNotFound, "not_found")
	eve.do("POST", "/v1/events/gig/orders", map[string]string{"hold": hold.str("id")}).want(http.StatusNotFound, "not_found")
	eve.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{2}, "replace": hold.str("id")}).want(http.StatusNotFound, "not_found")
	// What is no id is not there either, whatever it looks like.
	for _, odd := range []string{"1", "-", event + "-", "0" + id, strings.ToUpper(id), id + "x", "..%2F" + id, event + "-{" + nobody + "}", "%00", "99999999999999999999-" + nobody} {
		ada.do("GET", "/v1/orders/"+odd, nil).want(http.StatusNotFound, "not_found")
		ada.do("GET", "/v1/tickets/"+odd, nil).want(http.StatusNotFound, "not_found")
		ada.do("GET", "/v1/events/gig/holds/"+odd, nil).want(http.StatusNotFound, "not_found")
	}
	if after := s.rows(); after != before {
		t.Errorf("rows %s, before %s", after, before)
	}
}

// AH35, AH7: another site's page can do nothing with a visitor's cookie, and a
// GET is never anything else.
func TestCrossSite(t *testing.T) {
	s := open(t)
	ada := s.buyer("ada@example.com")
	host := strings.TrimPrefix(s.url, "http://")
	cookie := []string{"Cookie", accountCookie + "=" + ada.token, "Authorization", ""}
	try := func(headers ...string) *reply {
		return ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}, append(append([]string{}, cookie...), headers...)...)
	}
	for name, headers := range map[string][]string{
		"cross-site":                 {"Sec-Fetch-Site", "cross-site"},
		"a sibling's subdomain":      {"Sec-Fetch-Site", "same-site"},
		"foreign origin":             {"Origin", "http://evil.example"},
		"no origin":                  {},
		"null origin":                {"Origin", "null"},
		"our host after a user":      {"Origin", "http://evil@" + host},
		"a path after our host":      {"Origin", "http://" + host + "/x"},
		"another scheme":             {"Origin", "ftp://" + host},
		"our host as a suffix":       {"Origin", "http://evil." + host},
		"cross-site with our origin": {"Sec-Fetch-Site", "cross-site", "Origin", "http://" + host},
	} {
		r := try(headers...)
		if r.status != http.StatusForbidden || r.str("code") != "cross_site" {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
		if r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: an ACAO header", name)
		}
	}
	form := []string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "cross-site"}
	s.do("POST", "/sign-in", "email=eve%40example.com", form...).want(http.StatusForbidden, "cross_site")
	s.do("POST", "/sign-out", "", form...).want(http.StatusForbidden, "cross_site")
	ada.do("POST", "/v1/events/gig/holds", `{"seats":[1]}`, "Content-Type", "text/plain").want(http.StatusUnsupportedMediaType, "unsupported_media_type")

	before := s.rows()
	for _, override := range []string{"X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"} {
		ada.do("GET", "/v1/orders", nil, override, "DELETE").want(http.StatusOK, "")
	}
	ada.do("GET", "/v1/orders?_method=DELETE", nil).want(http.StatusUnprocessableEntity, "invalid_parameter")
	if after := s.rows(); after != before {
		t.Errorf("a GET changed rows: %s, before %s", after, before)
	}

	try("Sec-Fetch-Site", "same-origin").want(http.StatusCreated, "")
	// Over plain http a browser sends no Sec-Fetch-Site: Origin speaks for the page.
	ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{2}}, append(cookie, "Origin", s.url)...).want(http.StatusCreated, "")
}

// A GET of an account that exists in a token only must not write it.
func TestReadingMakesNoAccount(t *testing.T) {
	s := open(t)
	token, err := s.api.issuer.Sign("new@example.com", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	before := s.rows()
	s.do("GET", "/v1/orders", nil, "Authorization", "Bearer "+token).want(http.StatusOK, "")
	if after := s.rows(); after != before {
		t.Errorf("rows %s, before %s", after, before)
	}
	b := &buyer{s: s, token: token, pass: s.pass()}
	b.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}).want(http.StatusCreated, "")
}
