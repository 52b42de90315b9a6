package caddymodule

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission"
)

// siteWith is a site with many rooms, each before a path of its own.
func siteWith(n int, options ...string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "@r%d path /r%d/*\nwaiting_room @r%d room%d {\nrate 1000/s\n%s\n}\n", i, i, i, i, strings.Join(options, "\n"))
	}
	return b.String()
}

// W61: with eleven rooms on a site, each finds its own tickets, the origin gets nothing but one pass, and the browser
// keeps eight rooms' cookies.
func TestElevenRooms(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, siteWith(11), "")
		v := e.visitor()
		u, _ := url.Parse(e.base())
		e.until("ready", func() bool { return e.visitor().navigate("/r10/").StatusCode == 503 })
		v.do("GET", "/plain", "Cookie", "shop=1").want(t, 200)
		plain := e.origin.requests()[len(e.origin.requests())-1]
		for i := range 11 {
			uri := fmt.Sprintf("/r%d/x", i)
			page := v.navigate(uri).want(t, 503)
			if !strings.Contains(strings.Join(page.Header["Set-Cookie"], "|"), fmt.Sprintf("rl-t-room%d=eyJ", i)) {
				t.Fatalf("room %d gives no ticket: %v", i, page.Header["Set-Cookie"])
			}
			v.enter(uri)
			r := v.do("GET", uri, append(navigation, "Cookie", "shop=1")...).want(t, 200)
			if r.body != "origin "+uri {
				t.Error(r.body)
			}
			last := e.origin.requests()[len(e.origin.requests())-1]
			if c := strings.Join(last.Header["Cookie"], "; "); c != strings.Join(plain.Header["Cookie"], "; ") {
				t.Errorf("cookies at the origin of room %d: %q", i, c)
			}
			passes := last.Header["Ropeline-Pass"]
			if len(passes) != 1 {
				t.Fatalf("%d passes at the origin", len(passes))
			}
			for name := range last.Header {
				if _, also := plain.Header[name]; !also && name != "Ropeline-Pass" && !slices.Contains([]string{"Accept", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site"}, name) {
					t.Errorf("%s grew the request to the origin", name)
				}
			}
			ring := liveRooms()[0].ring.Load()
			if p, err := ring.VerifyPass(passes[0], fmt.Sprintf("room%d", i), liveRooms()[0].now()); err != nil {
				t.Errorf("room %d: the pass is of %+v: %v", i, p, err)
			}
		}
		kept := map[string]bool{}
		for _, c := range v.Jar.Cookies(u) {
			kept[strings.TrimPrefix(strings.TrimPrefix(c.Name, hostPrefix+ticketPart), hostPrefix+passPart)] = true
		}
		if len(kept) != maxCookieRooms || !kept["room10"] || kept["room0"] {
			t.Errorf("the browser keeps the cookies of %d rooms: %v", len(kept), kept)
		}
	})
}

// One answer clears the tickets of other rooms that are no use any more.
func TestDeadTicketsOfOtherRoomsAreCleared(t *testing.T) {
	e := newEdge(t, siteWith(3), "")
	e.until("ready", func() bool { return e.visitor().navigate("/r2/").StatusCode == 503 })
	ring, now := liveRooms()[0].ring.Load(), liveRooms()[0].now()
	sign := func(room string, change func(*admission.Ticket)) string {
		tk := admission.Ticket{Room: room, Epoch: liveRooms()[0].line.Snapshot().Epoch, VID: admission.NewVID(), IssuedAt: now}
		change(&tk)
		raw, err := ring.SignTicket(tk)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	r := e.visitor().do("GET", "/r0/", append(navigation, "Cookie",
		"rl-t-room1="+sign("room1", func(tk *admission.Ticket) { tk.Epoch += 7 })+"; rl-t-room2="+sign("room2", func(*admission.Ticket) {})+"; rl-t-elsewhere=x")...).want(t, 503)
	set := strings.Join(r.Header["Set-Cookie"], "|")
	if !strings.Contains(set, "rl-t-room1=; Path=/; Max-Age=0") || strings.Contains(set, "room2") || strings.Contains(set, "elsewhere") {
		t.Errorf("cookies: %v", r.Header["Set-Cookie"])
	}
}

// A request that passes two rooms: the one that gates it speaks with the origin.
func TestARoomBesideAnother(t *testing.T) {
	e := newEdge(t, "@a path /a/*\nwaiting_room @a first {\nrate 1000/s\n}\n@b path /b/*\nwaiting_room @b second {\nrate 1000/s\n}", "")
	e.until("ready", func() bool { return e.visitor().navigate("/b/").StatusCode == 503 })
	v := e.visitor()
	for _, p := range []string{"/a/", "/b/"} {
		v.navigate(p)
		v.enter(p)
	}
	e.origin.answerWith(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Ropeline-Session", "end")
		w.Header().Set("X-Pass", fmt.Sprint(len(r.Header["Ropeline-Pass"])))
	})
	if r := v.navigate("/a/").want(t, 200); r.Header.Get("X-Pass") != "1" || r.Header.Get("Ropeline-Session") != "" {
		t.Errorf("%v", r.Header)
	}
	e.origin.answerWith(nil)
	v.do("GET", "/a/", "Accept", "application/json").want(t, 429)
	v.do("GET", "/b/", "Accept", "application/json").want(t, 200)
}

// W60: one room over two hosts is one place, and one session, with a cookie of their domain. On a host outside of it the
// cookie stays that host's.
func TestACookieDomain(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s", "cookie_domain example.com"), "", "strict_sni_host on", "")
		v := e.visitor()
		at := func(host, uri string) reply {
			r, err := http.NewRequest("GET", "https://"+host+uri, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(navigation); i += 2 {
				r.Header.Set(navigation[i], navigation[i+1])
			}
			resp, err := v.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			return reply{resp, ""}
		}
		first := at("shop.example.com", "/").want(t, 503)
		if c := first.Header.Get("Set-Cookie"); !strings.HasPrefix(c, "__Secure-rl-t-main=eyJ") || !strings.Contains(c, "; Domain=example.com;") || !strings.Contains(c, "; Secure") {
			t.Fatalf("cookie %q", c)
		}
		if second := at("pay.example.com", "/").want(t, 503); len(second.Header["Set-Cookie"]) > 0 || e.joined() != 1 {
			t.Errorf("the second host: %v, %d places", second.Header["Set-Cookie"], e.joined())
		}
		e.until("let in", func() bool { return at("shop.example.com", "/").StatusCode == http.StatusSeeOther })
		at("pay.example.com", "/").want(t, 200)
		at("shop.example.com", "/").want(t, 200)
		if c := at("notexample.com", "/").want(t, 503).Header.Get("Set-Cookie"); !strings.HasPrefix(c, "__Host-rl-t-main=") || strings.Contains(c, "Domain") {
			t.Errorf("outside of the domain: %q", c)
		}
	})
	for _, bad := range []string{"com", ".example.com", "Example.com", "example.com:443", "127.0.0.1", "a..b", "x.example.com/"} {
		if err := checkCookieDomain(bad); err == nil {
			t.Errorf("cookie_domain %q accepted", bad)
		}
	}
}
