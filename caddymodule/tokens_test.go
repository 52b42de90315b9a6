package caddymodule

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/ropeline/ropeline/admission"
)

// AT1 AT2 AT4 AT8 AT9 AT10: whatever is wrong with a pass, its bearer waits, is counted, and gets no place for it.
func TestForgedPassesWait(t *testing.T) { overBoth(t, testForgedPassesWait) }

func testForgedPassesWait(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	good := e.cookie(v, passPart)
	parts := strings.Split(good, ".")
	enc := base64.RawURLEncoding
	head := func(h string) string { return enc.EncodeToString([]byte(h)) + "." + parts[1] + "." + parts[2] }
	foreign, err := admission.NewKeyring(admission.NewKey(admission.UsePass, admission.AlgEdDSA, time.Now().Add(-time.Hour)),
		admission.NewKey(admission.UseTicket, admission.AlgHS256, time.Now().Add(-time.Hour)), admission.NewKey(admission.UseDraw, admission.AlgHS256, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	other, err := foreign.SignPass(admission.Pass{Room: "main", VID: admission.NewVID(), Epoch: e.snapshot().Epoch, Term: 1, IssuedAt: time.Now(),
		NotBefore: time.Now(), Expires: time.Now().Add(time.Minute), Hard: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ token, reason string }{
		"none":           {head(`{"alg":"none","kid":"x","typ":"ropeline-pass+jwt"}`), "alg"},
		"nOnE unsigned":  {strings.TrimSuffix(head(`{"alg":"nOnE","kid":"x","typ":"ropeline-pass+jwt"}`), parts[2]), "alg"},
		"jku":            {head(`{"alg":"EdDSA","kid":"x","typ":"ropeline-pass+jwt","jku":"http://evil.test"}`), "header"},
		"ticket as pass": {e.cookie(v, ticketPart), "type"},
		"truncated":      {good[:len(good)-1], "malformed"},
		"extended":       {good + "A", "signature"},
		"padded":         {good + "==", "malformed"},
		"bit":            {good[:len(good)-20] + flip(good[len(good)-20]) + good[len(good)-19:], "signature"},
		"foreign key":    {other, "key"},
	} {
		before := refusals(t, c.reason)
		forger := e.visitor()
		r := forger.do("GET", "/", "Accept", "application/json", "Cookie", e.named(passPart, c.token))
		if r.StatusCode != 429 {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
		if got := refusals(t, c.reason); got != before+1 {
			t.Errorf("%s: counted %v times as %s", name, got-before, c.reason)
		}
		if cleared := strings.Contains(strings.Join(r.Header["Set-Cookie"], "|"), "rl-p-main=; Path=/; Max-Age=0"); !cleared {
			t.Errorf("%s: the cookie stays: %v", name, r.Header["Set-Cookie"])
		}
	}
	if n := e.joined(); n != 2 { // the person, and the bearer of a pass of other keys, who is a newcomer
		t.Errorf("%d places", n)
	}
	// A pass where the ticket belongs is no place.
	e.visitor().do("POST", reservedPrefix+"main/knock", "Ropeline-Ticket", good).want(t, 401)
	if n := len(e.origin.requests()); n != 0 {
		t.Errorf("the origin saw %d requests", n)
	}
}

func refusals(t *testing.T, reason string) float64 {
	t.Helper()
	var m dto.Metric
	if err := tokenInvalid.WithLabelValues("main", reason).Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

func flip(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}

// AT8: the room is in the token; W04's second half: passes of another line or an earlier term are no use.
func TestPassesOfOtherRoomsAndTerms(t *testing.T) { overBoth(t, testPassesOfOtherRoomsAndTerms) }

func testPassesOfOtherRoomsAndTerms(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1000/s"), "")
	ring, snap := e.room().ring.Load(), e.snapshot()
	e.until("known", func() bool { snap = e.snapshot(); return known(snap) })
	now := e.room().now()
	base := admission.Pass{Room: "main", VID: admission.NewVID(), Epoch: snap.Epoch, Term: snap.Term, IssuedAt: now, NotBefore: now,
		Expires: now.Add(time.Minute), Hard: now.Add(time.Hour)}
	for name, c := range map[string]struct {
		change func(*admission.Pass)
		status int
	}{
		"good":        {func(*admission.Pass) {}, 200},
		"other room":  {func(p *admission.Pass) { p.Room = "mains" }, 429},
		"other epoch": {func(p *admission.Pass) { p.Epoch++ }, 429},
		"older term":  {func(p *admission.Pass) { p.Term-- }, 429},
		"future":      {func(p *admission.Pass) { p.NotBefore = now.Add(time.Minute) }, 429},
		"issued in the future": {func(p *admission.Pass) {
			p.IssuedAt, p.NotBefore, p.Expires = now.Add(time.Minute), now.Add(time.Minute), now.Add(2*time.Minute)
		}, 429},
		"ended": {func(p *admission.Pass) { p.IssuedAt, p.Expires = now.Add(-4*time.Minute), now.Add(-time.Minute) }, 429},
	} {
		p := base
		c.change(&p)
		raw, err := ring.SignPass(p)
		if err != nil {
			t.Fatal(err)
		}
		ticket, err := ring.SignTicket(admission.Ticket{Room: "main", Epoch: snap.Epoch, VID: p.VID, Index: 0, IssuedAt: now})
		if err != nil {
			t.Fatal(err)
		}
		if r := e.visitor().do("GET", "/", "Accept", "*/*", "Ropeline-Pass", raw, "Ropeline-Ticket", ticket); r.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", name, r.StatusCode, c.status)
		}
	}
}

// AT25, W33: an old ticket keeps its place; of several, the lowest counts.
func TestOldAndSeveralTickets(t *testing.T) { overBoth(t, testOldAndSeveralTickets) }

func testOldAndSeveralTickets(t *testing.T, o over) {
	e := o.edge(t, roomWith("rate 1/h"), "")
	for range 3 {
		e.visitor().navigate("/")
	}
	e.until("known", func() bool { return known(e.snapshot()) })
	sign := func(index int64, age time.Duration) string {
		raw, err := e.room().ring.Load().SignTicket(admission.Ticket{Room: "main", Epoch: e.snapshot().Epoch, VID: admission.NewVID(), Index: index, IssuedAt: e.room().now().Add(-age)})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	old := sign(1, 20*24*time.Hour)
	if m := e.visitor().do("GET", "/", "Accept", "application/json, text/plain, */*", "Ropeline-Ticket", old).want(t, 429).json(t); m["index"] != 1.0 {
		t.Errorf("an old ticket stands at %v", m["index"])
	}
	two := e.named(ticketPart, sign(2, 0)) + "; " + e.named(ticketPart, old)
	if m := e.visitor().do("GET", "/", "Accept", "application/json", "Cookie", two).want(t, 429).json(t); m["index"] != 1.0 {
		t.Errorf("of two tickets, %v counts", m["index"])
	}
	if m := e.visitor().do("GET", "/", "Accept", "application/json", "Ropeline-Ticket", sign(0, 31*24*time.Hour)).want(t, 429).json(t); m["index"] == 0.0 {
		t.Error("a ticket beyond its retention still has its place")
	}
}
