package web

import "net/http"

// contentPolicy lets a page run and show only what this server sent as a file.
// There is no inline script or style, so nothing that slips past escaping can
// run. Trusted Types makes innerHTML and its kin throw: modules build elements
// (see dom.js). form-action stays 'self': the card form is opened by a
// navigation, never by posting from here.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

const (
	// cachePersonal: what belongs to one person is kept by nobody.
	cachePersonal = "private, no-store"
	// cachePublic: the shell names whether the visitor is signed in and is in the
	// visitor's language, so shared caches must not keep it; the browser may, if it asks again. What is heavy
	// (geometry, seat states, assets) has its own address and its own policy.
	cachePublic = "private, no-cache"
	// cacheImmutable: the address contains the hash of the content.
	cacheImmutable = "public, max-age=31536000, immutable"
)

func securityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		// An address of ours may carry an order or a card token.
		h.Set("Referrer-Policy", "same-origin")
		// Over plain http browsers ignore it, with a warning on every page.
		if secure(r) {
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
		}
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
		next.ServeHTTP(w, r)
	})
}

// secure: the visitor came by https, to us or to whoever is in front of us.
func secure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}
