package caddymodule

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// ask sends a request-target as it stands, which net/url would tidy up.
func (e *edge) ask(o over, target string, header ...string) (status string) {
	e.t.Helper()
	if o.h2 {
		c := e.frames()
		fields := []string{":method", "GET", ":scheme", "https", ":authority", "edge.test", ":path", target}
		for i := 0; i+1 < len(header); i += 2 {
			fields = append(fields, strings.ToLower(header[i]), header[i+1])
		}
		out := c.outcome(c.headers(true, fields...))
		return map[bool]string{false: out.status, true: "gone"}[out.gone || out.reset != 0]
	}
	var b strings.Builder
	b.WriteString("GET " + target + " HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n")
	for i := 0; i+1 < len(header); i += 2 {
		b.WriteString(header[i] + ": " + header[i+1] + "\r\n")
	}
	first, _, _ := strings.Cut(e.raw(b.String()+"\r\n"), "\r\n")
	return strings.Fields(first + " - -")[1]
}

// spellings are ways to write a path that some origin, proxy or file system takes for another.
var spellings = []string{
	"//checkout", "/./checkout", "/a/../checkout", "///", "/checkout/", "/checkout//", "/%63heckout", "/%2563heckout", "/%252e%252e/checkout", "/a/%2e%2e/checkout", "/a/..%2fcheckout",
	"/a%2f..%2fcheckout", "/CHECKOUT", "/checkout.", "/checkout%20", "/checkout%00", "/checkout;x=1", "/checkout%3b", `/a\..\checkout`, "/a%5c..%5ccheckout", "/checkout?", "/?/checkout",
	"/checkout#x", "/\u212aheckout", "/ch\u0131p", "/%e2%84%aa", "/%c0%ae%c0%ae/checkout", "/%u0063heckout", "/checkout%0d%0aX:1", "/favicon.ico/checkout", "/assets/..;/checkout",
	"/assets/../checkout", "/assets/%2e%2e/checkout", "/assets/%252e%252e/checkout", "/assets//../../checkout", "/Assets/x", "/ASSETS/x", "/assets", "/healthz/", "/healthz/x", "/healthz%2fx", "/healthz;x",
	"/robots.txt%00.html", "/webhooks/../checkout", "//edge.test/assets/x", "/.well-known/ropeline/../../checkout", "/.well-known/ropeline/main/../../../checkout",
}

// AH9, AH11, AH12, W50: without a pass nothing gets through, however its path is spelt, also where presets and matchers
// leave paths beside the gate; with one the origin is asked for exactly what was asked.
func TestEverySpellingIsGated(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s", `beside "assets health webhooks"`), "")
		for _, uri := range spellings {
			switch status := e.ask(o, uri, "Accept", "application/json"); status {
			case "429", "400", "404", "gone", "405":
			default:
				t.Errorf("%q: %s", uri, status)
			}
		}
		for _, r := range e.origin.requests() {
			t.Errorf("the origin was asked for %q", r.RequestURI)
		}
		v := e.visitor()
		v.navigate("/")
		v.enter("/")
		cookies := e.named(passPart, e.cookie(v, passPart)) + "; " + e.named(ticketPart, e.cookie(v, ticketPart))
		for _, uri := range []string{"//checkout", "/./checkout", "/a/../checkout", "/%2563heckout", "/CHECKOUT", "/checkout%20", "/a%2f..%2fcheckout?q=%C3%A9&&x", "/checkout;x=1", "/checkout?"} {
			before := len(e.origin.requests())
			if status := e.ask(o, uri, "Cookie", cookies); status != "200" {
				t.Errorf("%q with a pass: %s", uri, status)
				continue
			}
			if got := e.origin.requests()[before].RequestURI; got != uri {
				t.Errorf("the origin was asked for %q, the visitor asked for %q", got, uri)
			}
		}
	})
}

// W50: the same where a matcher names what is beside the gate, as the manual shows it, and on every host.
func TestEverySpellingIsGatedByAMatcher(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, "@gated not path /assets/* /healthz\nwaiting_room @gated main {\nrate 1/h\n}", "", "strict_sni_host on", "")
		for _, uri := range spellings {
			// The matcher knows no letters' case, and takes a path as it is after cleaning: these do lie beside the gate.
			if l := strings.ToLower(uri); strings.HasPrefix(l, "/assets/x") || uri == "/healthz/" {
				continue
			}
			switch status := e.ask(o, uri, "Accept", "application/json"); status {
			case "429", "400", "404", "gone", "405":
			default:
				t.Errorf("%q: %s", uri, status)
			}
		}
		for _, host := range []string{"edge.test:8443", "www.edge.test", "10.0.0.1", "[::1]:443"} {
			r, _ := http.NewRequest("GET", e.base()+"/deep/link", nil)
			r.Host = host
			resp, err := e.visitor().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if resp.Body.Close(); resp.StatusCode != 429 {
				t.Errorf("on %s: %d", host, resp.StatusCode)
			}
		}
		for _, r := range e.origin.requests() {
			t.Errorf("the origin was asked for %q", r.RequestURI)
		}
	})
}

// AH15: the name of the TLS connection and the Host have to agree.
func TestOtherHostsOnThisConnection(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "")
		r, _ := http.NewRequest("GET", e.base()+"/", nil)
		r.Host = "evil.test"
		resp, err := e.visitor().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.Body.Close(); resp.StatusCode != http.StatusMisdirectedRequest || len(e.origin.requests()) != 0 {
			t.Errorf("%d, the origin saw %d", resp.StatusCode, len(e.origin.requests()))
		}
	})
}
