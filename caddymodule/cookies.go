package caddymodule

import (
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/caddymodule/wire"
)

const (
	ticketPart   = wire.TicketPart
	passPart     = wire.PassPart
	hostPrefix   = wire.HostPrefix
	domainPrefix = wire.DomainPrefix // with cookie_domain

	ticketHeader = "Ropeline-Ticket"
	passHeader   = "Ropeline-Pass"

	// maxTokens bounds how many tokens of one kind a request may bring; a subdomain or a stranger on plain HTTP can plant
	// more beside the genuine one. Browsers themselves keep no more than this many for a site.
	maxTokens = 180
)

// secure says whether the visitor's own connection is HTTPS. A proxy's word counts only if Caddy trusts the proxy.
func secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return trustedPeer(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

func trustedPeer(r *http.Request) bool {
	trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool)
	return trusted
}

// hostOf is the host a visitor typed, without the port.
func hostOf(r *http.Request) string {
	host := r.Host
	if f := r.Header.Get("X-Forwarded-Host"); f != "" && trustedPeer(r) {
		host = f
	}
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// domainFor is the Domain of our cookies: cookie_domain where the visitor's host lies in it. On a host outside of it a
// browser would drop such a cookie, and its visitor would get a new place with each request.
func (h *Handler) domainFor(r *http.Request) string {
	d := h.CookieDomain
	if d == "" {
		return ""
	}
	if host := hostOf(r); host != d && !strings.HasSuffix(host, "."+d) {
		return ""
	}
	return d
}

// cookieName follows the visitor's scheme: over plain HTTP a browser would drop a __Host- cookie, and over HTTPS the
// plain name is never read, since anybody on the network could have planted it.
func cookieName(r *http.Request, domain, part, room string) string {
	switch {
	case !secure(r):
		return part + room
	case domain != "":
		return domainPrefix + part + room
	}
	return hostPrefix + part + room
}

// tokens are the values of a cookie, or of the header that stands for it in clients without cookies; the most likely
// ones first. Browsers send what was set for a longer path first, which is how a planted cookie hides ours, set for /:
// so the last come first here. With cookie_domain, cookies from before it was set still count.
func (h *Handler) tokens(r *http.Request, header, part string) []string {
	var out []string
	for _, v := range r.Header.Values(header) {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	domain := h.domainFor(r)
	name := cookieName(r, domain, part, h.Room)
	other := name
	if domain != "" {
		other = cookieName(r, "", part, h.Room)
	}
	fromHeader := len(out)
	for _, line := range r.Header["Cookie"] {
		for line != "" {
			var pair string
			pair, line, _ = strings.Cut(line, ";")
			n, v, ok := strings.Cut(strings.Trim(pair, " \t"), "=")
			if ok && v != "" && (n == name || n == other) {
				out = append(out, v)
			}
		}
	}
	for i, j := fromHeader, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out[:min(len(out), maxTokens)]
}

// setCookie adds one of our cookies to an answer of our own. maxAge 0 removes it.
func (h *Handler) setCookie(w http.ResponseWriter, r *http.Request, part, value string, maxAge time.Duration) {
	domain := h.domainFor(r)
	writeCookie(w, r, domain, part, h.Room, value, maxAge)
	if maxAge <= 0 && domain != "" {
		writeCookie(w, r, "", part, h.Room, "", 0) // and the one from before cookie_domain
	}
}

func writeCookie(w http.ResponseWriter, r *http.Request, domain, part, room, value string, maxAge time.Duration) {
	c := &http.Cookie{Name: cookieName(r, domain, part, room), Value: value, Path: "/", Domain: domain, MaxAge: int(maxAge / time.Second),
		HttpOnly: true, Secure: secure(r), SameSite: http.SameSiteLaxMode}
	if c.MaxAge <= 0 {
		c.MaxAge = -1
	}
	w.Header().Add("Set-Cookie", c.String())
}
