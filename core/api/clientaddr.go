package api

import (
	"net/http"
	"net/netip"
	"strings"
)

// proxies are the networks whose X-Forwarded-For and X-Forwarded-Proto are believed.
type proxies []netip.Prefix

func (p proxies) trust(a netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(a) {
			return true
		}
	}
	return false
}

// peer is the other end of the connection.
func peer(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap()
}

// client is who made the request: the peer, or, as long as that is a proxy of
// ours, the address it wrote down last. Read from the right: whatever stands
// further left was written by the client and may say anything.
func (p proxies) client(r *http.Request) netip.Addr {
	at := peer(r)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trust(at); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = next.Unmap()
	}
	return at
}

// https tells whether the visitor's own connection is encrypted.
func (p proxies) https(r *http.Request) bool {
	return r.TLS != nil || p.trust(peer(r)) && r.Header.Get("X-Forwarded-Proto") == "https"
}
