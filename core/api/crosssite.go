package api

import (
	"net/http"
	"net/url"
)

// sameSite decides whether a request that carries a cookie was made by our own
// page. Browsers say so in Sec-Fetch-Site; over plain http (a phone in the local
// network) they send only Origin. A request with neither is refused: every browser
// sends an Origin with a POST or DELETE, and a program uses a bearer token.
//
// "same-site" is not enough: a page of another subdomain is another's page.
func sameSite(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin" || site == "none"
	}
	return originIsOurs(r)
}

// originIsOurs: an origin is scheme and host and nothing else (RFC 6454), so one with a
// user before the host is none, whatever a URL parser reads out of it.
func originIsOurs(r *http.Request) bool {
	o := r.Header.Get("Origin")
	u, err := url.Parse(o)
	return err == nil && u.Host == r.Host && r.Host != "" && (o == "http://"+u.Host || o == "https://"+u.Host)
}
