package caddymodule

import (
	"os"
	"strings"
	"testing"
)

// The promise to caches, cdn/README.md, held against real answers: what is public has a short life and no cookie,
// what is one visitor's is never kept, what is the origin's stays as it was (W35, W37).
func TestCacheHeaders(t *testing.T) { overBoth(t, testCacheHeaders) }

func testCacheHeaders(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1000/s", "wait_page on"), "")
	const shared, keys, own = "public, max-age=1, s-maxage=1", "public, max-age=300", "private, no-store"
	v := e.visitor()
	check := func(name string, r reply, want string) {
		t.Helper()
		if got := r.Header.Get("Cache-Control"); got != want {
			t.Errorf("%s: %d with Cache-Control %q, want %q", name, r.StatusCode, got, want)
		}
		if r.Header.Get("Set-Cookie") != "" && want != own {
			t.Errorf("%s: a cookie on an answer that a cache may keep", name)
		}
	}
	base := reservedPrefix + "main/"
	check("page", v.navigate("/"), own)
	for _, accept := range []string{"*/*", "application/json", "text/css", "image/avif,image/webp", "text/event-stream", "application/grpc", "font/woff2", ""} {
		check("refusal for "+accept, e.visitor().do("GET", "/x", "Accept", accept), own)
	}
	for route, want := range map[string]string{"status": shared, "jwks.json": keys, "draw": shared} {
		check(route, e.visitor().do("GET", base+route), want)
		check(route+" with cookies", v.do("GET", base+route), want)
	}
	entry := e.visitor().do("GET", base+"wait", cdnHeader, cdnRule)
	check("wait", entry, entryCache)
	_, rest, _ := strings.Cut(entry.body, `"at":"`)
	pages, _, _ := strings.Cut(rest, `"`)
	check("wait/<version>/<language>", v.do("GET", pages+"en", cdnHeader, cdnRule), pageCache)
	check("wait without the rule", v.do("GET", base+"wait"), own)
	check("line", v.navigate(base+"line"), own)
	check("draw/list before the draw", v.do("GET", base+"draw/list"), own)
	for _, route := range []string{"knock", "heartbeat", "enter", "renew", "none"} {
		check(route, v.do("POST", base+route), own)
	}
	check("wrong method", v.do("GET", base+"knock"), own)
	check("entering", v.enter("/"), own)
	check("the origin's", v.navigate("/"), "public, max-age=77")
	check("leave", v.do("POST", base+"leave"), own)

	table, err := os.ReadFile("../cdn/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []string{shared, keys, own, entryCache, pageCache} {
		if !strings.Contains(string(table), "`"+h+"`") {
			t.Errorf("cdn/README.md does not speak of %q", h)
		}
	}
}
