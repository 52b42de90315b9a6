package caddymodule

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/caddyserver/caddy/v2"
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
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Ropeline-Answer", what)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

func writeJSON(w http.ResponseWriter, r *http.Request, status int, contentType string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(b)+1))
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
