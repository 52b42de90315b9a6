package caddymodule

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/line/redistest"
)

// bare is a client that keeps no cookies.
func (e *edge) bare() *visitorClient {
	v := e.visitor()
	v.Jar = nil
	return v
}

// The safety net: a browser is sent around once with its ticket and has a session when it comes back; who keeps no cookies is
// passed on at once, a navigation after one redirect; the origin gets a pass only of those who have one.
func TestSafetyNetOverHTTP(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 100/s", "cap 6", "passthrough on"), store)
		shop := "/shop" + e.dir + "?a=b%20c" // another for each run: a client is sent around once to each
		e.until("open", func() bool { return e.snapshot().State == line.StatePassthrough })
		v := e.visitor()
		first := v.navigate(shop).want(t, http.StatusSeeOther)
		if first.Header.Get("Location") != shop || e.cookie(v, ticketPart) == "" || len(e.origin.requests()) != 0 {
			t.Fatalf("sent around: %v", first.Header)
		}
		v.navigate(shop).want(t, http.StatusSeeOther) // with the pass
		if got := v.navigate(shop).want(t, 200); !strings.Contains(got.body, "origin "+shop) {
			t.Fatalf("inside: %s", got.body)
		}
		if r := e.origin.requests()[0]; r.Header.Get("Ropeline-Pass") == "" || r.Header.Get("Cookie") != "" {
			t.Errorf("the origin got %v", r.Header)
		}

		// Without cookies: one redirect and then the origin; a program gets no redirect at all.
		bare := e.bare()
		bare.navigate("/loop"+e.dir).want(t, http.StatusSeeOther)
		got := bare.navigate("/loop"+e.dir).want(t, 200)
		if len(got.Header["Set-Cookie"]) != 0 || got.Header.Get("Cache-Control") != "public, max-age=77" {
			t.Errorf("passed on: %v", got.Header)
		}
		for range 5 {
			bare.do("GET", "/api", "Accept", "*/*", "User-Agent", "bot").want(t, 200)
			bare.do("POST", "/api", "Accept", "*/*", "User-Agent", "bot").want(t, 200)
		}
		seen := e.origin.requests()
		if r := seen[len(seen)-1]; r.Header.Get("Ropeline-Pass") != "" {
			t.Error("a provisional grant has a pass")
		}
		// Those who never came back have half of the slots at most: a newcomer is told to come back with a ticket, and is in.
		late := e.visitor()
		page := late.navigate("/late"+e.dir).want(t, 503)
		if page.Header.Get("Ropeline-Answer") != "wait" {
			t.Errorf("with no slot for strangers: %v", page.Header)
		}
		v.navigate(shop).want(t, 200)
		late.enter("/late" + e.dir)
		late.navigate("/late"+e.dir).want(t, 200)
		e.until("open again", func() bool { return e.snapshot().State == line.StatePassthrough })
		if doc := e.visitor().do("GET", reservedPrefix+"main/status").json(t); doc["state"] != line.StatePassthrough {
			t.Errorf("status %v", doc["state"])
		}
	})
}

// W14: what an edge has heard of the room decides nothing: the store is asked each time.
func TestCachedStateOpensNothing(t *testing.T) {
	store := redistest.Run(t).URL()
	e := newEdge(t, roomWith("rate 100/s", "cap 1", "passthrough on"), store)
	other := e.secondEdge(store)
	e.until("open", func() bool { return e.snapshot().State == line.StatePassthrough })
	holder := string(must(other.PassThrough(t.Context(), "holder")).Standing)
	if holder != string(line.Granted) {
		t.Fatalf("at the other edge: %s", holder)
	}
	// This edge has not heard of it: its own view still says that nobody is inside.
	if got := e.bare().do("GET", "/", "Accept", "*/*"); got.StatusCode != http.StatusTooManyRequests {
		t.Fatalf("the second of cap 1 got %d", got.StatusCode)
	}
	if n := len(e.origin.requests()); n != 0 {
		t.Fatalf("the origin saw %d", n)
	}
}

func must[A any](a A, err error) A {
	if err != nil {
		panic(err)
	}
	return a
}

// W63: the store is down. A room that never had a line stays open, and closes when its time is over; one that has had a line
// in this epoch is closed at once. Who is inside stays inside.
func TestSafetyNetWhileTheStoreIsDown(t *testing.T) {
	server := redistest.Run(t)
	e := newEdge(t, roomWith("rate 100/s", "cap 5", "passthrough on", "fail_open_for 8s"), server.URL())
	e.until("open", func() bool { return e.snapshot().State == line.StatePassthrough })
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	heard := e.snapshot().Heard
	if got := e.bare().do("GET", "/api", "Accept", "*/*"); got.StatusCode != 200 && time.Since(heard) < 8*time.Second {
		t.Fatalf("the store is down: %d", got.StatusCode)
	}
	e.until("closed", func() bool {
		return e.bare().do("GET", "/api", "Accept", "*/*").StatusCode == http.StatusServiceUnavailable
	})
	if d := time.Since(heard); d < 8*time.Second {
		t.Fatalf("it was closed after %s", d)
	}
	v.navigate("/").want(t, 200)
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	e.until("open again", func() bool { return e.snapshot().State == line.StatePassthrough && !e.snapshot().Stale })
	e.admin("cap", `{"cap":0}`)
	waits := e.visitor()
	waits.navigate("/").want(t, 503)
	e.until("a line", func() bool { waits.post("knock"); return e.snapshot().State == "open" })
	e.admin("cap", `{"cap":5}`)
	waits.enter("/")
	e.until("open once more", func() bool { return e.snapshot().State == line.StatePassthrough })
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	before := len(e.origin.requests())
	e.bare().do("GET", "/api", "Accept", "*/*").want(t, http.StatusServiceUnavailable)
	e.bare().navigate("/nav").want(t, 503)
	if n := len(e.origin.requests()); n != before {
		t.Fatalf("the origin saw %d more", n-before)
	}
}
