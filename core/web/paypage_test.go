package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Another device, or cookies that were cleared: the pages of an order are open, paying is not.
func payThroughTheLine(t *testing.T, v *visitor) {
	refused := answer{status: 403, body: map[string]any{"code": "pass_required"}}
	v.box.sell("pending_payment", nil)
	v.box.next(refused, refused)
	v.open("/checkout/1-o?card_token=tok_ok")
	v.until("why", `document.querySelector('[data-testid=notice][data-code=line]')`)
	if text := v.text("[data-testid=notice]"); !strings.Contains(text, "held until") {
		t.Errorf("the visitor is not told how long the seats wait: %q", text)
	}
	v.until("the checkout after the line", `new URLSearchParams(location.search).get('from') === 'line' && document.querySelector('[data-testid=notice][data-code=line] button.small')`)
	run(t, v.ctx, "go again", chromedp.Click(chromedp.CSS("[data-testid=notice] button.small"))) // by hand: it does not run in circles
	v.until("the payment under way", `document.querySelector('[data-testid=order][data-state=verifying]')`)
	calls := v.box.calls()
	if len(calls) != 3 {
		t.Fatalf("%d calls, want 3: %+v", len(calls), calls)
	}
	for _, c := range calls {
		if c.key != calls[0].key || !strings.Contains(c.body, "tok_ok") {
			t.Errorf("another key or token: %+v", c)
		}
	}
	if got := evaluate[string](t, v.ctx, `location.href`); got != v.url+"/checkout/1-o" {
		t.Errorf("the address is %s", got)
	}
}

func cardForm(t *testing.T, v *visitor) {
	v.box.sell("pending_payment", nil)
	v.open("/checkout/1-o")
	v.until("the button", `document.querySelector('[data-testid=pay]')`)
	for selector, want := range map[string]string{
		"[data-testid=order-where]": "12 Jun 2199, 20:00 Berlin time · River Stadium, Cologne", "[data-testid=order-number]": "084S-N02Q", "[data-testid=order-line]": "Near",
	} {
		if text := v.text(selector); !strings.Contains(text, want) {
			t.Errorf("%s says %q, want %q in it", selector, text, want)
		}
	}
	got := evaluate[string](t, v.ctx, `document.querySelector('[data-testid=pay]').href`)
	want := v.url + "/sign-in?amount=9000&return=" + strings.NewReplacer(":", "%3A", "/", "%2F").Replace(v.url+"/checkout/1-o") + "&form="
	first, ok := strings.CutPrefix(got, want)
	if !ok || first == "" {
		t.Errorf("the form is at %s, want %s...", got, want)
	}
	run(t, v.ctx, "reload", chromedp.Reload())
	v.until("the button", `document.querySelector('[data-testid=pay]')`)
	if again := evaluate[string](t, v.ctx, `document.querySelector('[data-testid=pay]').href`); again == got {
		t.Error("the next form is the same one, which the provider takes as used")
	}
}
