package caddymodule

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission"
)

// postForm posts a form of our pages, as a script does, or as a person without one.
func (v *visitorClient) postForm(route string, form url.Values, header ...string) reply {
	v.e.t.Helper()
	r, err := http.NewRequest("POST", v.e.base()+reservedPrefix+"main/"+route, strings.NewReader(form.Encode()))
	if err != nil {
		v.e.t.Fatal(err)
	}
	r.Header.Set("Content-Type", formType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := v.Do(r)
	if err != nil {
		v.e.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		v.e.t.Fatal(err)
	}
	return reply{resp, string(b)}
}

func asScript(ip string) []string {
	return []string{"Accept", "application/json", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "X-Forwarded-For", ip}
}

func asPerson(ip string) []string {
	return []string{"Accept", "text/html", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "X-Forwarded-For", ip}
}

// AQ5, W05, W52: under `pow always` the first answer has no ticket and takes no place. A solution gives exactly one, at its
// own network; sent again it is the same place. Whoever has a place is never asked.
func TestAPlaceCostsWork(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 0", "pow always"), store)
		e.trusting(roomWith("rate 0", "pow always"))
		v := e.visitor()
		p := v.do("GET", "/shop?a=1", append(navigation, "X-Forwarded-For", "203.0.113.7")...).want(t, 503)
		if p.Header.Get("Set-Cookie") != "" || !strings.Contains(p.body, `"bits":12`) || !strings.Contains(p.body, `name="challenge"`) {
			t.Fatalf("%v\n%.500s", p.Header, p.body)
		}
		m := v.do("GET", "/", "Accept", "application/json", "X-Forwarded-For", "203.0.113.7").want(t, 429).json(t)
		if m["code"] != "work_required" || m["ticket"] != nil || m["parts"] != float64(admission.WorkParts) || e.joined() != 0 {
			t.Fatalf("%v, %d places", m, e.joined())
		}
		challenge, bits := m["challenge"].(string), int(m["bits"].(float64))
		form := url.Values{"challenge": {challenge}, "work": {admission.SolveWork(challenge, bits)}}
		wrong := url.Values{"challenge": {challenge}, "work": {strings.TrimSuffix(strings.Repeat("1.", admission.WorkParts), ".")}}
		if r := v.postForm("join", wrong, asScript("203.0.113.7")...); r.StatusCode != 403 || r.json(t)["code"] != "work_invalid" {
			t.Errorf("no solution: %d %s", r.StatusCode, r.body)
		}
		if r := v.postForm("join", form, asScript("198.51.100.7")...); r.StatusCode != 403 {
			t.Errorf("another network: %d %s", r.StatusCode, r.body)
		}
		if r := v.postForm("join", form, append(asScript("203.0.113.7"), "Sec-Fetch-Site", "cross-site")...); r.StatusCode != 403 || r.json(t)["code"] != "cross_site" {
			t.Errorf("another site: %d %s", r.StatusCode, r.body)
		}
		got := v.postForm("join", form, asScript("203.0.113.99")...).want(t, 200).json(t) // a phone's address changes
		for range 5 {
			again := e.visitor().postForm("join", form, asScript("203.0.113.7")...).want(t, 200).json(t)
			if again["index"] != got["index"] {
				t.Errorf("one solution gave places %v and %v", got["index"], again["index"])
			}
		}
		if n := e.joined(); n != 1 {
			t.Errorf("%d places for one solution", n)
		}
		if r := v.navigate("/shop?a=1").want(t, 503); strings.Contains(r.body, `"bits":`) || ticketOf(e, v).Index != 0 {
			t.Error("somebody with a place is asked for work")
		}
		if r := v.postForm("join", url.Values{"challenge": {"x.y.z"}, "to": {"/shop"}}, asPerson("203.0.113.7")...); r.StatusCode != 303 || r.Header.Get("Location") != "/shop" {
			t.Errorf("somebody with a place joins again: %d %s", r.StatusCode, r.Header.Get("Location"))
		}
	})
}

// What was solved under another configuration is asked for anew: a reload that asks for more holds at once.
func TestAReloadAsksForTheWorkAgain(t *testing.T) {
	e := newEdge(t, roomWith("rate 0", "pow always"), "")
	e.trusting(roomWith("rate 0", "pow always"))
	solve := func() url.Values {
		m := e.visitor().do("GET", "/", "Accept", "application/json", "X-Forwarded-For", "203.0.113.7").want(t, 429).json(t)
		challenge, bits := m["challenge"].(string), int(m["bits"].(float64))
		return url.Values{"challenge": {challenge}, "work": {admission.SolveWork(challenge, bits)}}
	}
	early, same := solve(), solve()
	e.trusting(roomWith("rate 5/s", "pow always", "title New"))
	e.visitor().postForm("join", same, asScript("203.0.113.7")...).want(t, 200) // what newcomers are asked for has not changed
	e.trusting(roomWith("rate 0", "pow always", "captcha turnstile", "captcha_site_key k", "captcha_secret s", "captcha_url http://127.0.0.1:1/"))
	if m := e.visitor().postForm("join", early, asScript("203.0.113.7")...).want(t, 403).json(t); m["code"] != "work_invalid" {
		t.Errorf("solved before the reload: %v", m)
	}
}

// Without JavaScript: wait 5 seconds, press the button. Too early asks again for the same wait; a form's target stays on
// this site; what had been filled in goes with it; and the ones who wait have a budget of their own.
func TestWaitingInPlaceOfWork(t *testing.T) {
	e := newEdge(t, roomWith("rate 0", "pow always"), "")
	e.trusting(roomWith("rate 0", "pow always"))
	aged := func(by time.Duration) string {
		now := e.room().now()
		raw, err := e.room().ring.Load().SignChallenge(admission.Challenge{Room: "main", Terms: e.room().conf.Load().terms(), Epoch: e.snapshot().Epoch, VID: admission.NewVID(), Bits: leastWork, IssuedAt: now.Add(-by), Expires: now.Add(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	e.until("heard", func() bool { return e.snapshot().Epoch > 0 })
	v, early := e.visitor(), aged(0)
	r := v.postForm("join", url.Values{"challenge": {early}, "to": {"/a?b=1"}}, asPerson("203.0.113.7")...).want(t, 503)
	if !strings.Contains(r.body, early) || !strings.Contains(r.body, `value="/a?b=1"`) || r.Header.Get("Set-Cookie") != "" {
		t.Errorf("too early: %.400s", r.body)
	}
	for to, want := range map[string]string{"/a?b=1": "/a?b=1", "//evil.example": "/", "https://evil.example/": "/", `/\evil.example`: "/", "": "/", "/x\r\nSet-Cookie: a=b": "/"} {
		v := e.visitor()
		r := v.postForm("join", url.Values{"challenge": {aged(slowWait + time.Second)}, "to": {to}}, asPerson("203.0.113.7")...).want(t, 303)
		if got := r.Header.Get("Location"); got != want {
			t.Errorf("%q leads to %q", to, got)
		}
		ticketOf(e, v)
	}
	refused := 0
	for range 60 {
		if r := e.visitor().postForm("join", url.Values{"challenge": {aged(slowWait + time.Second)}}, asPerson("203.0.113.7")...); r.StatusCode == 503 && strings.Contains(r.body, `"state":"limited"`) {
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("60 robots that just wait: %d refused", refused)
	}
	e.visitor().postForm("join", url.Values{"challenge": {aged(slowWait + time.Second)}}, asPerson("198.51.100.7")...).want(t, 303)
}

// AQ1: under `auto` the first places of an address are free; thousands from it in a moment cost work, and take none without.
func TestPressureAsksForWork(t *testing.T) {
	e := newEdge(t, roomWith("rate 0"), "")
	e.trusting(roomWith("rate 0"))
	in, asked, hardest := 0, 0, 0.0
	for range 400 {
		switch m := e.from("192.0.2.7")("/", "Accept", "application/json").json(t); m["code"] {
		case "admission_required":
			in++
		case "work_required":
			asked++
			hardest = max(hardest, m["bits"].(float64))
		}
	}
	if in < calmJoins || in > calmJoins+60 || asked < 200 || hardest < leastWork+4 || e.joined() != in {
		t.Errorf("%d free, %d asked for work, the hardest of %v bits, %d places", in, asked, hardest, e.joined())
	}
	if m := e.from("192.88.99.7")("/", "Accept", "application/json").json(t); m["code"] != "admission_required" {
		t.Errorf("another network pays for it: %v", m)
	}
}

func requestFrom(ip string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	return r.WithContext(context.WithValue(r.Context(), caddyhttp.VarsCtxKey, map[string]any{caddyhttp.ClientIPVarKey: ip}))
}

// AQ3, AQ5: two hundred people behind one address, one every second and a half, all get a place and never work for more
// than about a second; a hundred at once from one address work ever harder.
func TestWorkRisesWithThePressure(t *testing.T) {
	e := newEdge(t, roomWith("rate 0", "pow always"), "")
	h := &Handler{Room: "main", room: e.room(), log: e.room().log}
	at := time.Now()
	refused := 0
	for range 200 {
		at = at.Add(1500 * time.Millisecond)
		r := requestFrom("100.20.30.40")
		zeros := h.work(r, at)
		if zeros > leastWork+4 {
			t.Fatalf("people at their own pace are asked for %d bits", zeros)
		}
		if _, _, err := h.challenge(r, zeros, at); err != nil {
			t.Fatal(err)
		}
		if h.joinAllowed(r, at) != nil {
			refused++
		}
	}
	if refused > 10 {
		t.Errorf("%d of 200 refused", refused)
	}
	last, sum := leastWork, 0
	for i := range 100 {
		r := requestFrom("100.99.30.40")
		zeros := h.work(r, at)
		if zeros < last || i == 0 && zeros != leastWork {
			t.Fatalf("the %d. of a burst is asked for %d bits after %d", i, zeros, last)
		}
		last = zeros
		sum += admission.WorkParts << zeros
		_, _, _ = h.challenge(r, zeros, at)
	}
	if easy := 100 * admission.WorkParts << leastWork; sum < 10*easy {
		t.Errorf("a hundred places cost %d hashes, only %d times a hundred first ones", sum, sum/easy)
	}
	if z := h.work(requestFrom("2001:db8:1:2::7"), at); z != leastWork {
		t.Errorf("an IPv6 newcomer: %d", z)
	}
}
