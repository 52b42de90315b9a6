package caddymodule

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What stands behind a body and in Connection can neither forge the pass at the origin nor take it away.
func TestTrailersAndConnectionCarryNothingOfOurs(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	pass, ticket := e.cookie(v, passPart), e.cookie(v, ticketPart)
	e.origin.answerWith(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Trailer", "Ropeline-Session, X-Sum")
		fmt.Fprintf(w, "pass %t; connection %q; trailers %q\n", r.Header.Get("Ropeline-Pass") == pass, r.Header["Connection"], r.Trailer)
		w.Header().Set("Ropeline-Session", "end")
		w.Header().Set("X-Sum", "9")
		w.Header().Set(http.TrailerPrefix+"Ropeline-Answer", "mine")
	})
	for name, head := range map[string]string{
		"declared":   "Trailer: Ropeline-Pass, X-T\r\n",
		"undeclared": "Trailer: X-T\r\n",
		"connection": "Trailer: X-T\r\nConnection: Ropeline-Pass, ropeline_ticket\r\n",
	} {
		got := e.raw("POST /t HTTP/1.1\r\nHost: edge.test\r\nRopeline-Pass: " + pass + "\r\nRopeline-Ticket: " + ticket + "\r\nTransfer-Encoding: chunked\r\n" + head +
			"Connection: close\r\n\r\n3\r\nabc\r\n0\r\nRopeline-Pass: forged\r\nRopeline_Pass: forged\r\nX-T: 1\r\n\r\n")
		if !strings.Contains(got, "pass true") || !strings.Contains(got, `"X-T":["1"]`) || strings.Contains(got, "forged") {
			t.Errorf("%s: the origin saw: %s", name, got)
		}
		if _, behind, _ := strings.Cut(got, "pass true"); strings.Contains(behind, "Ropeline-Session") || strings.Contains(behind, "Ropeline-Answer") || !strings.Contains(behind, "X-Sum: 9") {
			t.Errorf("%s: behind the answer: %s", name, behind)
		}
	}
}

// raw sends bytes as they are and returns all of the answer; the request has to ask for the connection to be closed.
func (e *edge) raw(request string) string {
	e.t.Helper()
	c := e.dial("http/1.1")
	if _, err := io.WriteString(c, request); err != nil {
		e.t.Fatal(err)
	}
	b, err := io.ReadAll(c)
	if err != nil {
		e.t.Fatal(err)
	}
	return string(b)
}

func TestStripConnection(t *testing.T) {
	h := http.Header{"Connection": {"keep-alive, Ropeline-Pass", "ropeline-ticket", "Upgrade"}}
	stripConnection(h)
	if got := strings.Join(h["Connection"], "|"); got != "keep-alive|Upgrade" {
		t.Error(got)
	}
}

// Over plain HTTP there is no Sec-Fetch-Site: Origin is compared with Host.
func TestOtherSitesMayNotAsk(t *testing.T) {
	for _, c := range []struct {
		origin, site, host string
		elsewhere          bool
	}{
		{"", "", "shop.test", false},
		{"http://shop.test", "", "shop.test", false},
		{"http://shop.test", "", "Shop.test:80", false},
		{"https://shop.test", "", "shop.test:443", false},
		{"http://shop.test:8080", "", "shop.test", true},
		{"http://evil.test", "", "shop.test", true},
		{"http://evil.test", "none", "shop.test", true},
		{"null", "", "shop.test", true},
		{"", "same-site", "shop.test", true},
		{"https://shop.test", "same-origin", "inner.test", false},
	} {
		r := httptest.NewRequest("POST", "http://"+c.host+"/", nil)
		r.Header.Set("Origin", c.origin)
		r.Header.Set("Sec-Fetch-Site", c.site)
		if got := fromElsewhere(r); got != c.elsewhere {
			t.Errorf("%+v: %v", c, got)
		}
	}
	e := newEdge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/").want(t, 503)
	for route := range map[string]bool{"knock": true, "enter": true, "renew": true, "leave": true, "heartbeat": true} {
		if r := v.do("POST", reservedPrefix+"main/"+route, "Origin", "http://edge.test:8081"); r.StatusCode != 403 || r.json(t)["code"] != "cross_site" {
			t.Errorf("%s: %d", route, r.StatusCode)
		}
	}
	v.do("POST", reservedPrefix+"main/heartbeat", "Origin", "http://edge.test").want(t, 200)
}
