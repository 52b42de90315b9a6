package caddymodule

import (
	"net/http"
	"strings"
)

// kind is what a request is to the line. It is read from method, Sec-Fetch-* and Accept together, never from one
// exact string: clients send them in many forms.
type kind struct {
	page   bool // a person would see the answer: HTML
	framed bool // inside another page: neither a place nor a turn
	turn   bool // may spend a turn: a top-level GET that somebody is looking at
	joins  bool // gets a place when it has none
	json   bool // asked for JSON, or carries its tokens in headers
}

func classify(r *http.Request) kind {
	h := r.Header
	mode, dest := h.Get("Sec-Fetch-Mode"), h.Get("Sec-Fetch-Dest")
	accept := strings.ToLower(strings.Join(h.Values("Accept"), ","))
	k := kind{json: strings.Contains(accept, "json") || h["Ropeline-Ticket"] != nil}
	if isUpgrade(r) {
		return k
	}
	navigates := mode == "navigate" || mode == "" && strings.Contains(accept, "text/html")
	// A browser's own word wins over Accept: fetch() may ask for text/html, and must not get a page (W34).
	k.page = navigates && dest != "empty" && (r.Method == http.MethodGet || r.Method == http.MethodPost || r.Method == http.MethodHead)
	if speculative(h) || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return k
	}
	k.framed = k.page && (dest == "iframe" || dest == "frame" || dest == "embed" || dest == "object")
	k.turn = k.page && r.Method == http.MethodGet && (dest == "" || dest == "document")
	// Images, scripts and styles come with the cookie of the page they belong to, or with none at all; a place for
	// each of them would be a place nobody takes.
	k.joins = k.page || mode == "" || dest == "" || dest == "empty"
	return k
}

// speculative requests are made by the browser, not by the person (W65).
func speculative(h http.Header) bool {
	for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
		if v := strings.ToLower(h.Get(name)); strings.Contains(v, "prefetch") || strings.Contains(v, "prerender") || v == "preview" {
			return true
		}
	}
	return false
}

func isUpgrade(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" || strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade")
}
