package caddymodule

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var throughCDN = []string{cdnHeader, cdnRule}

func waiting(options ...string) string {
	return roomWith(append([]string{"wait_page on"}, options...)...)
}

// fromPage is the one request of a page that a cache has given out.
func (v *visitorClient) fromPage(header ...string) reply {
	return v.postForm("join", url.Values{"page": {"1"}}, append([]string{"Accept", "application/json"}, header...)...)
}

// The page is given to a cache that says it has the rule, and to nobody else; it is the same for everybody and nobody's own.
func TestWaitPageIsForACache(t *testing.T) { overBoth(t, testWaitPageIsForACache) }

func testWaitPageIsForACache(t *testing.T, o over) {
	const entry = reservedPrefix + "main/wait"
	e := o.edge(t, roomWith("rate 1000/s"), "")
	if r := e.visitor().do("GET", entry, throughCDN...).want(t, 404); r.json(t)["code"] != "wait_page_off" || r.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("without the option: %v %s", r.Header, r.body)
	}
	e.visitor().navigate(reservedPrefix+"main/line").want(t, 404)
	if err := e.load(waiting("rate 1000/s", "title Gala")); err != nil {
		t.Fatal(err)
	}
	for _, header := range [][]string{nil, {cdnHeader, "yes"}, navigation} {
		if r := e.visitor().do("GET", entry, header...).want(t, 404); r.json(t)["code"] != "cdn_rule_missing" || r.Header.Get("Cache-Control") != "private, no-store" || r.Header.Get("Ropeline-Answer") != "problem" {
			t.Errorf("without the rule: %v %s", r.Header, r.body)
		}
	}
	v := e.visitor()
	v.navigate("/") // has a place, which makes no difference
	first := v.do("GET", entry, append([]string{"X-Forwarded-Host", "other.example", "Accept-Language", "xx"}, throughCDN...)...).want(t, 200)
	h := first.Header
	if h.Get("Cache-Control") != entryCache || !strings.Contains(entryCache, "s-maxage=3600") || len(h["Set-Cookie"]) > 0 || h.Get("Ropeline-Answer") != "" || h.Get("Vary") != "Accept-Encoding" ||
		!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") || h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("entry: %v", h)
	}
	if second := e.visitor().do("GET", entry+"?x=<script>alert(1)</script>", throughCDN...); second.body != first.body || strings.Contains(first.body, "other.example") {
		t.Error("the page has something of the request in it (AH33)")
	}
	if r := e.visitor().do("GET", entry, append([]string{"If-None-Match", h.Get("Etag")}, throughCDN...)...); r.StatusCode != http.StatusNotModified {
		t.Errorf("who has it: %d", r.StatusCode)
	}
	_, rest, _ := strings.Cut(first.body, `"at":"`)
	pages, _, _ := strings.Cut(rest, `"`)
	for _, lang := range []string{"en", "es", "zh", "bn", "ar"} {
		r := e.visitor().do("GET", pages+lang, throughCDN...).want(t, 200)
		if r.Header.Get("Cache-Control") != pageCache || len(r.Header["Set-Cookie"]) > 0 || r.Header.Get("Ropeline-Answer") != "" || !strings.Contains(r.body, `<html lang="`+lang+`"`) {
			t.Errorf("%s: %v", lang, r.Header)
		}
	}
	if r := e.visitor().do("GET", entry+"/00aa/es", throughCDN...).want(t, 200); r.Header.Get("Cache-Control") != olderCache || !strings.Contains(r.body, `<html lang="es"`) {
		t.Errorf("a page by an older name: %v", r.Header)
	}
	e.visitor().do("GET", pages+"xx", throughCDN...).want(t, 404)
	e.visitor().do("POST", entry, append([]string{"Sec-Fetch-Site", "same-origin"}, throughCDN...)...).want(t, 405)
	if n := e.joined(); n != 1 {
		t.Errorf("%d places by looking", n)
	}
	for _, r := range e.origin.requests() {
		if strings.HasPrefix(r.RequestURI, reservedPrefix) {
			t.Errorf("the origin saw %s", r.RequestURI)
		}
	}
}

// One small request gives the place that a navigation would have given: once, to pages of this site alone.
func TestJoiningFromAKeptPage(t *testing.T) {
	e := newEdge(t, waiting("rate 1000/s", "cap 0"), "")
	for name, header := range map[string][]string{"another site": {"Sec-Fetch-Site", "cross-site"}, "a sibling": {"Sec-Fetch-Site", "same-site"}, "nobody": {"Sec-Fetch-Site", "none", "Origin", "null"}} {
		if r := e.visitor().fromPage(header...).want(t, 403); r.json(t)["code"] != "cross_site" || len(r.Header["Set-Cookie"]) > 0 {
			t.Errorf("%s: %v", name, r.body)
		}
	}
	e.visitor().postForm("join", url.Values{}).want(t, 403) // W05: a form that says nothing burns no place
	e.visitor().do("GET", reservedPrefix+"main/join").want(t, 405)
	if n := e.joined(); n != 0 {
		t.Fatalf("%d places", n)
	}
	v := e.visitor()
	first := v.fromPage().want(t, 200)
	if m := first.json(t); m["state"] != "joined" || m["index"] != 0.0 || m["epoch"] == 0.0 || m["ticket"] != nil || first.Header.Get(ticketHeader) != "" || first.Header.Get("Cache-Control") != "private, no-store" || len(first.Header["Set-Cookie"]) != 1 {
		t.Errorf("%v %s", first.Header, first.body)
	}
	for range 3 {
		if m := v.fromPage().want(t, 200).json(t); m["index"] != 0.0 {
			t.Errorf("again: %v", m)
		}
	}
	if n := e.joined(); n != 1 {
		t.Errorf("%d places for one browser", n)
	}
	// Whoever is in is told so; whoever has left and says that the place is used gets a new one.
	e.admin("cap", `{"cap":10}`)
	v.enter("/a")
	if m := v.fromPage().want(t, 200).json(t); m["state"] != "in" {
		t.Errorf("inside: %v", m)
	}
	used := e.visitor()
	raw := e.cookie(v, ticketPart)
	v.post("leave").want(t, 200)
	if m := used.fromPage("Cookie", ticketPart+"main="+raw).want(t, 200).json(t); m["index"] != 0.0 {
		t.Errorf("nobody has said that the place is used: %v", m)
	}
	r := used.postForm("join", url.Values{"page": {"1"}, "again": {"1"}}, "Accept", "application/json", "Cookie", ticketPart+"main="+raw).want(t, 200)
	if m := r.json(t); m["index"] != 1.0 {
		t.Errorf("somebody coming back: %v", m)
	}
	if r := used.postForm("join", url.Values{"page": {"1"}, "again": {"1"}}, "Accept", "application/json").want(t, 200); r.json(t)["index"] != 1.0 {
		t.Errorf("a good place was given away: %v", r.body)
	}
}

// A newcomer who has to work is told so in the same answer, and so is one who has to fill something in.
func TestJoiningFromAKeptPageUnderConditions(t *testing.T) {
	e := newEdge(t, waiting("rate 0", "pow always"), "")
	r := e.visitor().fromPage().want(t, 429)
	if m := r.json(t); m["code"] != "work_required" || m["challenge"] == "" || m["captcha"] != false || len(r.Header["Set-Cookie"]) > 0 {
		t.Errorf("%v", m)
	}
	key := filepath.Join(e.dir, "identity.key")
	if err := os.WriteFile(key, []byte("a secret that the shop's sign-in signs with\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for code, option := range map[string]string{"identity_required": "join identified\nidentity_key " + key, "invitation_required": "join invited"} {
		if err := e.load(waiting("rate 0", option)); err != nil {
			t.Fatal(err)
		}
		e.until(code, func() bool { return e.visitor().fromPage().json(t)["code"] == code })
	}
	if n := e.joined(); n != 0 {
		t.Errorf("%d places", n)
	}
}

// The way into the line that no cache redirects: the page there stays there until its visitor is in, and leads on to a path of
// this site, whatever the address says (AH9, AH35).
func TestTheLineItself(t *testing.T) {
	const way = reservedPrefix + "main/line"
	e := newEdge(t, waiting("rate 1000/s", "cap 0"), "")
	v := e.visitor()
	to := way + "?to=" + url.QueryEscape("/shop?a=1&b=%2F")
	r := v.navigate(to).want(t, 503)
	if !strings.Contains(r.body, `href="/.well-known/ropeline/main/line?to=%2Fshop%3Fa%3D1%26b%3D%252F"`) || r.Header.Get("Ropeline-Answer") != "wait" {
		t.Errorf("%v %.300s", r.Header, r.body)
	}
	e.admin("cap", `{"cap":10}`)
	if got := v.enter(to).Header.Get("Location"); got != to {
		t.Errorf("entering leads to %q", got)
	}
	if r := v.navigate(to).want(t, 303); r.Header.Get("Location") != "/shop?a=1&b=%2F" {
		t.Errorf("inside: %v", r.Header)
	}
	for _, bad := range []string{"", "//other.example", "///", `/\other.example`, `\/other.example`, "https://other.example/", "javascript:alert(1)", "/\t/other.example", "/\r\nSet-Cookie: x", "other.example",
		reservedPrefix + "main/leave", reservedPrefix + "main/wait"} {
		if r := v.navigate(way+"?to="+url.QueryEscape(bad)).want(t, 303); r.Header.Get("Location") != "/" {
			t.Errorf("%q leads to %q", bad, r.Header.Get("Location"))
		}
	}
	v.navigate(way).want(t, 303)
	for _, r := range e.origin.requests() {
		t.Errorf("the origin saw %s", r.RequestURI)
	}
}
