package caddymodule

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/admission/line"
)

// problem is an answer of ours that is not a page (RFC 9457).
type problem struct {
	Status     int
	Code       string // for machines; stable
	Detail     string // one sentence for people
	Answer     string // Ropeline-Answer; default "problem"
	RetryAfter int    // seconds; 0: none
	More       map[string]any
}

func (p problem) write(w http.ResponseWriter, r *http.Request) error {
	body := map[string]any{"type": "urn:ropeline:problem:" + p.Code, "title": http.StatusText(p.Status), "status": p.Status,
		"code": p.Code, "detail": p.Detail, "request_id": requestID(r)}
	for name, v := range p.More {
		body[name] = v
	}
	if p.Answer == "" {
		p.Answer = "problem"
	}
	private(w, p.Answer)
	if p.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	if p.Status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	}
	return writeJSON(w, r, p.Status, "application/problem+json", body)
}

// private marks an answer as one visitor's own, whatever stands between. What says which kind of answer it is.
func private(w http.ResponseWriter, what string) {
	set(w.Header(), "Cache-Control", "private, no-store", "Ropeline-Answer", what, "Referrer-Policy", "no-referrer", "X-Content-Type-Options", "nosniff")
}

// set is Header.Set for several names in their canonical form, with one allocation for all values. They are not shared
// between answers: a `header` directive with a replacement changes them in place.
func set(h http.Header, namesAndValues ...string) {
	values := make([]string, len(namesAndValues)/2)
	for i := range values {
		values[i] = namesAndValues[2*i+1]
		h[namesAndValues[2*i]] = values[i : i+1 : i+1]
	}
}

// limitFields tells a program what it ran into (draft-ietf-httpapi-ratelimit-headers).
func limitFields(w http.ResponseWriter, name, limit string, reset int) {
	if limit == "" {
		limit = defaultJoinLimit
	}
	if rate, err := line.ParseRate(limit); err == nil && rate.PerSecond() > 0 {
		w.Header().Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=60", name, int(math.Ceil(rate.PerSecond()*60))))
	}
	w.Header().Set("RateLimit", fmt.Sprintf("%q;r=0;t=%d", name, reset))
}

func writeJSON(w http.ResponseWriter, r *http.Request, status int, contentType string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return writeBytes(w, r, status, contentType, b)
}

// writeBytes writes a text and the end of its line.
func writeBytes(w http.ResponseWriter, r *http.Request, status int, contentType string, b []byte) error {
	set(w.Header(), "Content-Type", contentType, "Content-Length", strconv.Itoa(len(b)+1))
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return nil
	}
	_, _ = w.Write(append(b, '\n')) // the visitor is gone if this fails
	return nil
}

func requestID(r *http.Request) string {
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		id, _ := repl.GetString("http.request.uuid")
		return id
	}
	return ""
}
