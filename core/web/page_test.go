package web

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// visitor is one person with one tab at a box office.
type visitor struct {
	t   *testing.T
	ctx context.Context
	box *box
	url string
}

// screens are a desk and a phone.
var screens = []struct {
	name   string
	resize chromedp.Action[chromedp.Void]
}{
	{"desktop", chromedp.EmulateViewport(1280, 900)},
	{"phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)},
}

// What the pages do, in a browser, on a desk and on a phone. One browser for all: each visitor has a server, and so an
// origin and a storage, of their own.
func TestPages(t *testing.T) {
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			ctx := openBrowser(t)
			run(t, ctx, "a screen", s.resize)
			onScreen(t, ctx)
		})
	}
}

func onScreen(t *testing.T, ctx context.Context) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *visitor)
	}{
		{"a seat is chosen by keyboard", chooseByKeyboard},
		{"a lost answer is one hold", lostAnswer},
		{"a taken seat is said and the rest kept", takenSeat},
		{"a code opens a presale", presaleCode},
		{"kept seats are for who needs them", keptSeats},
		{"a seat that goes while one looks leaves the choice", seatGoes},
		{"what one bought oneself is not called taken", boughtOneself},
		{"a hold is there again after a reload", reloadedHold},
		{"a hold given back in another tab is over here too", givenBackElsewhere},
		{"a quantity's button stays in place", steadyButtons},
		{"one adult and two children", ticketTypes},
		{"a search has a short address", shortSearch},
		{"what is over is not at the checkout", overAtCheckout},
		{"the line takes over and nothing is lost", theLine},
		{"signing in comes back here", signIn},
		{"a card token is paid once", cardToken},
		{"paying without a pass goes through the line once", payThroughTheLine},
		{"the card form comes back to the checkout", cardForm},
		{"an unknown payment is said, and its end", unknownPayment},
		{"a hold runs out before one's eyes", expiredHold},
		{"the buyer gives it back", refundByBuyer},
		{"the list follows the prices shown", listByFilter},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBox()
			server := httptest.NewServer(b)
			t.Cleanup(server.Close)
			c.test(t, &visitor{t: t, ctx: ctx, box: b, url: server.URL})
			run(t, ctx, "leave", chromedp.Navigate("about:blank")) // or the page asks a server that is gone
		})
	}
}

func (v *visitor) open(path string) {
	v.t.Helper()
	run(v.t, v.ctx, "open "+path, chromedp.Navigate(v.url+path))
}

// patience ends a step that hangs; nothing is measured by it.
const patience = 90 * time.Second

// until waits for a condition in the page. What was seen instead is told.
func (v *visitor) until(what, condition string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[any](condition))
		if err == nil {
			return
		}
		// Another page came while waiting: go on waiting there.
		left := strings.Contains(err.Error(), "navigated") || strings.Contains(err.Error(), "Cannot find context")
		slow := strings.Contains(err.Error(), "timeout") // Poll's own 30 s: on a busy machine a page takes longer
		if ctx.Err() != nil || !left && !slow {
			v.t.Fatalf("%s: %v\n%.1500s", what, err, evaluate[string](v.t, v.ctx, `location.href + " says:\n" + document.body.innerText`))
		}
	}
}

func (v *visitor) click(handle string) {
	v.t.Helper()
	v.until(handle, fmt.Sprintf(`document.querySelector('[data-testid=%s]')`, handle))
	run(v.t, v.ctx, "click "+handle, chromedp.Click(chromedp.CSS(fmt.Sprintf("[data-testid=%s]", handle))))
}

func (v *visitor) keys(keys string) {
	v.t.Helper()
	run(v.t, v.ctx, "press keys", chromedp.KeyEvent(keys))
}

func (v *visitor) text(selector string) string {
	v.t.Helper()
	return evaluate[string](v.t, v.ctx, fmt.Sprintf(`(document.querySelector(%q) || {textContent: ""}).textContent`, selector))
}

// seatMap opens the event and waits until its seats are drawn.
func (v *visitor) seatMap() {
	v.t.Helper()
	v.open("/events/lights")
	v.until("the map", `document.querySelector('[data-testid=seat-map][data-ready=true]')`)
}

func (v *visitor) chosen(n int) {
	v.t.Helper()
	v.until(fmt.Sprintf("%d seats chosen", n), fmt.Sprintf(`document.querySelectorAll('[data-testid=chosen-item]').length === %d`, n))
}

func chooseByKeyboard(t *testing.T, v *visitor) {
	v.seatMap()
	run(t, v.ctx, "focus the map", chromedp.Focus(chromedp.CSS("#seat-map")))
	v.keys(kb.Enter)
	v.chosen(1)
	first := v.text("[data-testid=chosen-item] b")
	v.keys(kb.ArrowRight)
	v.keys(kb.Enter)
	v.chosen(2)
	if said := v.text("#map-says"); !strings.Contains(said, "2 seats chosen") {
		t.Errorf("a screen reader hears %q", said)
	}
	v.keys(kb.Enter)
	v.chosen(1)
	if got := v.text("[data-testid=chosen-item] b"); got != first {
		t.Errorf("left is %q, want %q", got, first)
	}
}

func lostAnswer(t *testing.T, v *visitor) {
	v.seatMap()
	v.click("best-pick")
	v.chosen(2)
	v.box.next(answer{drop: true}, answer{status: 503, body: map[string]any{"code": "outcome_unknown"}})
	v.click("hold")
	v.until("the basket", `document.querySelectorAll('[data-testid=basket-line]').length === 2`)
	calls := v.box.calls()
	if len(calls) != 3 {
		t.Fatalf("%d calls, want 3: %+v", len(calls), calls)
	}
	for _, c := range calls {
		if c.key == "" || c.key != calls[0].key || c.body != calls[0].body {
			t.Errorf("another key or body: %+v", c)
		}
	}
	if left := v.text("[data-testid=countdown]"); !strings.HasPrefix(left, "7:5") && left != "8:00" {
		t.Errorf("time left %q", left)
	}
}

func takenSeat(t *testing.T, v *visitor) {
	v.seatMap()
	v.click("best-pick")
	v.chosen(2)
	seat := evaluate[int](t, v.ctx, `JSON.parse(sessionStorage['rl.choice.lights']).seats[0] + 1`)
	v.box.take(seat, 2)
	v.box.next(answer{status: 409, body: map[string]any{"code": "seat_taken", "version": 2, "seats": []any{map[string]any{"seat": seat, "state": "sold"}}}})
	v.click("hold")
	v.until("the message", `document.querySelector('[data-testid=notice][data-code=seat_taken]')`)
	v.chosen(1)
	if said := v.text("[data-testid=notice]"); !strings.Contains(said, "Block") || !strings.Contains(said, "still chosen") {
		t.Errorf("the visitor is told %q", said)
	}
	v.click("hold")
	v.until("the basket", `document.querySelectorAll('[data-testid=basket-line]').length === 1`)
	if calls := v.box.calls(); calls[0].key == calls[1].key {
		t.Error("the refused hold and the next one have the same key")
	}
}

func presaleCode(t *testing.T, v *visitor) {
	v.open("/events/early")
	v.until("the map", `document.querySelector('[data-testid=seat-map][data-ready=true]')`)
	type typed struct{ code, want string }
	v.box.next(answer{status: 422, body: map[string]any{"code": "invalid_code", "detail": "This code is not valid."}})
	for _, c := range []typed{{"WRONG", `document.querySelector('[data-testid=notice][data-code=invalid_code]')`}, {"7K2M-Q0XW9-3TBD", `document.querySelector('#presale').hidden`}} {
		evaluate[any](t, v.ctx, fmt.Sprintf(`document.querySelector('[data-testid=presale-code]').value = %q, null`, c.code))
		v.click("presale-redeem")
		v.until(c.code, c.want)
	}
	v.click("best-pick")
	v.chosen(2)
	v.click("hold")
	v.until("the basket", `document.querySelectorAll('[data-testid=basket-line]').length === 2`)
	calls := v.box.calls()
	if len(calls) != 3 || calls[1].body != `{"code":"7K2M-Q0XW9-3TBD"}` || calls[0].key == calls[1].key {
		t.Errorf("calls: %+v", calls)
	}
	run(t, v.ctx, "reload", chromedp.Reload())
	v.until("open still", `document.querySelector('#presale').hidden && document.querySelector('[data-testid=seat-map][data-ready=true]')`)
}

// "Best together" passes over seats that are kept; who needs one says so, and the hold says it too.
func keptSeats(t *testing.T, v *visitor) {
	v.seatMap()
	v.click("best-pick")
	v.chosen(2)
	if text := v.text("[data-testid=chosen-item] b"); strings.Contains(text, "accessible") || strings.Contains(text, "companion") {
		t.Errorf("a kept seat was picked for everybody: %s", text)
	}
	v.box.next(answer{status: 409, body: map[string]any{"code": "seat_kept", "detail": "These seats are kept.", "seats": []any{}}})
	v.click("hold")
	v.until("why", `document.querySelector('[data-testid=notice][data-code=seat_kept]')`)
	if said := v.text("[data-testid=notice]"); !strings.Contains(said, "need such a seat") {
		t.Errorf("the visitor is told %q", said)
	}
	v.click("accessible")
	v.click("best-pick")
	v.until("an accessible seat", `[...document.querySelectorAll('[data-testid=chosen-item] b')].some((e) => e.textContent.includes(', accessible'))`)
	v.click("hold")
	v.until("the basket", `document.querySelectorAll('[data-testid=basket-line]').length === 2`)
	if calls := v.box.calls(); len(calls) != 2 || !strings.Contains(calls[1].body, `"accessible":true`) || strings.Contains(calls[0].body, "accessible") {
		t.Errorf("calls: %+v", calls)
	}
}

func seatGoes(t *testing.T, v *visitor) {
	v.seatMap()
	v.click("best-pick")
	v.chosen(2)
	v.box.take(evaluate[int](t, v.ctx, `JSON.parse(sessionStorage['rl.choice.lights']).seats[1] + 1`), 1)
	v.chosen(1) // by itself, with the next look at the states
}

func boughtOneself(t *testing.T, v *visitor) {
	v.seatMap()
	v.click("best-pick")
	v.click("hold")
	v.until("the basket", `document.querySelectorAll('[data-testid=basket-line]').length === 2`)
	for _, seat := range evaluate[[]int](t, v.ctx, `JSON.parse(sessionStorage['rl.choice.lights']).seats`) {
		v.box.take(seat+1, 2)
	}
	v.box.end("sold")
	v.seatMap()
	v.until("an empty basket", `document.querySelector('#basket[data-state=empty]')`)
	if said := v.text("[data-testid=notice]"); said != "" {
		t.Errorf("the buyer is told %q", said)
	}
}

func reloadedHold(t *testing.T, v *visitor) {
	v.seatMap()
	v.click("best-pick")
	v.click("hold")
	v.until("the basket", `document.querySelectorAll('[data-testid=basket-line]').length === 2`)
	v.seatMap()
	v.until("the basket again", `document.querySelector('#basket[data-state=held] [data-testid=countdown]')`)
	v.box.end("expired")
	evaluate[any](t, v.ctx, `document.dispatchEvent(new Event('visibilitychange')) && null`)
	v.until("the message", `document.querySelector('[data-testid=notice][data-code=expired]')`)
	v.chosen(2) // to be held again with one press
}

func givenBackElsewhere(t *testing.T, v *visitor) {
	v.seatMap()
	v.click("best-pick")
	v.click("hold")
	v.until("the basket", `document.querySelectorAll('[data-testid=basket-line]').length === 2`)
	v.box.end("released")
	// What the browser does in this tab when another one forgets the hold.
	evaluate[any](t, v.ctx, `localStorage.removeItem('rl.hold.lights'), dispatchEvent(new StorageEvent('storage', { key: 'rl.hold.lights' })), null`)
	v.until("an empty basket", `document.querySelector('#basket[data-state=empty]') && !document.querySelector('[data-testid=countdown]')`)
	if said := v.text("[data-testid=notice]"); said != "" {
		t.Errorf("the visitor, who gave it back, is told %q", said)
	}
}

func steadyButtons(t *testing.T, v *visitor) {
	v.open("/events/field")
	v.until("the button", `document.querySelector('[data-testid=place-1-more]')`)
	evaluate[any](t, v.ctx, `self.button = document.querySelector('[data-testid=place-1-more]'), button.focus(), null`)
	v.keys(kb.Enter)
	v.until("one", `document.querySelector('[data-testid=place-1-count]').textContent === '1'`)
	v.keys(kb.Enter)
	v.until("two", `document.querySelector('[data-testid=place-1-count]').textContent === '2'`)
	if !evaluate[bool](t, v.ctx, `button.isConnected && document.activeElement === button`) {
		t.Error("the button was made anew under the finger")
	}
	if said := v.text("#places"); !strings.Contains(said, "Field pass, all days") {
		t.Errorf("the price is not named: %q", said)
	}
}

func shortSearch(t *testing.T, v *visitor) {
	v.open("/?q=x")
	if evaluate[bool](t, v.ctx, `document.querySelector('.travel').open`) {
		t.Error("the fields of a route open by themselves")
	}
	run(t, v.ctx, "search", chromedp.Clear(chromedp.CSS("#q")), chromedp.SendKeys(chromedp.CSS("#q"), "lights"+kb.Enter))
	v.until("the answer", `location.search.includes('lights') && document.readyState === 'complete'`)
	if got := evaluate[string](t, v.ctx, `location.search`); got != "?q=lights" {
		t.Errorf("the address has %s", got)
	}
}

func overAtCheckout(t *testing.T, v *visitor) {
	for _, state := range []string{"cancelled", "expired", "refunded"} {
		v.box.sell(state, nil)
		v.open("/checkout/1-o")
		v.until(state+" at its order", `location.pathname === '/orders/1-o' && document.querySelector('[data-testid=order][data-state=`+state+`]')`)
	}
}

func theLine(t *testing.T, v *visitor) {
	v.seatMap()
	v.click("best-pick")
	v.chosen(2)
	v.box.next(answer{status: 403, body: map[string]any{"code": "pass_required"}})
	evaluate[any](t, v.ctx, `self.before = true`)
	v.click("hold")
	v.until("the message", `self.before && document.querySelector('[data-testid=notice][data-code=line]')`)
	v.until("the page loaded again", `!self.before && document.querySelector('[data-testid=seat-map][data-ready=true]')`)
	v.chosen(2)
	v.click("hold")
	v.until("the basket", `document.querySelectorAll('[data-testid=basket-line]').length === 2`)
	if calls := v.box.calls(); len(calls) != 2 || calls[0].key != calls[1].key {
		t.Errorf("the action has another key after the line: %+v", calls)
	}
}

func signIn(t *testing.T, v *visitor) {
	v.seatMap()
	v.click("best-pick")
	v.chosen(2)
	v.box.next(answer{status: 401, body: map[string]any{"code": "unauthenticated"}})
	v.click("hold")
	v.until("the sign-in page", `location.pathname === '/sign-in'`)
	if got := evaluate[string](t, v.ctx, `new URLSearchParams(location.search).get('return')`); got != "/events/lights" {
		t.Errorf("comes back to %q", got)
	}
	// Back without an account nothing is held; with one, what was pressed is done, as the same action.
	v.seatMap()
	v.chosen(2)
	if text := v.text("[data-testid=hold]"); text != "Sign in to hold" {
		t.Errorf("the button says %q", text)
	}
	v.box.next(answer{status: 401, body: map[string]any{"code": "unauthenticated"}})
	v.click("hold")
	v.until("the sign-in page", `location.pathname === '/sign-in'`)
	evaluate[any](t, v.ctx, `document.cookie = 'ropeline_account=x; path=/', null`)
	v.open("/events/lights")
	v.until("the basket", `document.querySelectorAll('[data-testid=basket-line]').length === 2`)
	calls := v.box.calls()
	if len(calls) != 3 || calls[1].key != calls[2].key {
		t.Errorf("calls: %+v", calls)
	}
	evaluate[any](t, v.ctx, `document.cookie = 'ropeline_account=; path=/; max-age=0', null`)
}

// The card token is spent once, whatever is reloaded.
func cardToken(t *testing.T, v *visitor) {
	v.box.sell("pending_payment", nil)
	v.open("/checkout/1-o?card_token=tok_ok")
	v.until("the payment under way", `document.querySelector('[data-testid=order][data-state=verifying]')`)
	if got := evaluate[string](t, v.ctx, `location.search`); got != "" {
		t.Errorf("the address still has the token: %q", got)
	}
	run(t, v.ctx, "reload", chromedp.Reload())
	v.until("the payment still under way", `document.querySelector('[data-testid=order][data-state=verifying]')`)
	if calls := v.box.calls(); len(calls) != 1 || !strings.Contains(calls[0].body, `"expected_amount":9000`) {
		t.Errorf("calls: %+v", calls)
	}
	v.box.sell("captured", map[string]any{"payment": map[string]any{"id": "1-p", "phase": "captured", "reason": ""}})
	v.until("the order", `location.pathname === '/orders/1-o' && document.querySelector('[data-testid=see-tickets]')`)
}
