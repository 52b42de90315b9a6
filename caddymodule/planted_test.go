package caddymodule

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission"
)

// AT23, and the many cookies that a stranger on plain HTTP or on a sister host can plant: junk neither hides the genuine
// ticket, wherever it stands, nor clears it, nor costs its owner the place; junk alone gets no place before it comes back.
func TestPlantedTickets(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s", "state paused"), "")
		v := e.visitor()
		v.navigate("/").want(t, 503)
		genuine := e.cookie(v, ticketPart)
		junk := func(n int) string {
			var list []string
			for i := range n {
				list = append(list, e.named(ticketPart, fmt.Sprintf("%s%04d", genuine[:len(genuine)-4], i)))
			}
			return strings.Join(list, "; ")
		}
		for name, cookies := range map[string]string{
			"four before":    junk(4) + "; " + e.named(ticketPart, genuine),
			"four behind":    e.named(ticketPart, genuine) + "; " + junk(4),
			"on both sides":  junk(15) + "; " + e.named(ticketPart, genuine) + "; " + junk(15),
			"many before":    junk(30) + "; " + e.named(ticketPart, genuine),
			"no token shape": strings.Repeat(e.named(ticketPart, "x")+"; ", 100) + e.named(ticketPart, genuine),
		} {
			r := e.visitor().do("GET", "/", "Accept", "application/json", "Cookie", cookies).want(t, 429)
			if m := r.json(t); m["index"] != 0.0 || r.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: index %v, cookies %v", name, m["index"], r.Header["Set-Cookie"])
			}
		}
		before := e.joined()
		alone := e.visitor()
		r := alone.do("GET", "/", append(navigation, "Cookie", junk(5))...).want(t, 503)
		if r.Header.Get("Set-Cookie") == "" || ticketOf(e, alone).Index != admission.NoIndex || e.joined() != before {
			t.Errorf("junk alone: %v, %d places more", r.Header["Set-Cookie"], e.joined()-before)
		}
		alone.do("GET", "/", append(navigation, "Cookie", junk(5))...).want(t, 503)
		if n := e.joined(); n != before+1 || ticketOf(e, alone).Index != int64(before) {
			t.Errorf("come back beside the junk: %d places more, index %d", n-before, ticketOf(e, alone).Index)
		}
	})
}

// A planted ticket whose place is spent does not stand before one's own, and junk passes do not hide the genuine one.
func TestAPlantedUsedTicketAndPlantedPasses(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "")
		thief, v := e.visitor(), e.visitor()
		thief.navigate("/").want(t, 503)
		v.navigate("/").want(t, 503)
		thief.enter("/")
		planted := e.cookie(thief, ticketPart)
		thief.post("leave").want(t, 200)
		own, index := e.cookie(v, ticketPart), ticketOf(e, v).Index
		cookies := e.named(ticketPart, planted) + "; " + e.named(ticketPart, own)
		e.until("the knock finds the own place", func() bool {
			m := e.visitor().do("POST", reservedPrefix+"main/knock", "Cookie", cookies).json(t)
			return m["index"] == float64(index) && m["state"] != "used"
		})
		if m := e.visitor().do("GET", "/", "Cookie", cookies, "Accept", "application/json").json(t); m["index"] != float64(index) {
			t.Errorf("the page stands at %v, own index %d", m["index"], index)
		}
		if m := e.visitor().do("POST", reservedPrefix+"main/knock", "Cookie", e.named(ticketPart, planted)); m.json(t)["state"] != "used" {
			t.Errorf("the planted one alone: %s", m.body)
		}
		victim := e.visitor()
		e.until("let in at the own place", func() bool {
			return victim.do("GET", "/", append(navigation, "Cookie", cookies)...).StatusCode == http.StatusSeeOther
		})
		pass, err := e.room().checker.Load().Verify(e.cookie(victim, passPart), e.room().now())
		if err != nil || pass.Place != index {
			t.Fatalf("in at place %d %v, own index %d", pass.Place, err, index)
		}
		good := e.cookie(victim, passPart)
		var junk []string
		for i := range 20 {
			junk = append(junk, e.named(passPart, fmt.Sprintf("%s%04d", good[:len(good)-4], i)))
		}
		for name, p := range map[string]string{"before": strings.Join(junk, "; ") + "; " + e.named(passPart, good), "behind": e.named(passPart, good) + "; " + strings.Join(junk, "; ")} {
			e.visitor().do("GET", "/", "Accept", "*/*", "Cookie", cookies+"; "+p).want(t, 200)
			_ = name
		}
	})
}

// AT15, W51: a pass that was copied without its visitor's ticket is no use, as cookie or header; the visitor notices
// nothing. With bind_pass off it is good by itself.
func TestACopiedPass(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "")
		v, other := e.visitor(), e.visitor()
		v.navigate("/")
		v.enter("/")
		pass := e.cookie(v, passPart)
		other.navigate("/").want(t, 503)
		before := counterOf(t, passShared.WithLabelValues("main"))
		for name, r := range map[string]reply{
			"cookie":                 e.visitor().do("GET", "/", "Accept", "application/json", "Cookie", e.named(passPart, pass)),
			"header":                 e.visitor().do("GET", "/", "Accept", "application/json", "Ropeline-Pass", pass),
			"beside another's":       other.do("GET", "/", "Accept", "application/json", "Cookie", e.named(passPart, pass)),
			"renewal":                e.visitor().do("POST", reservedPrefix+"main/renew", "Ropeline-Pass", pass),
			"with a ticket in parts": e.visitor().do("GET", "/", "Accept", "application/json", "Ropeline-Pass", pass, "Ropeline-Ticket", e.cookie(v, ticketPart)+"x"),
		} {
			if r.StatusCode != 429 && r.StatusCode != 403 {
				t.Errorf("%s: %d", name, r.StatusCode)
			}
		}
		if n := len(e.origin.requests()); n != 0 {
			t.Errorf("the origin saw %d of them", n)
		}
		if n := counterOf(t, passShared.WithLabelValues("main")) - before; n != 5 {
			t.Errorf("pass_shared counted %v of 5", n)
		}
		for range 2 { // the second time the pair is remembered
			v.navigate("/").want(t, 200)
		}
		// The next pass is its visitor's alone too, from its first request on and without a second look at the ticket.
		e.until("given another pass", func() bool { // within one second it is the same, and asking is limited
			v.do("POST", reservedPrefix+"main/renew")
			return e.cookie(v, passPart) != pass
		})
		next, mine := e.cookie(v, passPart), e.cookie(v, ticketPart)
		checker, now := e.room().checker.Load(), e.room().now()
		if _, together, err := checker.VerifyBeside(next, []string{mine}, now); err != nil || !together {
			t.Errorf("after a renewal the pass is not bound: %v", err)
		}
		if _, together, _ := checker.VerifyBeside(next, []string{e.cookie(other, ticketPart)}, now); together {
			t.Error("after a renewal the pass is bound to another's ticket")
		}
		if r := other.do("GET", "/", "Accept", "application/json", "Cookie", e.named(passPart, next)); r.StatusCode != 429 {
			t.Errorf("the renewed pass beside another's ticket: %d", r.StatusCode)
		}
		v.navigate("/").want(t, 200)
		if err := e.load(roomWith("rate 1000/s", "bind_pass off")); err != nil {
			t.Fatal(err)
		}
		e.visitor().do("GET", "/", "Accept", "*/*", "Ropeline-Pass", pass).want(t, 200)
	})
}
