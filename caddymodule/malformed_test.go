package caddymodule

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/caddymodule/wire"
)

// readsTrailers is an origin that looks for whatever could pass for the edge's word.
func readsTrailers(t *testing.T, pass string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if got := r.Header["Ropeline-Pass"]; len(got) != 1 || got[0] != pass {
			t.Errorf("pass at the origin: %q", got)
		}
		for name := range r.Trailer {
			if wire.Ours(name) {
				t.Errorf("trailer %s reached the origin", name)
			}
		}
		w.WriteHeader(http.StatusOK)
	}
}

// AH16, AH17, AH19: malformed framing is refused and the connection closed; nothing of it, and nothing behind it,
// reaches the origin. This is HTTP/1.1's alone: HTTP/2's is in frames_test.go.
func TestMalformedFraming(t *testing.T) {
	e := over{"h1", false}.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	own := "Host: edge.test\r\nCookie: " + e.named(passPart, e.cookie(v, passPart)) + "; " + e.named(ticketPart, e.cookie(v, ticketPart)) + "\r\n"
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n\r\n"
	post := func(head, body string) string { return "POST /x HTTP/1.1\r\n" + own + head + "\r\n" + body }
	for name, request := range map[string]string{
		"two CL":                  post("Content-Length: 4\r\nContent-Length: 5\r\n", "abcde"),
		"CL list":                 post("Content-Length: 4, 5\r\n", "abcde"),
		"CL with a plus":          post("Content-Length: +5\r\n", "abcde"),
		"CL in hex":               post("Content-Length: 0x5\r\n", "abcde"),
		"CL negative":             post("Content-Length: -1\r\n", ""),
		"CL huge":                 post("Content-Length: 99999999999999999999\r\n", ""),
		"TE list":                 post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
		"TE twice":                post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"),
		"xchunked":                post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
		"TE before a space":       post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
		"TE with vertical tab":    post("Transfer-Encoding: \vchunked\r\n", "0\r\n\r\n"),
		"NUL in a header":         post("X-A: 1\x002\r\n", ""),
		"bare CR in a header":     post("X-A: 1\rX-B: 2\r\n", ""),
		"no colon":                post("nonsense\r\n", ""),
		"two hosts":               "GET /x HTTP/1.1\r\nHost: evil.test\r\n" + own + "\r\n",
		"no host":                 "GET /x HTTP/1.1\r\n\r\n",
		"space in the host":       "GET /x HTTP/1.1\r\nHost: edge.test evil\r\n\r\n",
		"garbage first line":      "\x16\x03\x01 nonsense\r\n\r\n",
		"HTTP/0.9":                "GET /x\r\n\r\n",
		"HTTP/3.0":                "GET /x HTTP/3.0\r\n" + own + "\r\n",
		"HTTP/1.1 in lower case":  "GET /x http/1.1\r\n" + own + "\r\n",
		"prior knowledge of h2":   "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"absolute form elsewhere": "GET https://evil.test/x HTTP/1.1\r\n" + own + "\r\n",
	} {
		c := e.dial("http/1.1")
		if _, err := io.WriteString(c, request+smuggled); err != nil {
			t.Fatal(err)
		}
		rd := bufio.NewReader(c)
		first, err := rd.ReadString('\n')
		if err != nil && first == "" {
			continue // closed without a word
		}
		if !strings.Contains(first, " 400 ") && !strings.Contains(first, " 421 ") && !strings.Contains(first, " 501 ") && !strings.Contains(first, " 505 ") && !strings.Contains(first, " 405 ") {
			t.Errorf("%s: %q", name, first)
		}
		if rest, _ := io.ReadAll(rd); strings.Contains(string(rest), "HTTP/1.1 200") || strings.Contains(string(rest), "origin /") {
			t.Errorf("%s: an answer behind the refusal: %q", name, rest)
		}
	}
	for _, r := range e.origin.requests() {
		t.Errorf("the origin saw %s %s of %q", r.Method, r.RequestURI, r.Header)
	}
}

// AH16: of a length beside a transfer-encoding Go takes the encoding, as RFC 9112 (6.3) allows, and of a folded header one
// line: the origin gets one canonical request, and what stands behind it is a request of its own, gated like any other.
func TestAmbiguousFraming(t *testing.T) {
	e := over{"h1", false}.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	own := "Host: edge.test\r\nCookie: " + e.named(passPart, e.cookie(v, passPart)) + "; " + e.named(ticketPart, e.cookie(v, ticketPart)) + "\r\n"
	var body []byte
	e.origin.answerWith(func(_ http.ResponseWriter, r *http.Request) { body, _ = io.ReadAll(r.Body) })
	for name, head := range map[string]string{"CL and TE": "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "folded": "X-A: 1\r\n 2\r\nTransfer-Encoding: chunked\r\n"} {
		before := len(e.origin.requests())
		got := e.raw("POST /x HTTP/1.1\r\n" + own + head + "\r\n5\r\nabcde\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: edge.test\r\nAccept: */*\r\nConnection: close\r\n\r\n")
		seen := e.origin.requests()[before:]
		if len(seen) != 1 || seen[0].RequestURI != "/x" || string(body) != "abcde" || seen[0].Header.Get("Content-Length") != "" || strings.Contains(seen[0].Header.Get("X-A"), "\n") {
			t.Errorf("%s: the origin saw %d, the body %q", name, len(seen), body)
		}
		if !strings.Contains(got, "HTTP/1.1 429 ") {
			t.Errorf("%s: the request behind it was not gated: %.300s", name, got)
		}
	}
}

// AH17: chunks that are not as they must be end their request; the origin never gets a request that was not sent.
func TestMalformedChunks(t *testing.T) {
	e := over{"h1", false}.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	own := "Host: edge.test\r\nCookie: " + e.named(passPart, e.cookie(v, passPart)) + "; " + e.named(ticketPart, e.cookie(v, ticketPart)) + "\r\n"
	var bodies []string
	e.origin.answerWith(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		bodies = append(bodies, fmt.Sprintf("%s %q %v", r.RequestURI, b, err))
	})
	for name, body := range map[string]string{
		"bare LF in the size": "3\nabc\r\n0\r\n\r\n", "overflow": "ffffffffffffffff1\r\nabc\r\n0\r\n\r\n", "negative": "-3\r\nabc\r\n0\r\n\r\n", "with a sign": "+3\r\nabc\r\n0\r\n\r\n",
		"in hex notation": "0x3\r\nabc\r\n0\r\n\r\n", "no end": "3\r\nabcGET", "enormous extension": "3;" + strings.Repeat("x", 1<<20) + "\r\nabc\r\n0\r\n\r\n",
	} {
		c := e.dial("http/1.1")
		go func() {
			_, _ = io.WriteString(c, "POST /chunk HTTP/1.1\r\n"+own+"Transfer-Encoding: chunked\r\n\r\n"+body+"GET /smuggled HTTP/1.1\r\n"+own+"\r\n")
		}()
		rd := bufio.NewReader(c)
		first, _ := rd.ReadString('\n')
		rest, _ := io.ReadAll(rd)
		if strings.Contains(first, " 200 ") && name != "bare LF in the size" || strings.Contains(string(rest), "HTTP/1.1 200") {
			t.Errorf("%s: %q, behind it %.200q", name, first, rest)
		}
	}
	for _, r := range e.origin.requests() {
		if r.RequestURI != "/chunk" {
			t.Errorf("the origin saw %s: %v", r.RequestURI, bodies)
		}
	}
}

// AH19, AH16: pipelined requests are gated one by one, an HTTP/1.0 one too, and the answers come in order: whoever
// shares the connection to the origin gets his own.
func TestPipelinedRequests(t *testing.T) {
	e := over{"h1", false}.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	own := "Cookie: " + e.named(passPart, e.cookie(v, passPart)) + "; " + e.named(ticketPart, e.cookie(v, ticketPart)) + "\r\n"
	var all strings.Builder
	for i := range 100 {
		with := own
		if i%2 == 1 {
			with = ""
		}
		fmt.Fprintf(&all, "GET /p%d HTTP/1.1\r\nHost: edge.test\r\nAccept: */*\r\n%s\r\n", i, with)
	}
	c := e.dial("http/1.1")
	go func() { _, _ = io.WriteString(c, all.String()) }()
	rd := bufio.NewReader(c)
	for i := range 100 {
		resp, err := http.ReadResponse(rd, nil)
		if err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
		b, _ := io.ReadAll(resp.Body)
		if want := map[bool]int{true: 200, false: 429}[i%2 == 0]; resp.StatusCode != want || i%2 == 0 && string(b) != fmt.Sprintf("origin /p%d", i) {
			t.Fatalf("answer %d: %d %.100s", i, resp.StatusCode, b)
		}
	}
	if n := len(e.origin.requests()); n != 50 {
		t.Errorf("the origin saw %d", n)
	}
	if got := e.raw("GET /ten HTTP/1.0\r\nHost: edge.test\r\nAccept: */*\r\n\r\n"); !strings.Contains(got, " 429 ") {
		t.Errorf("HTTP/1.0: %.100s", got)
	}
	if got := e.raw("GET /ten HTTP/1.0\r\nHost: edge.test\r\n" + own + "\r\n"); !strings.Contains(got, "origin /ten") {
		t.Errorf("HTTP/1.0 with a pass: %.200s", got)
	}
}

// AH21: an upgrade to clear-text HTTP/2 is not one, with a pass or without.
func TestNoUpgradeToH2C(t *testing.T) {
	e := over{"h1", false}.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	own := "Cookie: " + e.named(passPart, e.cookie(v, passPart)) + "; " + e.named(ticketPart, e.cookie(v, ticketPart)) + "\r\n"
	e.origin.answerWith(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Http2-Settings") != "" && r.Header.Get("Upgrade") != "" {
			t.Error("the upgrade was passed on")
		}
	})
	for name, with := range map[string]string{"without a pass": "", "with a pass": own} {
		got := e.raw("GET / HTTP/1.1\r\nHost: edge.test\r\nAccept: */*\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nConnection: Upgrade, HTTP2-Settings, close\r\n" + with + "\r\n")
		if strings.Contains(got, " 101 ") {
			t.Errorf("%s: %.200s", name, got)
		}
	}
}
