package caddymodule

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	pacereport "github.com/ropeline/ropeline/admission/pace/report"
	"github.com/ropeline/ropeline/admission/telemetry"
)

// payer is a shop with a large database and a payment provider that takes as long as it is set to.
type payer struct {
	mu            sync.Mutex
	took          float64 // seconds a payment
	db, pay, done float64
}

func (p *payer) takes(seconds float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took = seconds
}

func (p *payer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += 5
	p.db += 1
	p.pay += 5 * p.took
	_ = json.NewEncoder(w).Encode(telemetry.Answer{Instance: "shop", StartedAt: time.Unix(1, 0), At: time.Now(), Resources: map[string]telemetry.Resource{
		"db":      {BusySeconds: p.db, Capacity: 200, Completed: map[string]float64{"page": 20 * p.done}},
		"payment": {BusySeconds: p.pay, Capacity: 40, Completed: map[string]float64{"pay": p.done}},
	}})
}

// withConsole is an edge with an admin listener, and the address of a console in front of it.
func withConsole(t *testing.T, room string) (e *edge, page string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	e = startEdge(t, room, "", func(e *edge) { e.replace = append(e.replace, "admin off", "admin "+addr) })
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- runConsole(ctx, "127.0.0.1:0", addr, w) }()
	said, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	return e, strings.TrimSpace(said)
}

const shownSentence = `document.getElementById('sentence').textContent`

// A payment provider that becomes slow is what the console names, in one sentence, without anybody having to look for it;
// and what an operator then does by hand is in force at the edge.
func TestTheConsoleNamesASlowPayment(t *testing.T) {
	shop := &payer{took: 0.2}
	srv := httptest.NewServer(shop)
	defer srv.Close()
	e, console := withConsole(t, roomWith("pace auto {", "safe_rate 20/s", "telemetry "+srv.URL, "stock off",
		"resource db {", "cost page 1", "work 6", "}", "resource payment {", "cost pay 1", "work 0.5", "work_age 90s", "headroom 85%", "}", "}"))
	ctx := browserAt(t)
	do(t, ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(console+"#main"), shows(`document.getElementById('title').textContent === 'Room main' && document.querySelectorAll('.res').length === 2`))
	e.until("measured", func() bool { d := e.paceDoc(); return d.Limits["payment"] > 20 })
	if said := ask(t, ctx, chromedp.Evaluate[string](shownSentence)); strings.Contains(said, "ayment") {
		t.Fatalf("of a quick payment it says: %s", said)
	}
	shop.takes(12)
	do(t, ctx, shows(`/^Payment can do /.test(`+shownSentence+`)`))
	said := ask(t, ctx, chromedp.Evaluate[string](shownSentence))
	if strings.Count(said, ". ") > 0 || strings.Contains(said, "db") {
		t.Errorf("not one sentence about payment: %s", said)
	}
	if first := ask(t, ctx, chromedp.Evaluate[string](`document.querySelector('#limits tr.least th').textContent`)); first != "payment" {
		t.Errorf("the marked limit is %s", first)
	}
	keep(t, ctx, "console-payment")

	do(t, ctx, chromedp.Focus(`input[name=rate]`), chromedp.KeyEvent("2"), chromedp.Focus(`input[name=who]`))
	for _, key := range []string{"A", "n", "n", "a", kb.Tab, "s", "l", "o", "w", kb.Enter} {
		do(t, ctx, chromedp.KeyEvent(key))
	}
	do(t, ctx, shows(`!document.getElementById('apply').disabled`), chromedp.Click("#apply"), shows(`/pinned to 2 people a second by Anna/.test(document.getElementById('inforce').textContent)`))
	e.until("in force", func() bool {
		d := e.paceDoc()
		return d.Mode == pacereport.Pin && d.InForce > 1.9 && d.InForce < 2.1 && d.Override != nil && d.Override.Who == "Anna" && d.Override.Why == "slow"
	})
	do(t, ctx, chromedp.Click("#back"), shows(`document.getElementById('inforce').textContent === '' && /^Payment can do |rises step by step/.test(`+shownSentence+`)`))
}

// A page of somebody else, open in the operator's browser, can neither pause a room nor read of it.
func TestAnotherSitesPageCannotSteer(t *testing.T) {
	e, console := withConsole(t, roomWith("pace auto {", "safe_rate 20/s", "}"))
	rooms := strings.TrimSuffix(console, "console") + "rooms"
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>evil</title><iframe name=f></iframe>`)
	}))
	defer evil.Close()
	ctx := browserAt(t)
	e.until("decided", func() bool { return e.snapshot().Paced })
	do(t, ctx, chromedp.Navigate(evil.URL))
	const order = `{"mode":"pause","who":"evil","why":"evil","for":"1h"}`
	sent := ask(t, ctx, chromedp.Evaluate[string](fmt.Sprintf(`(async () => {
		const out = [], to = async (path, body) => { try { out.push((await fetch('%[1]s/main/' + path, {method: 'POST', mode: 'no-cors', body: body})).type); } catch (e) { out.push('stopped'); } };
		await to('pause', ''); await to('pace/override', '%[2]s');
		try { await (await fetch('%[1]s/main')).text(); out.push('read'); } catch (e) { out.push('unread'); }
		const f = document.createElement('form');
		f.method = 'post'; f.action = '%[1]s/main/pause'; f.target = 'f'; document.body.append(f);
		await new Promise(done => { document.querySelector('iframe').onload = done; f.submit(); });
		return out.join(' ');
	})()`, rooms, order), chromedp.EvalAwaitPromise))
	if !strings.HasSuffix(sent, "unread") {
		t.Errorf("another site's page: %s", sent)
	}
	if s, d := e.snapshot(), e.paceDoc(); s.State != "open" || d.Override != nil || d.Mode != pacereport.Auto {
		t.Errorf("it did something: %s, %+v", s.State, d.Override)
	}
	// The same from the console's own page is what the console is for.
	do(t, ctx, chromedp.Navigate(console), shows(`document.getElementById('title').textContent === 'Room main'`))
	if code := ask(t, ctx, chromedp.Evaluate[int](`fetch('/ropeline/rooms/main/pause', {method: 'POST'}).then(r => r.status)`, chromedp.EvalAwaitPromise)); code != http.StatusOK {
		t.Errorf("the console's own post: %d", code)
	}
	e.until("paused", func() bool { return e.snapshot().State == "paused" })
}

// Nobody but this machine may come, and what is wrong is said with its cure, on the command line and on the page.
func TestTheConsoleNamesTheCure(t *testing.T) {
	for listen, want := range map[string]string{"0.0.0.0:0": "of this machine alone", ":0": "of this machine alone", "edge1:0": "of this machine alone", "127.0.0.1": "of this machine alone"} {
		if err := runConsole(t.Context(), listen, "localhost:2019", io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--listen %s: %v", listen, err)
		}
	}
	if err := runConsole(t.Context(), "127.0.0.1:0", "localhost:1-9", io.Discard); err == nil || !strings.Contains(err.Error(), "--address") {
		t.Errorf("%v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	api, err := newAdminClient(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	consoleHandler(api).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/ropeline/rooms", nil))
	if w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "admin localhost:2019 in the Caddyfile") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
