package caddymodule

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// AH31, AH21: old TLS and protocols that nobody has agreed upon are refused in the handshake, clear text is not served
// on a TLS port, early data is not offered, and half a handshake keeps nobody out (scaled from 5,000 to 200).
func TestHandshakes(t *testing.T) {
	e := over{"h1", false}.edge(t, roomWith("rate 1/h"), "")
	try := func(c *tls.Config) (*tls.Conn, error) {
		raw, err := net.Dial(e.network, e.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { raw.Close() })
		_ = raw.SetDeadline(time.Now().Add(patience))
		conn := tls.Client(raw, c)
		return conn, conn.Handshake()
	}
	for name, change := range map[string]func(*tls.Config){
		"TLS 1.0":    func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS10 },
		"TLS 1.1":    func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS11, tls.VersionTLS11 },
		"wrong ALPN": func(c *tls.Config) { c.NextProtos = []string{"spdy/3"} },
		"weak cipher": func(c *tls.Config) {
			c.MaxVersion, c.CipherSuites = tls.VersionTLS12, []uint16{tls.TLS_RSA_WITH_RC4_128_SHA}
		},
	} {
		c := clientTLS("http/1.1")
		change(c)
		if conn, err := try(c); err == nil {
			t.Errorf("%s: a handshake with %x", name, conn.ConnectionState().Version)
		}
	}
	if conn, err := try(clientTLS("http/1.1")); err != nil || conn.ConnectionState().Version < tls.VersionTLS12 {
		t.Errorf("%v", err)
	}
	for _, clear := range []string{"GET / HTTP/1.1\r\nHost: edge.test\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"} {
		c, err := net.Dial(e.network, e.addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(c, clear)
		got, _ := io.ReadAll(c)
		if c.Close(); strings.Contains(string(got), " 200 ") || strings.Contains(string(got), "Ropeline") || bytes.Contains(got, []byte("\x00\x00\x00\x04")) {
			t.Errorf("clear text on the TLS port: %q", got)
		}
	}
	e.besides("half handshakes", func() {
		for range 200 {
			c, err := net.Dial(e.network, e.addr)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			_, _ = c.Write([]byte{22, 3, 1, 2, 0, 1})
		}
	})
}

// AH37, W36: the admin endpoint is for this machine: a page of another site, a rebound name and a form get nothing, and
// there is no way to it, to metrics or to profiles through the site's own listener.
func TestTheAdminEndpointIsNobodyElses(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		admin := l.Addr().String()
		l.Close()
		e := o.edge(t, roomWith("rate 1/h"), "", "admin off", "admin "+admin)
		ask := func(method, path string, header ...string) (int, error) {
			r, _ := http.NewRequest(method, "http://"+admin+path, strings.NewReader(""))
			for i := 0; i < len(header); i += 2 {
				if header[i] == "Host" {
					r.Host = header[i+1]
				}
				r.Header.Set(header[i], header[i+1])
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				return 0, err
			}
			resp.Body.Close()
			return resp.StatusCode, nil
		}
		if code, err := ask("GET", "/ropeline/rooms/main"); code != 200 {
			t.Fatalf("%d %v", code, err)
		}
		for _, path := range []string{"/ropeline/rooms", "/ropeline/rooms/main", "/config/", "/metrics", "/debug/pprof/"} {
			for name, header := range map[string][]string{"rebound name": {"Host", "evil.test"}, "another site's page": {"Origin", "https://evil.test", "Sec-Fetch-Mode", "cors"}} {
				if code, _ := ask("GET", path, header...); code != http.StatusForbidden {
					t.Errorf("%s by %s: %d", path, name, code)
				}
			}
			if r := e.visitor().do("GET", path, "Accept", "*/*"); r.StatusCode != 429 {
				t.Errorf("%s through the site: %d", path, r.StatusCode)
			}
		}
		for _, action := range []string{"pause", "close", "recall", "reset"} {
			code, _ := ask("POST", "/ropeline/rooms/main/"+action, "Origin", "https://evil.test", "Sec-Fetch-Mode", "no-cors", "Content-Type", "text/plain")
			if code < 400 {
				t.Errorf("%s by another site's form: %d", action, code)
			}
			if code, _ := ask("GET", "/ropeline/rooms/main/"+action); code != http.StatusMethodNotAllowed {
				t.Errorf("GET of %s: %d", action, code)
			}
		}
		if s := e.snapshot().State; s != "open" {
			t.Errorf("the room is %s", s)
		}
	})
}

// AQ11: how many streams a visitor and a network may keep open is bounded, and the others' are not touched. Scaled from
// 18,000 to what one visitor may have, and one more.
func TestStreamsAreBounded(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "")
		e.origin.answerWith(echoSocket)
		open := func(v *visitorClient) *http.Response {
			r, _ := http.NewRequest("GET", e.base()+"/events", nil)
			r.Header.Set("Accept", "text/event-stream")
			resp, err := v.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { resp.Body.Close() })
			return resp
		}
		greedy, other := e.visitor(), e.visitor()
		for _, v := range []*visitorClient{greedy, other} {
			v.navigate("/")
			v.enter("/")
		}
		var last *http.Response
		for i := range maxStreams {
			if last = open(greedy); last.StatusCode != 200 {
				t.Fatalf("stream %d: %d", i, last.StatusCode)
			}
			if line, err := bufio.NewReader(last.Body).ReadString('\n'); err != nil || line != "data: hello\n" {
				t.Fatalf("%q %v", line, err)
			}
		}
		if r := open(greedy); r.StatusCode != 429 || r.Header.Get("Retry-After") == "" {
			t.Errorf("one more: %d", r.StatusCode)
		}
		if r := open(other); r.StatusCode != 200 {
			t.Errorf("somebody else: %d", r.StatusCode)
		}
		last.Body.Close()
		e.until("free again", func() bool { return open(greedy).StatusCode == 200 })
	})
	var s streams
	p := passOf("a")
	from := mustPrefix("2001:db8::/64")
	for i := range maxPrefixStreams {
		p.VID = passOf(fmt.Sprint(i)).VID
		if s.open(nil, p, from, func() {}) == nil {
			t.Fatalf("stream %d of a prefix was refused", i)
		}
	}
	p.VID = "more"
	if s.open(nil, p, from, func() {}) != nil || s.open(nil, p, mustPrefix("2001:db8:1::/64"), func() {}) == nil {
		t.Error("a prefix is not bounded, or bounds another")
	}
}
