package web

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/ropeline/ropeline/deploy/axe"
)

// look is how a page is looked at.
type look struct {
	name          string
	width, height int64
	scheme, lang  string
	judged        bool // by axe-core; in the other languages the pages have the same elements and colours
}

// The narrow ones are WCAG 1.4.10: 320 px is a screen of 1280 at 400 %, 640 px at 200 %.
var looks = []look{
	{"desktop", 1280, 900, "light", "en", true}, {"dark", 1280, 900, "dark", "en", true}, {"phone", 390, 844, "light", "en", true}, {"phone-dark", 390, 844, "dark", "en", true},
	{"rtl", 1280, 900, "light", "ar", true}, {"rtl-phone-dark", 390, 844, "dark", "ar", true}, {"narrow", 320, 640, "light", "es", true}, {"zoomed", 640, 450, "light", "en", true},
	{"es-phone", 390, 844, "light", "es", false}, {"zh-phone", 390, 844, "light", "zh", false}, {"bn", 1280, 900, "light", "bn", false}, {"bn-phone", 390, 844, "light", "bn", false},
	{"rtl-narrow", 320, 640, "light", "ar", false},
}

// scene is one page in one state.
type scene struct {
	name, path string
	set        func(*box)
	ready      string         // condition in the page
	then       func(*visitor) // what the visitor does there
	tall       bool           // the picture shows the whole page, not only what is seen at once
}

const drawn = `document.querySelector('[data-testid=seat-map][data-ready=true]')`

func order(state string, more map[string]any) func(*box) {
	return func(b *box) { b.after(state, more) }
}

func shows(state string) string {
	return `document.querySelector('[data-testid=order][data-state=` + state + `]')`
}

var scenes = []scene{
	{name: "events", path: "/", tall: true},
	{name: "search", path: "/?q=river&from=Berlin", tall: true},
	{name: "nothing", path: "/?q=nothing"},
	{name: "seats", path: "/events/gala", ready: drawn},
	{name: "seats-page", path: "/events/gala", ready: drawn, tall: true, then: func(v *visitor) { v.click("list-toggle") }},
	{name: "chosen", path: "/events/gala", ready: drawn, then: func(v *visitor) {
		v.click("best-pick")
		v.chosen(2)
		v.until("the zoom", `document.querySelector('#seat-map').dataset.still === 'true'`)
	}},
	{name: "held", path: "/events/gala", ready: drawn, then: func(v *visitor) {
		v.click("best-pick")
		v.chosen(2)
		v.click("hold")
		v.until("the hold", `document.querySelector('#basket[data-state=held]')`)
		v.until("the zoom", `document.querySelector('#seat-map').dataset.still === 'true'`)
	}},
	{name: "taken", path: "/events/gala", ready: drawn, then: func(v *visitor) {
		v.click("best-pick")
		v.chosen(2)
		seat := evaluate[int](v.t, v.ctx, `JSON.parse(sessionStorage['rl.choice.gala']).seats[0] + 1`)
		v.box.next(answer{status: 409, body: map[string]any{"code": "seat_taken", "seats": []any{map[string]any{"seat": seat, "state": "sold"}}}})
		v.click("hold")
		v.until("the message", `document.querySelector('[data-testid=notice][data-code=seat_taken]')`)
		v.until("the zoom", `document.querySelector('#seat-map').dataset.still === 'true'`)
	}},
	{name: "area", path: "/events/field", ready: `document.querySelector('[data-testid=place-1-more]')`, tall: true, then: func(v *visitor) {
		v.click("place-1-more")
		v.chosen(1)
		evaluate[any](v.t, v.ctx, `document.querySelector('[data-testid=place-1-child-more]').focus(), null`)
		if !evaluate[bool](v.t, v.ctx, `(({ left, top, width, height }) => document.activeElement.contains(document.elementFromPoint(left + width / 2, top + height / 2)))(document.activeElement.getBoundingClientRect())`) {
			v.t.Error("the basket covers the button that has the focus")
		}
		v.keys(kb.Enter)
		v.keys(kb.Enter)
		v.chosen(2)
	}},
	{name: "presale", path: "/events/early", ready: drawn},
	{name: "checkout", path: "/checkout/1-o", set: order("pending_payment", nil), ready: shows("pending_payment")},
	{name: "declined", path: "/checkout/1-o", set: order("pending_payment", map[string]any{"payment": map[string]any{"phase": "declined", "reason": "insufficient_funds"}, "attempts_left": 2}), ready: shows("pending_payment")},
	{name: "unknown", path: "/checkout/1-o", set: order("verifying", map[string]any{"payment_unknown": true, "payment": map[string]any{"phase": "unknown", "reason": ""}}), ready: shows("verifying")},
	{name: "paid", path: "/orders/1-o", set: order("captured", map[string]any{"tickets": []any{map[string]any{"id": "1-t1"}, map[string]any{"id": "1-t2"}}, "refund_offer": map[string]any{"amount": 35800, "kept": 2000}}), ready: shows("captured")},
	{name: "expired", path: "/orders/1-o", set: order("expired", nil), ready: shows("expired")},
	{name: "orders", path: "/orders", ready: `document.querySelector('[data-testid=order-row]')`, tall: true},
	{name: "tickets", path: "/tickets", ready: `document.querySelector('[data-testid=ticket-card]')`, tall: true},
	{name: "ticket", path: "/tickets/1-t1", ready: `document.querySelector('[data-testid=ticket-qr]')?.complete`},
	{name: "missing", path: "/nowhere"},
	{name: "languages", path: "/tickets/1-x", ready: `document.querySelector('#ticket .panel:not(.ghost)')`, then: func(v *visitor) {
		evaluate[any](v.t, v.ctx, `document.querySelector('.languages').open = true, null`)
	}},
}

var unfilled = regexp.MustCompile(`\{\w+\}`)

// WCAG 2.2 AA: axe-core has nothing to say about any page in any of its states, in both colour schemes, from left to
// right and from right to left, and down to 320 px; no page is wider than its screen, and none falls back into English.
// A picture of each is kept in .run/shots/store, for people to look at.
func TestNobodyIsShutOut(t *testing.T) {
	b := newBox()
	b.buyer()
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	dir := filepath.Join("..", "..", ".run", "shots", "store")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, ctx: openBrowser(t), box: b, url: server.URL}
	for _, l := range looks {
		run(t, v.ctx, "look "+l.name, media("prefers-color-scheme", l.scheme, "prefers-reduced-motion", "reduce"), chromedp.EmulateViewport(l.width, l.height))
		for _, s := range scenes {
			v.visit(s, l)
			v.judge(s, l, filepath.Join(dir, s.name+"-"+l.name+".png"))
		}
		run(t, v.ctx, "leave", chromedp.Navigate("about:blank"))
	}
}

// visit goes to a scene as somebody who has never been there.
func (v *visitor) visit(s scene, l look) {
	v.t.Helper()
	if s.set != nil {
		s.set(v.box)
	}
	v.box.next()
	v.open("/favicon.ico")
	evaluate[any](v.t, v.ctx, fmt.Sprintf(`localStorage.clear(), sessionStorage.clear(), document.cookie = 'ropeline_account=x.eyJlbWFpbCI6ImFkYUBleGFtcGxlLmNvbSJ9.y; path=/', document.cookie = 'ropeline_lang=%s; path=/', null`, l.lang))
	v.open(s.path)
	if s.ready != "" {
		v.until(s.name+" ready", s.ready)
	}
	if s.then != nil {
		s.then(v)
	}
}

// judge is the verdict on what is seen, with a picture of it.
func (v *visitor) judge(s scene, l look, picture string) {
	v.t.Helper()
	if l.judged {
		for _, f := range axe.Judge(v.t, v.ctx) {
			v.t.Errorf("%s, %s: %s: %s\n%s", s.name, l.name, f.ID, f.Help, f.HTML)
		}
	}
	if evaluate[bool](v.t, v.ctx, `document.documentElement.scrollWidth > innerWidth`) {
		v.t.Errorf("%s, %s: the page is wider than the screen", s.name, l.name)
	}
	text := evaluate[string](v.t, v.ctx, `document.body.innerText + [...document.querySelectorAll('[aria-label],[alt],[placeholder]')].map((e) => e.ariaLabel + ' ' + e.alt + ' ' + e.placeholder).join(' ')`)
	if found := betrays(l.lang, text); l.lang != "en" && found != "" {
		v.t.Errorf("%s, %s: it says %s", s.name, l.name, found)
	}
	if hole := unfilled.FindString(text); hole != "" {
		v.t.Errorf("%s, %s: %s is not filled", s.name, l.name, hole)
	}
	if tall := evaluate[int64](v.t, v.ctx, `document.documentElement.scrollHeight`); s.tall {
		run(v.t, v.ctx, "show all", chromedp.EmulateViewport(l.width, max(l.height, tall)))
		defer run(v.t, v.ctx, "show as before", chromedp.EmulateViewport(l.width, l.height))
	}
	png, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(picture, png, 0o644); err != nil {
		v.t.Fatal(err)
	}
}

// media emulates preferences: name, value, name, value.
func media(pairs ...string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		var features []*emulation.MediaFeature
		for i := 0; i+1 < len(pairs); i += 2 {
			features = append(features, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
		}
		_, err := cdp.Call(ctx, tg, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return chromedp.Void{}, err
	}
}
