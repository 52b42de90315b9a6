package caddymodule

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var claimed = []string{
	"X-Forwarded-For", "1.2.3.4", "X-Forwarded-For", "for=1.2.3.4", "X-Real-IP", "1.2.3.4", "True-Client-IP", "1.2.3.4", "CF-Connecting-IP", "1.2.3.4", "Forwarded", "for=1.2.3.4;host=evil.test;proto=http",
	"X-Forwarded-Host", "evil.test", "X-Forwarded-Proto", "gopher",
}

// AH4, AH8: what a visitor says about his own address, host and scheme never reaches the origin, and no page of ours
// believes it. Fifty of them are no better than one.
func TestAVisitorsWordAboutHisAddress(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "")
		v := e.visitor()
		page := v.do("GET", "/", append(navigation, claimed...)...).want(t, 503)
		if strings.Contains(page.body, "evil.test") || strings.Contains(page.body, "gopher") || !strings.Contains(page.Header.Get("Set-Cookie"), "; Secure") {
			t.Errorf("the page believes it: %v", page.Header)
		}
		v.enter("/")
		many := claimed
		for range 50 {
			many = append(many, "X-Forwarded-For", "1.2.3.4")
		}
		v.do("GET", "/", many...).want(t, 200)
		seen := e.origin.requests()
		for name, values := range seen[len(seen)-1].Header {
			if all := strings.Join(values, "|"); strings.Contains(all, "1.2.3.4") || strings.Contains(all, "evil.test") || strings.Contains(all, "gopher") {
				t.Errorf("at the origin %s: %s", name, all)
			}
		}
	})
}

// AH7, AH8, AH27: to a general origin a request with a pass goes as it came, its overrides and ranges too, since they are
// the origin's to judge; without a pass they are nothing.
func TestOverridesAreTheOriginsToJudge(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "")
		ranges := "bytes=" + strings.TrimSuffix(strings.Repeat("0-0,", 2000), ",")
		extra := []string{"X-HTTP-Method-Override", "DELETE", "X-Method-Override", "PUT", "X-Original-URL", "/admin", "X-Rewrite-URL", "/admin", "X-Forwarded-Prefix", "/x", "Range", ranges, "If-None-Match", `"a"`}
		v := e.visitor()
		r := v.do("GET", "/?_method=DELETE", append(navigation, extra...)...).want(t, 503)
		if r.Header.Get("Content-Range") != "" || r.Header.Get("ETag") != "" || strings.Contains(r.body, "/admin") {
			t.Errorf("the page: %v", r.Header)
		}
		e.visitor().do("GET", "/", append([]string{"Accept", "*/*"}, extra...)...).want(t, 429)
		if n := len(e.origin.requests()); n != 0 {
			t.Fatalf("the origin saw %d", n)
		}
		v.enter("/")
		v.do("GET", "/?_method=DELETE", extra...).want(t, 200)
		seen := e.origin.requests()[0]
		for i := 0; i < len(extra); i += 2 {
			if got := seen.Header.Get(extra[i]); got != extra[i+1] {
				t.Errorf("%s at the origin: %.60q", extra[i], got)
			}
		}
		if seen.Method != "GET" || seen.RequestURI != "/?_method=DELETE" {
			t.Errorf("%s %s", seen.Method, seen.RequestURI)
		}
	})
}

// AH28: too much of a header is refused, a long address waits like any other.
func TestLongRequests(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1/h"), "")
		many := []string{}
		for range 1000 {
			many = append(many, "X-Many", strings.Repeat("x", 20))
		}
		for name, c := range map[string]struct {
			uri    string
			header []string
		}{
			"20 KiB of one header": {"/", []string{"X-Long", strings.Repeat("x", 20<<10)}}, "1,000 headers": {"/", many},
			"3,000 parameters": {"/?" + strings.Repeat("a=1&", 3000), nil}, "8 KiB and a byte of URL": {"/" + strings.Repeat("a", 8<<10), nil},
		} {
			r, _ := http.NewRequest("GET", e.base()+c.uri, nil)
			for i := 0; i+1 < len(c.header); i += 2 {
				r.Header.Add(c.header[i], c.header[i+1])
			}
			resp, err := e.visitor().Do(r)
			if err != nil {
				continue // the client has been told the limit, or the connection was closed
			}
			resp.Body.Close()
			if want := len(c.header) > 0; (resp.StatusCode == 431) != want && resp.StatusCode != 429 {
				t.Errorf("%s: %d", name, resp.StatusCode)
			}
		}
		if n := len(e.origin.requests()); n != 0 {
			t.Errorf("the origin saw %d", n)
		}
	})
}

// AH33, AH36: a page contains nothing that a stranger could have put into the request, may not be framed, and no cache
// may keep it; nobody else's page may read an answer.
func TestThePageRepeatsNothing(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1/h"), "")
		const bad = `"><script>alert(1)</script>`
		page := e.visitor().do("GET", "/x?q="+strings.NewReplacer(`"`, "%22", "<", "%3C", ">", "%3E").Replace(bad), append(navigation, "X-Forwarded-Host", bad, "Accept-Language", "de-"+bad, "User-Agent", bad, "Referer", bad, "Origin", "null")...).want(t, 503)
		if strings.Contains(page.body, bad) || strings.Contains(page.body, "alert(1)</script>") {
			t.Error("the page repeats what was sent")
		}
		csp := page.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "frame-ancestors 'none'") || page.Header.Get("X-Frame-Options") != "DENY" || page.Header.Get("Access-Control-Allow-Origin") != "" || page.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("headers: %v", page.Header)
		}
		for _, vary := range []string{"Cookie", "Accept-Language", "Accept-Encoding"} {
			if !strings.Contains(strings.Join(page.Header["Vary"], ","), vary) {
				t.Errorf("Vary %v", page.Header["Vary"])
			}
		}
		for _, origin := range []string{"null", "https://evil.test", e.base()} {
			r := e.visitor().do("GET", "/", "Accept", "application/json", "Origin", origin, "Sec-Fetch-Mode", "cors").want(t, 429)
			for name := range r.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("Origin %s: %s", origin, name)
				}
			}
			if !strings.Contains(strings.Join(r.Header["Vary"], ","), "Cookie") || r.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%v", r.Header)
			}
		}
		status := e.visitor().do("GET", reservedPrefix+"main/status", "Cookie", "a=1", "X-Forwarded-Host", bad).want(t, 200)
		if len(status.Header["Set-Cookie"]) > 0 || strings.Contains(status.body, "script") {
			t.Errorf("status: %v", status.Header)
		}
	})
}

// AH35, W36: nothing that changes anything is done by a GET, or for another site's page.
func TestOtherSitesAndGETsChangeNothing(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1/h"), "")
		v := e.visitor()
		v.navigate("/").want(t, 503)
		index := ticketIndex(e, v)
		for route, def := range routes {
			if def.method != http.MethodPost {
				continue
			}
			v.do("GET", reservedPrefix+"main/"+route).want(t, http.StatusMethodNotAllowed)
			for _, site := range []string{"cross-site", "same-site"} {
				v.do("POST", reservedPrefix+"main/"+route, "Sec-Fetch-Site", site, "Content-Type", "text/plain").want(t, http.StatusForbidden)
			}
			v.do("POST", reservedPrefix+"main/"+route, "Origin", "null").want(t, http.StatusForbidden)
		}
		v.form(reservedPrefix+"main/resume", "kept=x", "cross-site").want(t, http.StatusForbidden)
		v.navigate("/").want(t, 503)
		if ticketIndex(e, v) != index || e.joined() != 1 {
			t.Errorf("index %d became %d, %d places", index, ticketIndex(e, v), e.joined())
		}
	})
	for _, action := range []string{"open", "pause", "rate", "cap"} {
		if err := adminCall("GET", "/ropeline/rooms/main/"+action, ""); apiStatus(err) != http.StatusMethodNotAllowed {
			t.Errorf("GET of %s: %v", action, err)
		}
	}
}

// AH38: whatever a visitor writes, an access log has one line of JSON for it, and no token of ours in clear.
func TestTheAccessLogCannotBeForged(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		log := filepath.Join(t.TempDir(), "access.log")
		e := o.edge(t, "log {\noutput file "+log+"\n}\n"+roomWith("rate 1000/s"), "")
		v := e.visitor()
		v.navigate("/")
		v.enter("/")
		pass := e.cookie(v, passPart)
		v.do("GET", "/a%0d%0ab?q=%1b[31m", "User-Agent", "x\u2028{\"level\":\"error\"}\u001b[31m"[:20], "Referer", "a\tb", "X-Long", strings.Repeat("x", 9000)).want(t, 200)
		v.do("GET", "/?Ropeline-Pass="+"none", "Accept", "*/*").want(t, 200)
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), pass[len(pass)-40:]) || strings.Contains(string(b), "\x1b") {
			t.Error("the log has a token or an escape sequence in clear")
		}
		n := 0
		for lines := bufio.NewScanner(strings.NewReader(string(b))); lines.Scan(); n++ {
			var entry map[string]any
			if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
				t.Errorf("%v: %.200s", err, lines.Text())
			}
		}
		if n < len(e.origin.requests())+2 {
			t.Errorf("%d lines for %d requests at the origin and two before it", n, len(e.origin.requests()))
		}
	})
}

// AH40, W35: what the origin lets a cache keep carries no cookie of ours; whoever comes without one waits.
func TestWhatACacheMayKeep(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "")
		v := e.visitor()
		v.navigate("/")
		in := v.enter("/")
		if in.Header.Get("Cache-Control") != "private, no-store" {
			t.Error("the redirect with the pass may be kept")
		}
		e.origin.answerWith(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", "public, max-age=60") })
		r := v.navigate("/").want(t, 200)
		if len(r.Header["Set-Cookie"]) > 0 || r.Header.Get("Cache-Control") != "public, max-age=60" || slices.ContainsFunc([]string{"Vary", "Ropeline-Answer", "Ropeline-Pass", "Ropeline-Ticket"}, func(n string) bool { return r.Header.Get(n) != "" }) {
			t.Errorf("the first answer: %v", r.Header)
		}
		e.visitor().navigate("/").want(t, 503)
	})
}
