package caddymodule

import (
	"context"
	"fmt"
	"html"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ropeline/ropeline/deploy/chromium"
)

func browserAt(t *testing.T) context.Context { return chromium.Tab(t, 2*patience) }

// listen gives the edge an address that a browser can open, beside its socket.
func (e *edge) listen(room string) string {
	e.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		e.t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	if err := e.loadText(strings.NewReplacer("http:// {", "http://"+addr+" {", "bind unix/"+e.sock, "").Replace(e.config(room))); err != nil {
		e.t.Fatal(err)
	}
	e.network, e.addr = "tcp", addr
	return "http://" + addr
}

// originPage shows what the origin was asked for, and where the browser thinks it is.
func originPage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html><title>in</title><p id=origin>%s</p><script>document.title='in '+location.href</script>", html.EscapeString(r.RequestURI))
}

// do runs steps and fails with what the page shows.
func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func ask[T any](t *testing.T, ctx context.Context, a chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shows waits until the page's script or the origin has brought something about.
func shows(condition string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		for {
			// An error is a page that is just being replaced: the next look is at the new one.
			if ok, err := chromedp.Evaluate[bool](condition)(ctx, tg); err == nil && ok {
				return chromedp.Void{}, nil
			}
			if err := pause(ctx, 50*time.Millisecond); err != nil {
				return chromedp.Void{}, fmt.Errorf("never: %s: %w", condition, err)
			}
		}
	}
}

const (
	atOrigin = `!!document.getElementById('origin')`
	myIndex  = `JSON.parse(document.getElementById('rl').textContent).index`
)

// W30: a person with a fragment in the address waits out a pause, and arrives at exactly that address.
func TestABrowserIsLetIn(t *testing.T) {
	room := roomWith("rate 1000/s", "state paused", `title "Night of Lights"`, `message "The doors open again at half past eight."`)
	e := newEdge(t, room, "")
	site := e.listen(room)
	e.origin.answerWith(originPage)
	ctx := browserAt(t)
	const path = "/app?x=%20a&y=1#/seats/12"
	do(t, ctx, chromedp.Navigate(site+path), shows(`document.getElementById('head').textContent === 'The line is paused'`))
	keep(t, ctx, "paused")
	e.admin("resume", "")
	do(t, ctx, shows(atOrigin))
	if got := ask(t, ctx, chromedp.Title()); got != "in "+site+path {
		t.Errorf("arrived at %q", got)
	}
	if got := ask(t, ctx, chromedp.Text("#origin")); got != "/app?x=%20a&y=1" {
		t.Errorf("the origin was asked for %q", got)
	}
}

// The pre-queue counts down with the commitment in sight; the opening draws, and the page goes in by itself.
func TestABrowserInThePrequeue(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s", "state prequeue", `title "Night of Lights"`), "")
	site := e.listen(roomWith("rate 1000/s", "state prequeue", `title "Night of Lights"`))
	e.origin.answerWith(originPage)
	ctx := browserAt(t)
	do(t, ctx, chromedp.Navigate(site+"/"), shows(`document.getElementById('head').textContent === 'You are here in time' && document.getElementById('joined').textContent === '1'`))
	if got := ask(t, ctx, chromedp.TextContent("#commit")); len(got) != 64 || strings.Trim(got, "0") == "" {
		t.Errorf("the commitment on the page: %q", got)
	}
	keep(t, ctx, "prequeue")
	e.admin("open", "")
	do(t, ctx, shows(atOrigin))
}

// A full room: a reload keeps the place, and the page goes in when there is a slot.
func TestABrowserWaitsForASlot(t *testing.T) {
	room := roomWith("rate 1000/s", "cap 0", `title "Night of Lights"`)
	e := newEdge(t, room, "")
	site := e.listen(room)
	e.origin.answerWith(originPage)
	for range 40 {
		e.visitor().do("GET", "/", "Accept", "*/*")
	}
	ctx := browserAt(t)
	do(t, ctx, chromedp.Navigate(site+"/#here"), shows(`/^\d+$/.test(document.getElementById('num').textContent)`))
	first := ask(t, ctx, chromedp.Evaluate[int64](myIndex))
	keep(t, ctx, "waiting")
	do(t, ctx, chromedp.Reload(), shows(`document.documentElement.className === 'js'`))
	if again := ask(t, ctx, chromedp.Evaluate[int64](myIndex)); again != first {
		t.Errorf("a reload changed index %d to %d", first, again)
	}
	e.admin("cap", `{"cap":500}`)
	do(t, ctx, shows(atOrigin))
	if got := ask(t, ctx, chromedp.Title()); got != "in "+site+"/#here" {
		t.Errorf("arrived at %q", got)
	}
}

// A newcomer's browser solves the puzzle by itself, in a worker that the policy admits, and is let in at the address it
// came for, with what it had filled in.
func TestABrowserWorksForItsPlace(t *testing.T) {
	room := roomWith("rate 1000/s", "cap 0", "pow always")
	e := newEdge(t, room, "")
	site := e.listen(room)
	e.origin.answerWith(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><p id=origin>%s %s</p>", r.Method, html.EscapeString(r.PostForm.Encode()))
	})
	ctx := browserAt(t)
	do(t, ctx, chromedp.Navigate(site+"/app#/seats"), shows(myIndex+` >= 0`))
	if got := ask(t, ctx, chromedp.Location()); got != site+"/app#/seats" {
		t.Errorf("waiting at %q", got)
	}
	if n := e.joined(); n != 1 {
		t.Errorf("%d places", n)
	}
	// Another newcomer comes with a form: it is kept through work and line.
	ctx = browserAt(t)
	do(t, ctx, chromedp.Navigate(site+reservedPrefix+"main/draw"))
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[any](`var f = document.createElement('form'); f.method = 'post'; f.action = '/order'; f.innerHTML = '<input name=seat value="A 12">'; document.body.append(f); f.submit(); 0`)); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, shows(`!!document.getElementById('kept') && `+myIndex+` >= 0`))
	e.admin("cap", `{"cap":500}`)
	do(t, ctx, shows(`document.getElementById('head').textContent === 'You are in'`), chromedp.KeyEvent(kb.Enter), shows(atOrigin)) // the button has the focus
	if got := ask(t, ctx, chromedp.TextContent("#origin")); got != "POST seat=A+12" {
		t.Errorf("the origin got %q", got)
	}
}

// Back and Forward and a page kept by the browser: one place, and the page goes on.
func TestABrowserGoesBack(t *testing.T) {
	room := roomWith("rate 1000/s", "cap 0")
	e := newEdge(t, room, "")
	site := e.listen(room)
	e.origin.answerWith(originPage)
	ctx := browserAt(t)
	do(t, ctx, chromedp.Navigate(site+"/a"), shows(`document.documentElement.className === 'js' && `+myIndex+` === 0`))
	do(t, ctx, chromedp.Navigate(site+reservedPrefix+"main/check"), chromedp.NavigateBack(), shows(`document.documentElement.className === 'js' && `+myIndex+` === 0`))
	// As if the browser had kept the page for an hour: the script has stopped, and goes on when it is shown again.
	do(t, ctx, shows(`dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))`))
	e.admin("cap", `{"cap":500}`)
	do(t, ctx, shows(atOrigin))
	if n := e.joined(); n != 1 {
		t.Errorf("%d places for one browser", n)
	}
}

// W11: a browser that keeps no cookies is told so, and is not queued again and again.
func TestABrowserWithoutCookies(t *testing.T) {
	room := roomWith("rate 1000/s", "cap 0")
	e := newEdge(t, room, "")
	site := e.listen(room)
	ctx := browserAt(t)
	do(t, ctx, chromedp.Navigate(site+"/"), shows(`document.documentElement.className === 'js' && `+myIndex+` === 0`), func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tg, network.ClearBrowserCookies, cdp.Empty{})
		return chromedp.Void{}, err
	}, shows(`document.getElementById('head').textContent === 'Cookies are needed'`))
	if n := e.joined(); n != 1 {
		t.Errorf("%d places for a browser that can keep none", n)
	}
}

// Without JavaScript the button does it all.
func TestABrowserWithoutScript(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s"), "")
	site := e.listen(roomWith("rate 1000/s"))
	e.origin.answerWith(originPage)
	ctx := browserAt(t)
	off := emulation.SetScriptExecutionDisabledParams{Value: true}
	do(t, ctx, func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tg, emulation.SetScriptExecutionDisabled, off)
		return chromedp.Void{}, err
	}, chromedp.Navigate(site+"/shop?a=1&b=%2F"), chromedp.WaitVisible("#btn"))
	keep(t, ctx, "noscript")
	do(t, ctx, chromedp.WaitVisible(chromedp.CSS("p.ns")))
	do(t, ctx, chromedp.WaitNotVisible(chromedp.CSS("#text"))) // nothing here goes on by itself
	e.until("called", func() bool { return e.snapshot().X > 0 })
	do(t, ctx, chromedp.Click("#btn"), chromedp.WaitVisible("#origin"))
	if got := ask(t, ctx, chromedp.TextContent("#origin")); got != "/shop?a=1&b=%2F" {
		t.Errorf("the origin was asked for %q", got)
	}
}

// keep leaves a picture of the page under .run/shots, for people to look at.
func keep(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	do(t, ctx, chromedp.EmulateViewport(1000, 860))
	dir := filepath.Join("..", ".run", "shots")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "queue-"+name+".png"), ask(t, ctx, chromedp.CaptureScreenshot()), 0o644); err != nil {
		t.Fatal(err)
	}
}
