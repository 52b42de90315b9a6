package caddymodule

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ropeline/ropeline/admission/line/redistest"
)

// W08, W10: nobody has to keep asking for a place: the cookie outlives the browser, and the ticket alone resumes in a
// fresh client that never sent a heartbeat.
func TestAPlaceResumesFromTheTicketAlone(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s", "state paused"), "")
		e.visitor().navigate("/").want(t, 503)
		v := e.visitor()
		r := v.navigate("/").want(t, 503)
		if c := r.Cookies(); len(c) != 1 || c[0].MaxAge != 30*24*3600 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode || c[0].Domain != "" {
			t.Fatalf("cookies: %v", r.Header["Set-Cookie"])
		}
		ticket, index := e.cookie(v, ticketPart), ticketIndex(e, v)
		again := e.visitor()
		again.Jar.SetCookies(e.url(), []*http.Cookie{{Name: strings.Split(e.named(ticketPart, ""), "=")[0], Value: ticket, Path: "/", Secure: true}})
		again.navigate("/").want(t, 503)
		if ticketIndex(e, again) != index || e.joined() != 2 {
			t.Errorf("index %d became %d, %d places", index, ticketIndex(e, again), e.joined())
		}
		e.admin("resume", "")
		fresh := e.visitor()
		e.until("in from the ticket alone", func() bool {
			return fresh.do("POST", reservedPrefix+"main/enter", "Ropeline-Ticket", ticket).StatusCode == 200
		})
	})
}

// W13, W09: fifty parallel requests with one ticket are one place and one session.
func TestFiftyNavigationsWithOneTicket(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		log := filepath.Join(t.TempDir(), "grants.jsonl")
		e := o.edge(t, roomWith("rate 1000/s", "grant_log "+log), "")
		v := e.visitor()
		v.navigate("/").want(t, 503)
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if r := v.navigate("/"); r.StatusCode != 503 && r.StatusCode != 303 && r.StatusCode != 200 {
					t.Errorf("%d", r.StatusCode)
				}
			})
		}
		wg.Wait()
		e.until("in", func() bool { return v.navigate("/").StatusCode == 200 })
		b, err := os.ReadFile(log)
		if err != nil || strings.Count(string(b), `"event":"grant"`) != 1 || e.joined() != 1 {
			t.Errorf("%v: %d places, grants:\n%s", err, e.joined(), b)
		}
	})
}

// W27, AH4: invented ids, unsigned cookies and a forged address make no place, and no other address's allowance.
func TestNothingInventedMakesAPlace(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1/h", "join_limit 1/min"), "")
		c := e.visitor()
		c.Jar = nil
		for _, token := range []string{"1", "AAAAAAAAAAAAAAAAAAAAAA", "eyJhbGciOiJIUzI1NiJ9.eyJpeCI6MH0.", "{}", "null", strings.Repeat("A.", 30)} {
			for _, h := range [][]string{{"Cookie", e.named(ticketPart, token)}, {"Cookie", e.named(passPart, token)}, {"Ropeline-Ticket", token}, {"Ropeline-Pass", token}} {
				r := c.do("GET", "/", append([]string{"Accept", "application/json", "X-Forwarded-For", "203.0.113." + "7"}, h...)...)
				if r.StatusCode != 429 || r.json(t)["index"] != nil {
					t.Errorf("%v: %d %s", h, r.StatusCode, r.body)
				}
			}
		}
		if n := e.joined() + len(e.origin.requests()); n != 0 {
			t.Errorf("%d places and requests at the origin", n)
		}
	})
}

// W42: with the store frozen a request with a pass goes through, and somebody who waits is answered from memory: no
// call to it, and none to any control plane, is in their way.
func TestNoCallIsInTheWayOfARequest(t *testing.T) {
	srv := redistest.Run(t)
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), srv.URL())
		in, waits := e.visitor(), e.visitor()
		in.navigate("/")
		in.enter("/")
		e.admin("pause", "")
		waits.navigate("/").want(t, 503)
		e.until("paused", func() bool { return e.snapshot().State == "paused" })
		if err := srv.Kill(); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			in.navigate("/").want(t, 200)
			waits.navigate("/").want(t, 503)
			waits.do("GET", reservedPrefix+"main/status").want(t, 200)
		}
		// W06: nor does the operator's status ask the store, however many have joined.
		if err := adminCall("GET", "/ropeline/rooms/main", ""); err != nil {
			t.Error(err)
		}
		if err := srv.Restart(); err != nil {
			t.Fatal(err)
		}
	})
}

// W41: a reload of the configuration loses no place and closes no stream. Scaled from ten thousand streams to forty,
// beside two hundred people who wait.
func TestAReloadUnderACrowd(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		room := roomWith("rate 1000/s", "join_limit off")
		e := o.edge(t, room, "")
		e.origin.answerWith(echoSocket)
		in := e.visitor()
		in.Timeout = 0
		in.navigate("/")
		in.enter("/")
		var streams []*http.Response
		for range 20 {
			r, _ := http.NewRequest("GET", e.base()+"/events", nil)
			r.Header.Set("Accept", "text/event-stream")
			resp, err := in.Do(r)
			if err != nil || resp.StatusCode != 200 {
				t.Fatalf("%v %v", resp, err)
			}
			defer resp.Body.Close()
			streams = append(streams, resp)
		}
		e.admin("pause", "")
		var crowd []*visitorClient
		for range 100 {
			v := e.visitor()
			v.navigate("/").want(t, 503)
			crowd = append(crowd, v)
		}
		before := e.joined()
		for _, rate := range []string{"500/s", "1000/s"} {
			if err := e.load(roomWith("rate "+rate, "join_limit off", "message reloaded")); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range streams {
			first := make([]byte, len("data: hello\n\n"))
			if n, err := s.Body.Read(first); err != nil || n == 0 {
				t.Fatalf("a stream was closed: %v", err)
			}
		}
		for i, v := range crowd {
			if m := v.do("GET", "/", "Accept", "application/json").want(t, 429).json(t); m["index"] != float64(i+1) {
				t.Fatalf("visitor %d stands at %v", i+1, m["index"])
			}
		}
		if n := e.joined(); n != before {
			t.Errorf("%d places, %d before", n, before)
		}
	})
}

// W31: a host under a public suffix of two labels keeps its cookies, since they are the host's alone.
func TestAHostUnderAPublicSuffix(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "", "strict_sni_host on", "")
		v := e.visitor()
		at := func() int {
			r, _ := http.NewRequest("GET", "https://shop.example.co.uk/", nil)
			for i := 0; i < len(navigation); i += 2 {
				r.Header.Set(navigation[i], navigation[i+1])
			}
			resp, err := v.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			return resp.StatusCode
		}
		e.until("in", func() bool { return at() == 303 })
		if at() != 200 || e.joined() != 1 {
			t.Errorf("%d places", e.joined())
		}
	})
}

// W51, AT23: a whole browser that was copied shares one session; whoever plants his own ticket lends his place.
func TestACopiedBrowserSharesOneSession(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s", "cap 5"), "")
		v := e.visitor()
		v.navigate("/")
		v.enter("/")
		copied := e.visitor()
		copied.Jar.SetCookies(e.url(), v.Jar.Cookies(e.url()))
		for _, c := range v.Jar.Cookies(e.url()) {
			copied.Jar.SetCookies(e.url(), []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/", Secure: true}})
		}
		copied.navigate("/").want(t, 200)
		if live := e.snapshot().Live; live != 1 {
			t.Errorf("%d sessions", live)
		}
		v.post("leave").want(t, 200)
		copied.do("GET", "/", "Accept", "application/json").want(t, 429)
	})
}

// W03: people who have finished are gone from every number that is shown.
func TestWhoHasLeftIsNotCounted(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s", "cap 10"), "")
		for range 5 {
			v := e.visitor()
			v.navigate("/")
			v.enter("/")
			v.post("leave").want(t, 200)
		}
		e.until("nobody is counted", func() bool {
			s := e.snapshot()
			return s.Live == 0 && s.Door == 0 && s.Waiting == 0 && s.Next-s.X <= 0
		})
		late := e.visitor()
		if m := late.do("GET", "/", "Accept", "application/json").want(t, 429).json(t); m["position"] != 0.0 {
			t.Errorf("the next stands behind %v people", m["position"])
		}
		late.enter("/")
	})
}
