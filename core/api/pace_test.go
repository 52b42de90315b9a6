package api

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/admission"
)

// AB34: two hundred attempts from one account, one network, one device are limited for
// each of the three; whoever tries beside them is not.
func TestTooManyAttempts(t *testing.T) {
	frozen := time.Now().Add(time.Minute) // passes are made meanwhile, by the real clock
	paced := func(o *Options) {
		o.Now = func() time.Time { return frozen }
		o.Holds, o.Payments = PacesOf(60, 150), PacesOf(15, 60)
	}
	at := func(p *admission.Pass) { p.IssuedAt, p.NotBefore = frozen, frozen } // the API's clock stands, the test's goes on
	const attempts = 200
	for name, c := range map[string]struct {
		by      string
		allowed int
		as      func(s *stand, b *buyer, i int) []string // headers of attempt i
	}{
		"one account": {"account", 20, func(s *stand, _ *buyer, i int) []string {
			return []string{"X-Forwarded-For", fmt.Sprintf("198.51.%d.9", i), "Ropeline-Pass", s.pass(at)}
		}},
		"one device": {"device", 20, func(s *stand, _ *buyer, i int) []string {
			return []string{"X-Forwarded-For", fmt.Sprintf("198.51.%d.9", i), "Authorization", "Bearer " + s.token(i)}
		}},
		"one network": {"network", 50, func(s *stand, _ *buyer, i int) []string {
			return []string{"X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i), "Authorization", "Bearer " + s.token(i), "Ropeline-Pass", s.pass(at)}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, paced)
			mallory := s.buyer("mallory@example.com")
			mallory.pass = s.pass(at)
			passed := 0
			for i := range attempts {
				// Refused by the engine, which counts as an attempt all the same.
				r := mallory.do("POST", "/v1/events/gig/holds", `{"seats": [99]}`, c.as(s, mallory, i)...)
				// So does one that is refused because the device buys for another account.
				if r.status == http.StatusUnprocessableEntity || r.status == http.StatusConflict && r.str("code") == "session_taken_over" {
					passed++
					continue
				}
				r.want(http.StatusTooManyRequests, "too_many_attempts")
				if after, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || after < 1 || after > 60 || r.str("limit") != c.by {
					t.Fatalf("Retry-After %q, by %s:\n%s", r.header.Get("Retry-After"), r.str("limit"), r.body)
				}
			}
			if passed != c.allowed {
				t.Errorf("%d of %d attempts passed, want %d", passed, attempts, c.allowed)
			}
			ada := s.buyer("ada@example.com")
			ada.pass = s.pass(at)
			ada.do("POST", "/v1/events/gig/holds", `{"seats": [1]}`, "X-Forwarded-For", "192.0.2.1").want(http.StatusCreated, "")
		})
	}
}

// AB34 for payments: likewise by account, by device and by network, and the buyer beside
// them pays.
func TestTooManyPayments(t *testing.T) {
	frozen := time.Now().Add(time.Minute) // passes are made meanwhile, by the real clock
	paced := func(o *Options) {
		o.Now = func() time.Time { return frozen }
		o.Holds, o.Payments = PacesOf(60, 150), PacesOf(15, 60)
	}
	for name, c := range map[string]struct {
		by      string
		allowed int
		as      func(s *stand, i int) []string
	}{
		"one account": {"account", 5, func(s *stand, i int) []string {
			return []string{"X-Forwarded-For", fmt.Sprintf("198.51.%d.9", i), "Ropeline-Pass", s.pass()}
		}},
		"one device": {"device", 5, func(s *stand, i int) []string {
			return []string{"X-Forwarded-For", fmt.Sprintf("198.51.%d.9", i), "Authorization", "Bearer " + s.token(i)}
		}},
		"one network": {"network", 20, func(s *stand, i int) []string {
			return []string{"X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i), "Authorization", "Bearer " + s.token(i), "Ropeline-Pass", s.pass()}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, paced)
			mallory := s.buyer("mallory@example.com")
			passed := 0
			for i := range 200 {
				r := mallory.do("POST", "/v1/orders/1-"+uuid.NewString()+"/payments", `{"card_token": "tok_ok"}`, c.as(s, i)...)
				if r.status == http.StatusNotFound || r.status == http.StatusConflict && r.str("code") == "session_taken_over" {
					passed++
					continue
				}
				r.want(http.StatusTooManyRequests, "too_many_attempts")
				if after, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || after < 1 || after > 60 || r.str("limit") != c.by {
					t.Fatalf("Retry-After %q, by %s:\n%s", r.header.Get("Retry-After"), r.str("limit"), r.body)
				}
			}
			if passed != c.allowed {
				t.Errorf("%d payments passed, want %d", passed, c.allowed)
			}
			ada := s.buyer("ada@example.com")
			ada.do("POST", "/v1/orders/1-"+uuid.NewString()+"/payments", `{"card_token": "tok_ok"}`, "X-Forwarded-For", "192.0.2.1").want(http.StatusNotFound, "")
		})
	}
}

func TestPaymentsHaveACountOfTheirOwn(t *testing.T) {
	frozen := time.Now().Add(time.Minute) // passes are made meanwhile, by the real clock
	s := open(t, func(o *Options) {
		o.Now = func() time.Time { return frozen }
		o.Payments = PacesOf(15, 60)
	})
	ada := s.buyer("ada@example.com")
	got := map[int]int{}
	for range 20 {
		got[ada.do("POST", "/v1/orders/1-"+uuid.NewString()+"/payments", `{"card_token": "tok_ok"}`).status]++
	}
	if got[http.StatusNotFound] != 5 || got[http.StatusTooManyRequests] != 15 {
		t.Errorf("%v", got)
	}
	ada.do("POST", "/v1/events/gig/holds", `{"seats": [1]}`).want(http.StatusCreated, "")
}

func (s *stand) token(i int) string {
	s.t.Helper()
	return s.do("POST", "/dev/token", map[string]string{"email": fmt.Sprintf("buyer-%d@example.com", i)}).want(http.StatusOK, "").str("token")
}
