package caddymodule

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line/redistest"
)

// aged is the visitor's own pass as it would be some minutes later: in the second half of its life.
func (e *edge) aged(v *visitorClient) string {
	e.t.Helper()
	now := e.room().now()
	p, err := e.room().checker.Load().Verify(e.cookie(v, passPart), now)
	if err != nil {
		e.t.Fatal(err)
	}
	p.IssuedAt, p.NotBefore, p.Expires = now.Add(-4*time.Minute), now.Add(-4*time.Minute), now.Add(time.Minute)
	raw, err := e.room().ring.Load().SignPass(p)
	if err != nil {
		e.t.Fatal(err)
	}
	v.Jar.SetCookies(e.url(), []*http.Cookie{{Name: passPart + "main", Value: raw, Path: "/"}})
	return raw
}

// A navigation in the second half of a pass's life is sent to itself once, with the next pass; nothing else is.
func TestRenewal(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	v.navigate("/").want(t, 200)
	old := e.aged(v)
	for name, header := range map[string][]string{
		"fetch":    {"Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Accept", "text/html"},
		"image":    {"Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"},
		"prefetch": append([]string{"Sec-Purpose", "prefetch"}, navigation...),
	} {
		if r := v.do("GET", "/a", header...); r.StatusCode != 200 || r.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %v", name, r.StatusCode, r.Header["Set-Cookie"])
		}
	}
	r := v.navigate("/a?b=%20").want(t, http.StatusSeeOther)
	if r.Header.Get("Location") != "/a?b=%20" || r.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("renewal: %v", r.Header)
	}
	if e.cookie(v, passPart) == old {
		t.Fatal("the pass is the old one")
	}
	v.navigate("/a").want(t, 200)
	// By header nobody is redirected.
	e.visitor().do("GET", "/a", append(navigation, "Ropeline-Pass", old, "Ropeline-Ticket", e.cookie(v, ticketPart))...).want(t, 200)
}

// A pass whose session has ended is not renewed: its bearer stands in line again.
func TestNoRenewalAfterTheEnd(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s", "cap 1", "idle 1s", "hard 2s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	e.until("free again", func() bool { return e.snapshot().Live == 0 })
	r := v.navigate("/")
	if r.StatusCode == 200 {
		t.Error("an ended session still gets through")
	}
	next := e.visitor()
	next.navigate("/")
	next.enter("/")
}

// With the store away nobody new comes in, those inside go on, and no place is lost.
func TestTheStoreIsAway(t *testing.T) {
	srv := redistest.Run(t)
	e := newEdge(t, roomWith("rate 1000/s"), srv.URL())
	in, waits := e.visitor(), e.visitor()
	in.navigate("/")
	in.enter("/")
	waits.navigate("/").want(t, 503)
	index := ticketIndex(e, waits)
	if err := srv.Kill(); err != nil {
		t.Fatal(err)
	}
	in.navigate("/").want(t, 200)
	late := e.visitor()
	r := late.do("GET", "/", "Accept", "application/json").want(t, 503)
	if r.json(t)["code"] != "line_unavailable" || r.Header.Get("Retry-After") == "" || r.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("away: %v %s", r.Header, r.body)
	}
	if tk := ticketOf(e, late); tk.Index != admission.NoIndex {
		t.Errorf("an index was given without a store: %d", tk.Index)
	}
	if page := e.visitor().navigate("/").want(t, 503); !strings.Contains(page.body, "No place is lost") {
		t.Error("the page does not say what is going on")
	}
	e.until("stale", func() bool { return e.snapshot().Stale })
	if s := late.do("GET", reservedPrefix+"main/status").want(t, 200).json(t)["state"]; s != "merging" {
		t.Errorf("status says %v", s)
	}
	if err := srv.Restart(); err != nil {
		t.Fatal(err)
	}
	waits.enter("/")
	if tk := ticketOf(e, waits); tk.Index != index {
		t.Errorf("index %d became %d", index, tk.Index)
	}
	// Knocking alone gets the place that could not be given: no page has to be loaded again.
	e.until("in by knocking", func() bool {
		return late.do("POST", reservedPrefix+"main/enter").StatusCode == 200
	})
	if tk := ticketOf(e, late); tk.Index == admission.NoIndex {
		t.Error("inside, and still without an index")
	}
	in.navigate("/").want(t, 200)
}
