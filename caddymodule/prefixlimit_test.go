package caddymodule

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// from makes a visitor whose address the test's trusted proxy names.
func (e *edge) from(ip string) func(uri string, header ...string) reply {
	return func(uri string, header ...string) reply {
		return e.visitor().do("GET", uri, append(header, "X-Forwarded-For", ip)...)
	}
}

// trusting is a configuration in which the test's own connection is a trusted proxy. What other tests have spent of an
// address's allowance is forgotten.
func (e *edge) trusting(room string) {
	e.t.Helper()
	for i := range prefixes.tat {
		prefixes.tat[i].Store(0)
	}
	text := strings.Replace(e.config(room), "protocols h1 h2c", "protocols h1 h2c\n\t\ttrusted_proxies static 0.0.0.0/0 ::/0\n\t\ttrusted_proxies_unix", 1)
	if err := e.loadText(text); err != nil {
		e.t.Fatal(err)
	}
}

// AQ1, AQ3, AH4: one address may take so many places; the rest are told when to come again and burn none. Others, and
// those who have a place, notice nothing. A forged X-Forwarded-For from an untrusted peer is nobody's address.
func TestJoinsPerPrefix(t *testing.T) {
	e := newEdge(t, roomWith("rate 1/h"), "")
	e.trusting(roomWith("rate 1/h", "join_limit 20/min", "pow off")) // 100 at once
	one := e.from("203.0.113.7")
	var ticket string
	in, out := 0, 0
	for range 120 {
		r := one("/", "Accept", "application/json")
		switch m := r.json(t); m["code"] {
		case "admission_required":
			in++
			ticket = m["ticket"].(string)
		case "join_limited":
			out++
			if r.StatusCode != 429 || r.Header.Get("Retry-After") == "" || m["ticket"] != nil ||
				!strings.HasPrefix(r.Header.Get("RateLimit"), `"joins";r=0;t=`) || r.Header.Get("RateLimit-Policy") != `"joins";q=20;w=60` {
				t.Fatalf("%d %v %s", r.StatusCode, r.Header, r.body)
			}
		default:
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
	}
	if in < 100 || out == 0 || e.joined() != in {
		t.Errorf("%d in, %d told to wait, %d places", in, out, e.joined())
	}
	if m := one("/", "Accept", "application/json", "Ropeline-Ticket", ticket).json(t); m["code"] != "admission_required" {
		t.Errorf("who has a place: %v", m)
	}
	e.until("told so on a page, without a ticket", func() bool { // allowances that came back meanwhile are used up first
		page := one("/", navigation...).want(t, 503)
		return strings.Contains(page.body, "from your network") && page.Header.Get("Set-Cookie") == ""
	})
	if m := e.from("203.0.114.7")("/", "Accept", "application/json").json(t); m["code"] != "admission_required" {
		t.Errorf("another network: %v", m)
	}
}

// A flood of made-up tokens costs no signature checks beyond a bound, and loses nobody's place.
func TestForgedTokensPerPrefix(t *testing.T) {
	e := newEdge(t, roomWith("rate 1/h"), "")
	e.trusting(roomWith("rate 1/h"))
	one := e.from("203.0.113.7")
	ticket := one("/", "Accept", "application/json").json(t)["ticket"].(string)
	forged := ticket[:len(ticket)-4] + "AAAA"
	e.until("limited", func() bool {
		r := one("/", "Accept", "application/json", "Ropeline-Ticket", forged)
		return r.StatusCode == http.StatusTooManyRequests && r.json(t)["code"] == "slow_down"
	})
	if m := e.from("203.0.113.8")("/", "Accept", "application/json", "Ropeline-Ticket", ticket).json(t); m["index"] != float64(0) {
		t.Errorf("the place from elsewhere: %v", m)
	}
	e.until("free again", func() bool {
		return one("/", "Accept", "application/json", "Ropeline-Ticket", ticket).json(t)["index"] == float64(0)
	})
}

// AQ9: somebody who asks too often is answered from memory and keeps the place.
func TestOneTicketAskingTooOften(t *testing.T) { overBoth(t, testOneTicketAskingTooOften) }

func testOneTicketAskingTooOften(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1/h"), "")
	v := e.visitor()
	v.navigate("/").want(t, 503)
	refused := 0
	for range 100 {
		if r := v.post("knock"); r.StatusCode == 429 {
			refused++
			if r.json(t)["code"] != "slow_down" || r.Header.Get("Retry-After") == "" {
				t.Fatalf("%s", r.body)
			}
		}
	}
	if refused == 0 {
		t.Error("a hundred knocks in a moment were all let through")
	}
	if tk := ticketOf(e, v); tk.Index != 0 {
		t.Errorf("place %d", tk.Index)
	}
}

func TestPrefixTable(t *testing.T) {
	var table prefixTable
	now := time.Unix(1_800_000_000, 0)
	cell := table.cell("r", "k", netip.MustParsePrefix("2001:db8::/64"))
	n := 0
	for free(cell, now, time.Second, 10*time.Second) == 0 {
		spend(cell, now, time.Second)
		n++
	}
	if n != 10 {
		t.Errorf("%d at once, want 10", n)
	}
	if d := free(cell, now.Add(500*time.Millisecond), time.Second, 10*time.Second); d != 500*time.Millisecond {
		t.Errorf("half a second later: again in %s", d)
	}
	if d := free(cell, now.Add(time.Hour), time.Second, 10*time.Second); d != 0 {
		t.Errorf("an hour later: %s", d)
	}
	for _, bad := range []string{"20", "0", "-1/s"} {
		if _, err := joinGap(bad); err == nil || !strings.Contains(err.Error(), "300/min") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if g, err := joinGap("off"); g != 0 || err != nil {
		t.Error(g, err)
	}
	if g, _ := joinGap(""); fmt.Sprint(g) != "200ms" {
		t.Error(g)
	}
}
