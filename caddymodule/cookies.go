package caddymodule

import (
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

const (
	ticketPart = "rl-t-"
	passPart   = "rl-p-"
	hostPrefix = "__Host-"

	ticketHeader = "Ropeline-Ticket"
	passHeader   = "Ropeline-Pass"

	// maxTokens bounds how many cookies of one name are tried; a subdomain or a stranger can plant more.
	maxTokens = 4
)

// secure says whether the visitor's own connection is HTTPS. A proxy's word counts only if Caddy trusts the proxy.
func secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool)
	return trusted && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// cookieName follows the visitor's scheme: over plain HTTP a browser would drop a __Host- cookie, and over HTTPS the
// plain name is never read, since anybody on the network could have planted it.
func cookieName(r *http.Request, part, room string) string {
	if secure(r) {
		return hostPrefix + part + room
	}
	return part + room
}

// tokens are the values of a cookie, or of the header that stands for it in clients without cookies.
func tokens(r *http.Request, header, part, room string) []string {
	var out []string
	for _, v := range r.Header.Values(header) {
		if v = strings.TrimSpace(v); v != "" && len(out) < maxTokens {
			out = append(out, v)
		}
	}
	name := cookieName(r, part, room)
	for _, line := range r.Header.Values("Cookie") {
		for pair := range strings.SplitSeq(line, ";") {
			n, v, ok := strings.Cut(strings.Trim(pair, " \t"), "=")
			if ok && n == name && v != "" && len(out) < maxTokens {
				out = append(out, v)
			}
		}
	}
	return out
}

// setCookie adds one of our cookies to an answer of our own. maxAge 0 removes it.
func setCookie(w http.ResponseWriter, r *http.Request, part, room, value string, maxAge time.Duration) {
	c := &http.Cookie{Name: cookieName(r, part, room), Value: value, Path: "/", MaxAge: int(maxAge / time.Second),
		HttpOnly: true, Secure: secure(r), SameSite: http.SameSiteLaxMode}
	if c.MaxAge <= 0 {
		c.MaxAge = -1
	}
	w.Header().Add("Set-Cookie", c.String())
}

// ourCookie matches the names of every room: the origin of one must not see the tokens of another.
func ourCookie(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, hostPrefix), "__Secure-")
	return strings.HasPrefix(name, ticketPart) || strings.HasPrefix(name, passPart)
}

// stripCookies takes our cookies out of the request and leaves every other byte of the header as it came: some
// origins parse cookies in ways of their own.
func stripCookies(h http.Header) {
	lines := h["Cookie"]
	if len(lines) == 0 {
		return
	}
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		if line = stripCookieLine(line); line != "" {
			kept = append(kept, line)
		}
	}
	if len(kept) == 0 {
		delete(h, "Cookie")
		return
	}
	h["Cookie"] = kept
}

func stripCookieLine(line string) string {
	if !strings.Contains(line, passPart) && !strings.Contains(line, ticketPart) {
		return line
	}
	parts := strings.Split(line, ";")
	kept := parts[:0]
	for _, p := range parts {
		name, _, _ := strings.Cut(p, "=")
		if !ourCookie(strings.TrimSpace(name)) {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return strings.TrimLeft(strings.Join(kept, ";"), " ")
}

// stripHeaders removes every Ropeline-* header, also in the spelling that CGI-like origins turn into the same name.
func stripHeaders(h http.Header) {
	for name := range h {
		if ours(name) {
			delete(h, name)
		}
	}
}

func ours(header string) bool {
	const prefix = "ropeline-"
	return len(header) >= len(prefix) && strings.EqualFold(strings.ReplaceAll(header[:len(prefix)], "_", "-"), prefix)
}
