package caddymodule

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/caddymodule/wire"
)

// admissionKeys are old enough to have signed what the tests date back.
func admissionKeys(dir string) error {
	return admission.CreateKeys(dir, time.Now().Add(-60*24*time.Hour))
}

// A person waits, is let in by a redirect to the same URL, and the origin sees the request without anything of ours
// but the pass (W35, W50).
func TestAPersonWaitsAndIsLetIn(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 1000/s"), store)
		e.h2 = store == "" // HTTP/1.1 with the other store
		v := e.visitor()
		const uri = "/deep/./a%2Fb//c%20d?q=1&q=%c3%a9&empty=&x=a+b"
		page := v.navigate(uri).want(t, 503)
		if !strings.Contains(page.Header.Get("Content-Type"), "text/html") || page.Header.Get("Cache-Control") != "private, no-store" ||
			page.Header.Get("Ropeline-Answer") != "wait" || page.Header.Get("Retry-After") == "" || page.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("headers of the page: %v", page.Header)
		}
		if n := len(e.origin.requests()); n != 0 {
			t.Fatalf("the origin saw %d requests of somebody who waits", n)
		}
		in := v.enter(uri)
		if in.Header.Get("Location") != uri {
			t.Errorf("Location %q, want %q", in.Header.Get("Location"), uri)
		}
		if in.Header.Get("Cache-Control") != "private, no-store" {
			t.Error("a redirect with a pass may be cached")
		}
		got := v.do("GET", uri, append(navigation, "Cookie", "shop=1; theme=dark", "Ropeline-Pass-Through", "x", "Ropeline_Pass", "y")...).want(t, 200)
		if got.body != "origin "+uri {
			t.Errorf("the origin was asked for %q", got.body)
		}
		if got.Header.Get("Cache-Control") != "public, max-age=77" || got.Header.Get("Set-Cookie") != "" {
			t.Errorf("the origin's answer was changed: %v", got.Header)
		}
		seen := e.origin.requests()
		last := seen[len(seen)-1]
		if c := last.Header.Get("Cookie"); strings.Contains(c, "rl-") || !strings.Contains(c, "shop=1; theme=dark") {
			t.Errorf("cookies at the origin: %q", c)
		}
		for name := range last.Header {
			if wire.Ours(name) && name != "Ropeline-Pass" {
				t.Errorf("%s reached the origin", name)
			}
		}
		verifier, err := admission.NewVerifier(admission.Options{JWKSURL: "http://edge.test" + reservedPrefix + "main/jwks.json", Room: "main", HTTPClient: v.Client})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := verifier.Verify(last.Header.Get("Ropeline-Pass"), time.Now()); err != nil || p.Place != 0 {
			t.Errorf("the pass at the origin: %+v %v", p, err)
		}
	})
}

// W09: reloads, Back and a second tab are one place and one session.
func TestReloadsAreOnePlace(t *testing.T) { overBoth(t, testReloadsAreOnePlace) }

func testReloadsAreOnePlace(t *testing.T, o over) {
	log := filepath.Join(t.TempDir(), "grants.jsonl")
	e := o.edge(t, roomWith("rate 1000/s", "state paused", "grant_log "+log), "")
	v := e.visitor()
	for range 20 {
		v.navigate("/").want(t, 503)
	}
	if n := e.joined(); n != 1 {
		t.Errorf("%d places given to one browser", n)
	}
	e.admin("resume", "")
	v.enter("/")
	v.navigate("/").want(t, 200)
	// Another tab without the pass, as after its cookie has expired: the same session.
	again := e.visitor()
	again.Jar.SetCookies(e.url(), v.Jar.Cookies(e.url())[:1])
	if n := again.Jar.Cookies(e.url()); len(n) != 1 || !strings.HasPrefix(n[0].Name, hostPrefix+ticketPart) {
		t.Fatalf("cookies %v", n)
	}
	again.enter("/")
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), `"event":"grant"`); n != 1 {
		t.Errorf("%d grants for one person:\n%s", n, b)
	}
}

// W05: malformed tickets give and burn no place; joining is what gives one.
func TestMalformedTicketsBurnNoPlace(t *testing.T) { overBoth(t, testMalformedTicketsBurnNoPlace) }

func testMalformedTicketsBurnNoPlace(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1/h"), "")
	for i := range 100 {
		v := e.visitor()
		v.Jar = nil // what comes back with a ticket of ours is somebody, whatever comes beside it
		v.do("GET", "/", "Cookie", e.named(ticketPart, fmt.Sprintf("not.a.ticket%d", i))).want(t, 429)
		v.do("POST", reservedPrefix+"main/knock", "Cookie", e.named(ticketPart, "eyJ.x.y")).want(t, 401)
		v.do("GET", "/", "Ropeline-Ticket", "....").want(t, 429)
	}
	if n := e.joined(); n != 0 {
		t.Errorf("%d places were given", n)
	}
	// Forged on a navigation: the cookie is replaced by a name without a place, and the next request gets one.
	v := e.visitor()
	page := v.do("GET", "/", append(navigation, "Cookie", e.named(ticketPart, "a.b.c"))...).want(t, 503)
	if c := page.Header.Get("Set-Cookie"); !strings.HasPrefix(c, e.named(ticketPart, "eyJ")) || e.joined() != 0 || ticketOf(e, v).Index != admission.NoIndex {
		t.Errorf("a made-up ticket got %q and %d places", c, e.joined())
	}
	v.navigate("/").want(t, 503)
	if n := e.joined(); n != 1 {
		t.Errorf("%d places", n)
	}
}

// W25: with ten in line, a free slot is not for the newcomer.
func TestNewcomersQueue(t *testing.T) { overBoth(t, testNewcomersQueue) }

func testNewcomersQueue(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1/h"), "")
	for range 10 {
		e.visitor().navigate("/").want(t, 503)
	}
	late := e.visitor()
	m := late.do("GET", "/", "Accept", "application/json").want(t, 429).json(t)
	if m["index"] != float64(10) {
		t.Errorf("the newcomer stands at %v", m["index"])
	}
	late.navigate("/").want(t, 503)
	if n := len(e.origin.requests()); n != 0 {
		t.Errorf("the origin saw %d requests", n)
	}
}

// A program gets its place, and enters with headers alone.
func TestAProgramEntersByHeaders(t *testing.T) { overBoth(t, testAProgramEntersByHeaders) }

func testAProgramEntersByHeaders(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.Jar = nil
	m := v.do("GET", "/api", "Accept", "application/json, text/plain, */*").want(t, 429)
	body := m.json(t)
	ticket, _ := body["ticket"].(string)
	if m.Header.Get("Content-Type") != "application/problem+json" || m.Header.Get("Retry-After") == "" || body["code"] != "admission_required" ||
		ticket == "" || body["status_url"] != reservedPrefix+"main/status" || body["request_id"] == "" || m.Header.Get("Ropeline-Ticket") != ticket {
		t.Fatalf("problem: %v\n%s", m.Header, m.body)
	}
	if again := v.do("GET", "/api", "Accept", "application/json", "Ropeline-Ticket", ticket).json(t); again["index"] != body["index"] || again["ticket"] != ticket {
		t.Errorf("the ticket does not keep its place: %v", again)
	}
	var pass string
	e.until("in", func() bool {
		r := v.do("POST", reservedPrefix+"main/enter", "Ropeline-Ticket", ticket)
		pass = r.Header.Get("Ropeline-Pass")
		if r.StatusCode == 200 && len(r.Header["Set-Cookie"]) > 0 {
			t.Error("cookies for a client that carries headers")
		}
		return r.StatusCode == 200
	})
	both := []string{"Ropeline-Pass", pass, "Ropeline-Ticket", ticket}
	if got := v.do("GET", "/api", both...).want(t, 200); got.body != "origin /api" {
		t.Error(got.body)
	}
	var renewed reply
	e.until("renewed", func() bool { // the polling above may have used up this visitor's allowance for a moment
		renewed = v.do("POST", reservedPrefix+"main/renew", both...)
		return renewed.StatusCode == 200
	})
	if renewed.Header.Get("Ropeline-Pass") == "" {
		t.Error("renew gave no pass")
	}
	v.do("POST", reservedPrefix+"main/leave", both...).want(t, 200)
	v.do("GET", "/api", both...).want(t, 429)
	e.until("told that the place is spent", func() bool {
		r := v.do("POST", reservedPrefix+"main/enter", "Ropeline-Ticket", ticket)
		if r.StatusCode == 200 {
			t.Fatal("a spent place enters again")
		}
		return r.StatusCode == 409 && r.json(t)["state"] == "used"
	})
}

// W65, W34: what is not a person looking never spends a turn and never gets HTML; nothing gets 200 or 401.
func TestOnlyNavigationsEnter(t *testing.T) { overBoth(t, testOnlyNavigationsEnter) }

func testOnlyNavigationsEnter(t *testing.T, o over) {
	log := filepath.Join(t.TempDir(), "grants.jsonl")
	e := o.edge(t, roomWith("rate 1000/s", "grant_log "+log), "")
	v := e.visitor()
	v.navigate("/").want(t, 503)
	e.until("called", func() bool { return e.snapshot().X > 0 })
	for name, c := range map[string][]string{
		"HEAD":     append([]string{"HEAD"}, navigation...),
		"prefetch": append([]string{"GET", "Sec-Purpose", "prefetch;prerender"}, navigation...),
		"image":    {"GET", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image", "Accept", "image/*"},
		"fetch":    {"GET", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Accept", "text/html"},
		"axios":    {"GET", "Accept", "application/json, text/plain, */*"},
		"frame":    {"GET", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe", "Accept", "text/html"},
		"OPTIONS":  {"OPTIONS", "Sec-Fetch-Mode", "cors", "Access-Control-Request-Method", "POST"},
		"upgrade":  {"GET", "Connection", "Upgrade", "Upgrade", "websocket", "Sec-Fetch-Mode", "websocket"},
		"form":     append([]string{"POST"}, navigation...),
		"PUT":      {"PUT", "Accept", "*/*"},
	} {
		r := v.do(c[0], "/x", c[1:]...)
		if r.StatusCode != 429 && r.StatusCode != 503 || r.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: %d %v", name, r.StatusCode, r.Header)
		}
		html := strings.Contains(r.Header.Get("Content-Type"), "html")
		if wantsPage := name == "HEAD" || name == "prefetch" || name == "frame" || name == "form"; html != wantsPage {
			t.Errorf("%s: HTML is %v", name, html)
		}
	}
	if b, _ := os.ReadFile(log); strings.Contains(string(b), `"event":"door"`) {
		t.Errorf("somebody knocked:\n%s", b)
	}
	if n := e.joined(); n != 1 {
		t.Errorf("%d places", n)
	}
	if n := len(e.origin.requests()); n != 0 {
		t.Errorf("the origin saw %d requests", n)
	}
}

// AH25: no tunnels and no echo, with or without a pass.
func TestRefusedMethods(t *testing.T) { overBoth(t, testRefusedMethods) }

func testRefusedMethods(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	for _, m := range []string{"TRACE", "TRACK"} {
		r := v.do(m, "/", "X-Secret", "echo").want(t, http.StatusMethodNotAllowed)
		if strings.Contains(r.body, "echo") || r.Header.Get("Allow") == "" {
			t.Errorf("%s: %v %s", m, r.Header, r.body)
		}
	}
	if status := e.rawStatus("CONNECT edge.test:443 HTTP/1.1\r\nHost: edge.test:443\r\n\r\n"); !strings.Contains(status, " 405 ") {
		t.Errorf("CONNECT: %s", status)
	}
	before := len(e.origin.requests())
	v.do("PROPFIND", "/").want(t, 200) // a general origin gets what it may understand
	e.visitor().do("PROPFIND", "/").want(t, 429)
	if n := len(e.origin.requests()) - before; n != 1 {
		t.Errorf("%d requests passed on", n)
	}
}

// AT13: a token in the query is an ordinary parameter.
func TestTokensInTheQueryMeanNothing(t *testing.T) { overBoth(t, testTokensInTheQueryMeanNothing) }

func testTokensInTheQueryMeanNothing(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	pass := e.cookie(v, passPart)
	other := e.visitor()
	other.do("GET", "/?Ropeline-Pass="+pass+"&rl-p-main="+pass, "Accept", "*/*").want(t, 429)
}

// A matcher leaves paths outside the gate; they lose our cookies too and keep the pass of whoever is inside.
func TestBesideTheGate(t *testing.T) { overBoth(t, testBesideTheGate) }

func testBesideTheGate(t *testing.T, o over) {
	e := o.edge(t, "@gated not path /open/*\nwaiting_room @gated main {\nrate 1000/s\n}", "")
	v := e.visitor()
	v.navigate("/shop").want(t, 503)
	v.navigate("/open/x").want(t, 200)
	last := func() *http.Request { r := e.origin.requests(); return r[len(r)-1] }
	if last().Header.Get("Cookie") != "" || last().Header.Get("Ropeline-Pass") != "" {
		t.Errorf("beside the gate: %v", last().Header)
	}
	v.do("GET", reservedPrefix+"main/status").want(t, 200)
	v.do("GET", reservedPrefix+"other/status").want(t, 404)
	v.enter("/shop")
	v.navigate("/open/x").want(t, 200)
	if last().Header.Get("Ropeline-Pass") == "" {
		t.Error("who is inside has no pass beside the gate")
	}
	e.visitor().do("GET", "/open/y", "Ropeline-Pass", "forged").want(t, 200)
	if last().Header.Get("Ropeline-Pass") != "" {
		t.Error("a forged pass reached the origin")
	}
}

// The origin lengthens and ends sessions, and cannot plant our cookies.
func TestTheOriginEndsASession(t *testing.T) { overBoth(t, testTheOriginEndsASession) }

func testTheOriginEndsASession(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1000/s", "cap 1"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	e.origin.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Ropeline-Lease", "600")
		w.Header().Add("Set-Cookie", e.named(passPart, "planted"))
		w.Header().Add("Set-Cookie", "shop=1")
		w.Header().Set("Ropeline-Answer", "mine")
	})
	r := v.navigate("/").want(t, 200)
	if r.Header.Get("Ropeline-Lease") != "" || r.Header.Get("Ropeline-Answer") != "" || len(r.Header["Set-Cookie"]) != 1 {
		t.Errorf("the origin's words about the session passed: %v", r.Header)
	}
	e.origin.answerWith(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Ropeline-Session", "end") })
	if r := v.navigate("/bye").want(t, 200); r.Header.Get("Ropeline-Session") != "" {
		t.Error("Ropeline-Session reached the visitor")
	}
	e.origin.answerWith(nil)
	v.do("GET", "/", "Accept", "application/json").want(t, 429)
	next := e.visitor() // the only slot is free again
	next.navigate("/")
	next.enter("/")
	next.navigate("/").want(t, 200)
}
