package cdn

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/chromium"
	"github.com/ropeline/ropeline/deploy/stack"
)

// wanted is an address whose spelling must come back byte for byte.
const wanted = "/shop/o'hall%20one//(2)?x=%2F%2f&y=a+b&z=%27q%27~(1)&to=//x"

// The first wave: whoever comes without a pass gets the page from the cache, and the edge sees one small request of each.
func TestTheFirstWaveNeverReachesTheEdge(t *testing.T) {
	s := open(t, "wait_page on")
	for name, start := range map[string]func() string{
		"varnish": func() string {
			return varnishWith(t, s, func(dir string) map[string]string {
				file := filepath.Join(dir, "wait.vcl")
				configured(t, "varnish/wait.vcl", file, nil)
				return map[string]string{`# include "/etc/varnish/ropeline-wait.vcl";`: `include "` + file + `";`}
			})
		},
		"nginx": func() string { return nginxWith(t, s, map[string]string{"default off;": "default on;"}) },
	} {
		t.Run(name, func(t *testing.T) {
			c := &cached{t: t, site: s, base: start()}
			c.newcomersAreSentToThePage()
			c.othersAreNot()
			if name == "varnish" {
				c.browsersJoinAndComeBack()
				c.nobodyIsLedAway()
				c.withoutScript()
			}
		})
	}
	// The edge itself tells who forgot the rule.
	resp, err := http.Get(s.EdgeURL() + room + "wait")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound || resp.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("without the rule: %s %v", resp.Status, resp.Header)
	}
}

func (c *cached) newcomersAreSentToThePage() {
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			path := fmt.Sprintf("/shop/%d?x=%%2F&i=%d", i, i)
			r := c.navigate(&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, path)
			if r.StatusCode != http.StatusFound || r.Header.Get("Location") != room+"wait#"+path || r.Header.Get("Cache-Control") != "private, no-store" || r.Header.Get("Ropeline-Answer") != "wait" {
				c.t.Errorf("newcomer: %s %v", r.Status, r.Header)
			}
			if r := c.ask(http.DefaultClient, "GET", room+"wait?i="+fmt.Sprint(i), "Cookie", fmt.Sprintf("a=%d", i)); r.StatusCode != http.StatusOK || !strings.Contains(r.Header.Get("Cache-Control"), "s-maxage=3600") || len(r.Header["Set-Cookie"]) > 0 {
				c.t.Errorf("page: %s %v", r.Status, r.Header)
			}
		})
	}
	before := c.front.since(0)
	wg.Wait()
	pages := 0
	for _, asked := range c.front.since(len(before)) {
		switch {
		case strings.Contains(asked, "/shop"):
			c.t.Errorf("the edge was asked for %s", asked)
		case strings.Contains(asked, room+"wait"):
			pages++
		}
	}
	if pages > 2 {
		c.t.Errorf("the page was fetched %d times for two hundred", pages)
	}
	_, rest, _ := strings.Cut(c.ask(http.DefaultClient, "GET", room+"wait").body, `"at":"`)
	at, _, _ := strings.Cut(rest, `"`)
	n := c.front.seen(at + "es")
	for range 20 {
		if r := c.ask(http.DefaultClient, "GET", at+"es"); r.StatusCode != http.StatusOK || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") || !strings.Contains(r.body, `lang="es"`) {
			c.t.Fatalf("%ses: %s %v", at, r.Status, r.Header)
		}
	}
	if n := c.front.seen(at+"es") - n; n > 1 {
		c.t.Errorf("twenty readers became %d questions", n)
	}
}

// Calls, pictures, forms, prefetches, frames, programs with tokens, what is outside the gate and whoever has a pass are the
// edge's to judge.
func (c *cached) othersAreNot() {
	for name, h := range map[string][]string{
		"fetch": {"Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Accept", "*/*"}, "picture": {"Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}, "program": {"Accept", "application/json"},
		"frame": {"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe", "Accept", "text/html"}, "prefetch": {"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Purpose", "prefetch", "Accept", "text/html"},
		"pass": {"Cookie", "a=b; rl-p-boxoffice=x", "Accept", "text/html"}, "safe pass": {"Cookie", "__Host-rl-p-boxoffice=x", "Accept", "text/html"}, "app": {"Ropeline-Ticket", "x", "Accept", "text/html"},
	} {
		n := c.front.seen("/shop/own")
		if r := c.ask(c.visitor(), "GET", "/shop/own", h...); r.StatusCode == http.StatusFound || c.front.seen("/shop/own") != n+1 {
			c.t.Errorf("%s: %s", name, r.Status)
		}
	}
	if r := c.ask(c.visitor(), "POST", "/shop/own", "Accept", "text/html", "Sec-Fetch-Mode", "navigate"); r.StatusCode == http.StatusFound {
		c.t.Error("a form was redirected")
	}
	if r := c.ask(c.visitor(), "GET", "/shop/own", "Accept", "text/html", "Cookie", "rl-p-boxofficex=1; rl-t-boxoffice=x; xrl-p-boxoffice=1"); r.StatusCode != http.StatusFound {
		c.t.Errorf("cookies that are no pass: %s", r.Status)
	}
	for _, path := range []string{"/orders", "/sign-in?to=/shop", "/assets/x", "/robots.txt", room + "line"} {
		if r := c.navigate(c.visitor(), path); r.StatusCode == http.StatusFound {
			c.t.Errorf("%s was redirected", path)
		}
	}
}

func (c *cached) admin(command, body string) {
	c.t.Helper()
	resp, err := http.Post(c.AdminURL()+"/ropeline/rooms/"+stack.Room+"/"+command, "application/json", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		c.t.Fatal(resp.Status)
	}
}

// Two browsers come to an address while the room is full: each is in the line after one request to the edge, and back at
// exactly that address when there is room.
func (c *cached) browsersJoinAndComeBack() {
	c.admin("cap", `{"cap":0}`)
	var tabs []context.Context
	for i := range 2 {
		before := len(c.front.since(0))
		tab := chromium.Tab(c.t, time.Minute)
		c.do(tab, chromedp.Navigate(c.base+wanted), shows(`document.documentElement.className === 'js' && /^(waiting|next)$/.test(document.querySelector('main').dataset.state) && document.getElementById('draw').hidden && !!document.getElementById('place').textContent`))
		joins := 0
		for _, asked := range c.front.since(before) {
			method, target, _ := strings.Cut(asked, " ")
			route := strings.TrimPrefix(target, room)
			switch {
			case method == "POST" && route == "join":
				joins++
			case route == "status", method == "POST" && (i == 1 || joins == 1) && (route == "heartbeat" || route == "knock"): // the other one's goes on
			case i == 0 && strings.HasPrefix(route, "wait/"): // the first in this language
			default:
				c.t.Errorf("browser %d asked the edge for %s", i+1, asked)
			}
		}
		if joins != 1 {
			c.t.Errorf("browser %d joined %d times", i+1, joins)
		}
		tabs = append(tabs, tab)
	}
	c.admin("cap", `{"cap":1000}`)
	for _, tab := range tabs {
		c.do(tab, shows(`location.href === `+fmt.Sprintf("%q", c.base+wanted)))
	}
	if got := c.behind.since(0); got[len(got)-1] != "GET "+wanted {
		c.t.Errorf("the origin was asked for %q", got[len(got)-1])
	}
}

// A link to the page that somebody else has written leads nowhere but to this site (AH9).
func (c *cached) nobodyIsLedAway() {
	tab := chromium.Tab(c.t, time.Minute)
	for _, target := range []string{"//other.example/x", "/%09/other.example", "/\\other.example", "https://other.example/", "javascript:document.title='bad'", "/./checkout", "///", room + "leave"} {
		want := `location.href === ` + fmt.Sprintf("%q", c.base+"/")
		if target == "/%09/other.example" { // a path of this site, if an odd one
			want = `location.href === ` + fmt.Sprintf("%q", c.base+target)
		}
		c.do(tab, chromedp.Navigate(c.base+room+"wait#"+target), shows(want), shows(`(sessionStorage.clear(), true)`))
	}
}

// Without JavaScript the page says so, and its button leads into the line and then to the start page.
func (c *cached) withoutScript() {
	tab := chromium.Tab(c.t, time.Minute)
	c.do(tab, func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tg, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return chromedp.Void{}, err
	}, chromedp.Navigate(c.base+wanted), chromedp.WaitVisible(`[lang=en] .btn`), chromedp.Click(`[lang=en] .btn`))
	c.do(tab, func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		for { // the button, until the turn has come
			at, err := chromedp.Location()(ctx, tg)
			if err != nil || at == c.base+"/" {
				return chromedp.Void{}, err
			}
			if _, err := chromedp.Click("#btn")(ctx, tg); err != nil {
				return chromedp.Void{}, fmt.Errorf("at %s: %w", at, err)
			}
			time.Sleep(200 * time.Millisecond) // a poll of a condition
		}
	})
}

func (c *cached) do(tab context.Context, steps ...chromedp.Action[chromedp.Void]) {
	c.t.Helper()
	if err := chromedp.Do(tab, steps...); err != nil {
		at, _ := chromedp.Run(tab, chromedp.Location())
		c.t.Fatalf("at %s: %v", at, err)
	}
}

func shows(condition string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		for end := time.Now().Add(30 * time.Second); ; {
			if time.Now().After(end) {
				at, _ := chromedp.Evaluate[string](`location.href + ' ' + document.body.innerText`)(ctx, tg)
				return chromedp.Void{}, fmt.Errorf("never: %s, but %s", condition, at)
			}
			if ok, err := chromedp.Evaluate[bool](condition)(ctx, tg); err == nil && ok {
				return chromedp.Void{}, nil
			}
			select {
			case <-ctx.Done():
				return chromedp.Void{}, fmt.Errorf("never: %s", condition)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}
