package caddymodule

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ropeline/ropeline/caddymodule/wire"
)

// origins reads the allow-list of cors.
func origins(list string) ([]string, error) {
	out := strings.Fields(list)
	for _, o := range out {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || o != u.Scheme+"://"+u.Host {
			return nil, fmt.Errorf("cors %q: write origins as browsers send them, for example \"https://app.example.com https://m.example.com\"", o)
		}
	}
	return out, nil
}

// allowed says whether a page of another origin may read our answers.
func (h *Handler) allowed(r *http.Request) bool {
	o := r.Header.Get("Origin")
	return o != "" && slices.Contains(h.origins, o)
}

// share lets an allowed page read an answer of ours (W32). The origin's answers are the origin's business.
func (h *Handler) share(w http.ResponseWriter, r *http.Request) {
	if len(h.origins) == 0 {
		return
	}
	w.Header().Add("Vary", "Origin")
	if h.allowed(r) {
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		w.Header().Set("Access-Control-Allow-Credentials", "true")
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After, Ropeline-Answer, Ropeline-Ticket, Ropeline-Pass, RateLimit, RateLimit-Policy")
	}
}

// unshare takes back what share has said, when the answer turns out to be the origin's: who may read that is not ours to say.
func unshare(w http.ResponseWriter) {
	for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Expose-Headers"} {
		w.Header().Del(name)
	}
}

// preflight answers a browser's question before a request from another origin. It never carries cookies, so the pass
// cannot decide; the allow-list does, and without one nothing is answered here (AH26).
func (h *Handler) preflight(w http.ResponseWriter, r *http.Request) (ok bool, err error) {
	if r.Method != http.MethodOptions || len(h.origins) == 0 || r.Header.Get("Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return false, nil
	}
	h.share(w, r)
	if !h.allowed(r) {
		return true, problem{Status: http.StatusForbidden, Code: "cross_origin", Detail: "Pages of this origin may not ask this."}.write(w, r)
	}
	head := w.Header()
	head.Add("Vary", "Access-Control-Request-Headers")
	head.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
	if want := r.Header.Get("Access-Control-Request-Headers"); want != "" && len(want) <= 1000 && !strings.ContainsFunc(want, func(c rune) bool { return c < ' ' || c > '~' }) {
		head.Set("Access-Control-Allow-Headers", want)
	}
	head.Set("Access-Control-Max-Age", "600")
	private(w, "preflight")
	w.WriteHeader(http.StatusNoContent)
	return true, nil
}

// presets are requests that most sites want beside the gate. They go by whole path segments: an ending such as .css
// can be put behind any path, and many origins do not look at it.
var presets = map[string]struct {
	methods, exact, below []string
}{
	"assets":   {[]string{"GET", "HEAD"}, []string{"/favicon.ico", "/robots.txt", "/manifest.webmanifest"}, []string{"/assets/", "/static/", "/_next/static/", "/build/"}},
	"health":   {[]string{"GET", "HEAD"}, []string{"/healthz", "/livez", "/readyz", "/health"}, nil},
	"webhooks": {[]string{"POST"}, nil, []string{"/webhooks/", "/webhook/"}},
}

func checkPresets(list string) error {
	for _, name := range strings.Fields(list) {
		if _, ok := presets[name]; !ok {
			return fmt.Errorf("beside %q: use assets, health, webhooks", name)
		}
	}
	return nil
}

// beside says whether a preset leaves the request outside the gate. Only a path in its one plain spelling counts.
func (h *Handler) beside(r *http.Request) bool {
	if h.crawler(r) {
		return true
	}
	p := r.URL.Path
	if len(h.presets) == 0 && h.signIn == "" || !wire.PlainPath(r.URL) {
		return false
	}
	if p == h.signIn && p != "" {
		return true // its button is on the page of whoever has to sign in first: behind the gate it would lead back to that page
	}
	for _, name := range h.presets {
		s := presets[name]
		if slices.Contains(s.methods, r.Method) && (slices.Contains(s.exact, p) ||
			slices.ContainsFunc(s.below, func(dir string) bool { return strings.HasPrefix(p, dir) && len(p) > len(dir) })) {
			return true
		}
	}
	return false
}
