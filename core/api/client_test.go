package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// buyer is one account behind one pass.
type buyer struct {
	s     *stand
	token string
	pass  string
}

func (s *stand) buyer(email string) *buyer {
	s.t.Helper()
	a := s.do("POST", "/dev/token", map[string]string{"email": email})
	a.want(http.StatusOK, "")
	return &buyer{s: s, token: a.str("token"), pass: s.pass()}
}

// do makes a buyer's request: signed in, with pass and a fresh key. Headers come in
// pairs and win; an empty value removes the header.
func (b *buyer) do(method, path string, body any, headers ...string) *reply {
	b.s.t.Helper()
	all := []string{"Authorization", "Bearer " + b.token, "Ropeline-Pass", b.pass}
	if method != http.MethodGet {
		all = append(all, "Idempotency-Key", uuid.NewString())
	}
	return b.s.do(method, path, body, append(all, headers...)...)
}

// reply is an answer that was checked against the OpenAPI document.
type reply struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   []byte
}

func (s *stand) do(method, path string, body any, headers ...string) *reply {
	s.t.Helper()
	var reader io.Reader
	media := ""
	switch b := body.(type) {
	case nil:
	case string:
		reader, media = strings.NewReader(b), "application/json"
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		reader, media = bytes.NewReader(encoded), "application/json"
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, reader)
	if err != nil {
		s.t.Fatal(err)
	}
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := noRedirects.Do(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	s.check.answer(s.t, req, resp, b)
	return &reply{t: s.t, what: method + " " + path, status: resp.StatusCode, header: resp.Header, body: b}
}

var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// want checks status and, for a refusal, its code.
func (r *reply) want(status int, code string) *reply {
	r.t.Helper()
	if r.status != status || (code != "" && r.str("code") != code) {
		r.t.Fatalf("%s: %d, want %d %s:\n%.600s", r.what, r.status, status, code, r.body)
	}
	return r
}

// get follows a path of member names and list indexes.
func (r *reply) get(path ...any) any {
	r.t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		r.t.Fatalf("%s: %v\n%.600s", r.what, err, r.body)
	}
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				r.t.Fatalf("%s: no %v in\n%.600s", r.what, path, r.body)
			}
			v = l[p]
		}
	}
	return v
}

func (r *reply) str(path ...any) string {
	r.t.Helper()
	return fmt.Sprint(r.get(path...))
}

// sale is how far tests usually go: an order of some seats.
func (b *buyer) order(seats ...int) (hold, order *reply) {
	b.s.t.Helper()
	hold = b.do("POST", "/v1/events/gig/holds", map[string]any{"seats": seats}).want(http.StatusCreated, "")
	order = b.do("POST", "/v1/events/gig/orders", map[string]any{"hold": hold.str("id")}).want(http.StatusCreated, "")
	return hold, order
}

// settled polls an order until it leaves the states in which something is under way.
func (b *buyer) settled(order string) *reply {
	b.s.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		r := b.do("GET", "/v1/orders/"+order, nil).want(http.StatusOK, "")
		if st := r.str("state"); st != "verifying" && st != "confirmed" {
			return r
		}
		if time.Now().After(deadline) {
			b.s.t.Fatalf("order does not settle:\n%s", r.body)
		}
		time.Sleep(20 * time.Millisecond) // between polls, as a client does; what is waited for is the state
	}
}
