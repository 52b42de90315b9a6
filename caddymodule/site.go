package caddymodule

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// foreign says whether a page of another host makes this request. Browsers ask no CORS for a WebSocket, and send Lax
// cookies from sister hosts. The scheme is not compared: a balancer in front may have taken the TLS away.
func foreign(r *http.Request) bool {
	o := r.Header.Get("Origin")
	if o == "" {
		return false
	}
	u, err := url.Parse(o)
	if err != nil || u.Host == "" { // "null" and the like are nobody's pages
		return true
	}
	host := r.Host
	if trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool); trusted {
		if f := r.Header.Get("X-Forwarded-Host"); f != "" {
			host = f
		}
	}
	return !strings.EqualFold(withoutDefaultPort(u.Host, u.Scheme), withoutDefaultPort(host, u.Scheme))
}

func withoutDefaultPort(host, scheme string) string {
	return strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
}

// fromElsewhere says whether another site's page asks, by the browser's own word. SameSite=Lax keeps our cookies out of
// most such requests already. Over plain HTTP browsers send no Sec-Fetch-Site, and a page of another port shares our
// cookies: there Origin tells. Where a browser says "same-origin" a proxy that changed Host must not spoil it.
func fromElsewhere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return false
	case "cross-site", "same-site":
		return true
	}
	return foreign(r)
}
