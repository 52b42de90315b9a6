package wire

import (
	"net/http"
	"strings"
)

// The names of our cookies are one of these and the room's, after a prefix that depends on scheme and domain.
const (
	TicketPart = "rl-t-"
	PassPart   = "rl-p-"
	HostPrefix = "__Host-"

	// DomainPrefix is for cookies of a whole domain: browsers keep __Host- ones to one host.
	DomainPrefix = "__Secure-"
)

// OurCookie matches the names of every room: the origin of one must not see the tokens of another.
func OurCookie(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, HostPrefix), DomainPrefix)
	return strings.HasPrefix(name, TicketPart) || strings.HasPrefix(name, PassPart)
}

// StripCookies takes our cookies out of the request and leaves every other byte of the header as it came: some
// origins parse cookies in ways of their own.
func StripCookies(h http.Header) {
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
	if !strings.Contains(line, PassPart) && !strings.Contains(line, TicketPart) {
		return line
	}
	parts := strings.Split(line, ";")
	kept := parts[:0]
	for _, p := range parts {
		name, _, _ := strings.Cut(p, "=")
		if !OurCookie(strings.TrimSpace(name)) {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return strings.TrimLeft(strings.Join(kept, ";"), " ")
}

// StripHeaders removes every Ropeline-* header, also in the spelling that CGI-like origins turn into the same name.
func StripHeaders(h http.Header) {
	for name := range h {
		if Ours(name) {
			delete(h, name)
		}
	}
}

// Ours says whether a header is one of ours.
func Ours(header string) bool {
	const prefix = "ropeline-"
	return len(header) >= len(prefix) && strings.EqualFold(strings.ReplaceAll(header[:len(prefix)], "_", "-"), prefix)
}
