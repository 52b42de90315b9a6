package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// ticketTypes buys places of one area at two prices: the children's with the keyboard, up to the limit over both, from
// the price list to the order.
func ticketTypes(t *testing.T, v *visitor) {
	const page = "/events/field"
	v.open(page)
	v.until("a quantity of each price", `document.querySelector('[data-testid=place-1-more]') && document.querySelector('[data-testid=place-1-child-more]')`)
	if got := evaluate[string](t, v.ctx, `[...document.querySelectorAll('.stepper')].map((s) => [s.ariaLabel, ...[...s.querySelectorAll('button')].map((b) => b.ariaLabel)].join('; ')).join(' | ')`); got != "Field; One less: Field; One more: Field | Field, Child; One less: Field, Child; One more: Field, Child" {
		t.Errorf("the buttons are called %s", got)
	}
	v.until("the number left, once, since it is shared", `document.querySelector('#places').textContent.match(/9 left/g)?.length === 1`)

	v.click("place-1-more")
	evaluate[any](t, v.ctx, `document.querySelector('[data-testid=place-1-child-more]').focus(), null`)
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		v.keys(kb.Enter)
		v.until(n+" children", `document.querySelector('[data-testid=place-1-child-count]').textContent === '`+n+`'`)
	}
	v.until("no more of either", `['1', '1-child'].every((k) => document.querySelector('[data-testid=place-' + k + '-more]').ariaDisabled === 'true')`)
	for range 3 {
		v.click("place-1-child-less")
	}
	v.chosen(2)
	if got := v.text("#basket"); !strings.Contains(got, "3 tickets chosen") || !strings.Contains(got, "2 × Field, Child") || !strings.Contains(got, "€50") {
		t.Errorf("the choice says %q", got)
	}

	v.open(page) // a reload loses nothing
	v.chosen(2)
	v.click("hold")
	v.until("the hold", `document.querySelector('#basket[data-state=held]')`)
	calls := v.box.calls()
	if want := `{"places":[{"counter":1,"quantity":1},{"class":"child","counter":1,"quantity":2}]}`; len(calls) != 1 || calls[0].body != want {
		t.Fatalf("asked %+v, want once %s", calls, want)
	}
	if got := v.text("[data-testid=basket]"); !strings.Contains(got, "1 × Field") || !strings.Contains(got, "2 × Field, Child") || !strings.Contains(got, "€10") {
		t.Errorf("the basket says %q", got)
	}

	v.box.sell("pending_payment", map[string]any{"event": "field", "amount": 5000, "lines": []any{
		map[string]any{"line": 0, "seat": nil, "label": "Field", "counter": 1, "quantity": 1, "price": 4000, "fare": "Field pass, all days"},
		map[string]any{"line": 1, "seat": nil, "label": "Field, Child", "counter": 1, "class": "child", "quantity": 2, "price": 500, "fare": "Child"},
	}})
	v.click("checkout")
	v.until("the order", shows("pending_payment"))
	if got := v.text("[data-testid=order]"); !strings.Contains(got, "2 × Field, Child") || !strings.Contains(got, "€10") || !strings.Contains(got, "€50") {
		t.Errorf("the order says %q", got)
	}
}
