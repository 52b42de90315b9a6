package caddymodule

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// strangersPage refuses what a page that is not ours makes an operator's browser send to the console's listener or to the
// admin API. Caddy itself keeps most of that from its admin listener, but not from one that listens on all addresses and is
// reached by a name that somebody has pointed there; and the console's listener is not Caddy's. Programs are not touched:
// Caddy's own commands send an Origin, which is their address.
func strangersPage(r *http.Request) error {
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		// A link to the console from elsewhere is a person's own click; everything else is the other page's doing.
		if !safe || r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			return refuse(http.StatusForbidden, "a page of another site sent this: only the console itself and programs may")
		}
	}
	if origin := r.Header.Get("Origin"); origin != "" && !sameHost(origin, r.Host) {
		return refuse(http.StatusForbidden, "a page of %s sent this: only the console itself and programs may", origin)
	}
	if aBrowser(r) && !nobodyElses(r.Host) {
		return refuse(http.StatusForbidden, "a browser asked for %s: whoever owns that name could point it at this listener, so come by address, by localhost (through an SSH tunnel) or by the machine's own name", r.Host)
	}
	return nil
}

func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

// aBrowser is one by its own word. Over plain HTTP to a name it sends no Sec-Fetch header, and with a GET no Origin.
func aBrowser(r *http.Request) bool {
	return strings.HasPrefix(r.UserAgent(), "Mozilla/") || r.Header.Get("Sec-Fetch-Site") != ""
}

// privateNames end names that no stranger can own.
var privateNames = []string{".localhost", ".local", ".internal", ".home.arpa", ".lan"}

// nobodyElses is a host that no stranger can have pointed here: an address, a name without a dot, a private one, our own.
func nobodyElses(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") {
		return true
	}
	own, err := os.Hostname()
	return err == nil && strings.EqualFold(own, name) || slices.ContainsFunc(privateNames, func(end string) bool { return strings.HasSuffix(name, end) })
}
