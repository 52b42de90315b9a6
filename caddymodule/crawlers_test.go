package caddymodule

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// W40: a verified crawler is known by its address. Whoever only calls himself one waits, and so does a crawler that
// wants more than to look.
func TestVerifiedCrawlers(t *testing.T) {
	list := filepath.Join(t.TempDir(), "bot.json")
	if err := os.WriteFile(list, []byte(`{"creationTime":"2026-01-01","prefixes":[{"ipv6Prefix":"2001:4860:4801::/48"},{"ipv4Prefix":"66.249.64.0/27"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	overBoth(t, func(t *testing.T, o over) {
		room := roomWith("rate 1/h", fmt.Sprintf("crawlers %q", list+" 157.55.39.0/24"))
		e := o.edge(t, room, "", "strict_sni_host on", "strict_sni_host on\n\t\ttrusted_proxies static 0.0.0.0/0 ::/0\n\t\ttrusted_proxies_unix")
		const ua = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
		for _, c := range []struct {
			method, address string
			beside          bool
		}{
			{"GET", "66.249.64.5", true}, {"HEAD", "66.249.64.31", true}, {"GET", "2001:4860:4801:10::1", true}, {"GET", "157.55.39.200", true},
			{"GET", "66.249.64.32", false}, {"GET", "203.0.113.7", false}, {"POST", "66.249.64.5", false}, {"GET", "2001:4860:4802::1", false}, {"GET", "::ffff:66.249.64.5", true},
		} {
			before := len(e.origin.requests())
			r := e.visitor().do(c.method, "/page", "User-Agent", ua, "X-Forwarded-For", c.address, "Accept", "*/*")
			if got := len(e.origin.requests()) > before; got != c.beside {
				t.Errorf("%s from %s: beside the gate is %v (%d)", c.method, c.address, got, r.StatusCode)
			}
		}
	})
}

func TestCrawlerLists(t *testing.T) {
	for _, bad := range []string{"0.0.0.0/0", "66.0.0.0/8", "::/0", "http://example.com/list", "googlebot", "66.249.64.0/33"} {
		if _, _, _, err := crawlerSources(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("crawlers %q: %v", bad, err)
		}
	}
	for _, bad := range []string{"", "{}", "<html>", `{"prefixes":[{"ipv4Prefix":"0.0.0.0/0"}]}`, "66.249.64.0/27\nx"} {
		if err := (networks{}).readList([]byte(bad)); err == nil {
			t.Errorf("list %q accepted", bad)
		}
	}
	n := networks{}
	if err := n.readList([]byte("# theirs\n66.249.64.0/27 # one\n\n2001:db8:1::/48\n192.0.2.7\n")); err != nil || n.size() != 3 || !n.has(netip.MustParseAddr("192.0.2.7")) || n.has(netip.MustParseAddr("192.0.2.8")) {
		t.Errorf("%v %v", n, err)
	}
}

// Published lists are fetched, and one that is away or broken leaves the last in force.
func TestPublishedCrawlerLists(t *testing.T) {
	var answer atomic.Pointer[string]
	say := func(s string) { answer.Store(&s) }
	say(`{"prefixes":[{"ipv4Prefix":"66.249.64.0/27"}]}`)
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if *answer.Load() == "" {
			w.WriteHeader(http.StatusBadGateway)
		}
		fmt.Fprint(w, *answer.Load())
	}))
	defer srv.Close()
	e := newEdge(t, roomWith("rate 1/h"), "")
	r := e.room()
	follow := func() { // as at the start: the loop is at its next wait when the list is in, or has failed
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		done := make(chan struct{})
		go func() { defer close(done); r.followCrawlers(ctx, "157.55.39.0/24 "+srv.URL, srv.Client()) }()
		e.until("tried", func() bool { n := r.crawlers.Load(); return n != nil && n.has(netip.MustParseAddr("157.55.39.1")) })
		stop()
		<-done
	}
	follow()
	if !r.crawlers.Load().has(netip.MustParseAddr("66.249.64.5")) {
		t.Error("the list was not taken")
	}
	for _, broken := range []string{"", "<html>"} {
		say(broken)
		if _, err := fetchAndRead(t, srv); err == nil {
			t.Errorf("%q was taken", broken)
		}
	}
}

func fetchAndRead(t *testing.T, srv *httptest.Server) (networks, error) {
	t.Helper()
	b, err := fetchList(t.Context(), srv.Client(), srv.URL)
	n := networks{}
	if err == nil {
		err = n.readList(b)
	}
	return n, err
}
