package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Nobody knows what became of a payment: the page says exactly that, offers no second one, and tells the end by itself.
func unknownPayment(t *testing.T, v *visitor) {
	v.box.sell("pending_payment", nil)
	v.box.next()
	v.open("/checkout/1-o?card_token=tok_slow")
	v.until("the payment under way", shows("verifying"))
	v.box.sell("verifying", map[string]any{"payment_unknown": true, "payment": map[string]any{"id": "1-p", "phase": "unknown", "reason": ""}})
	v.until("that it is not known", `document.querySelector('[data-testid=order][data-tone=warn]')`)
	if said := v.text("[data-testid=order]"); !strings.Contains(said, "We do not know yet") || !strings.Contains(said, "Do not pay again") {
		t.Errorf("the buyer is told %q", said)
	}
	for _, handle := range []string{"pay", "cancel-order", "see-tickets"} {
		if evaluate[bool](t, v.ctx, `document.querySelector('[data-testid=`+handle+`]') !== null`) {
			t.Errorf("%s is offered while nobody knows", handle)
		}
	}
	run(t, v.ctx, "reload", chromedp.Reload())
	v.until("the same after a reload", `document.querySelector('[data-testid=order][data-state=verifying][data-tone=warn]')`)
	v.box.sell("captured", map[string]any{"payment": map[string]any{"id": "1-p", "phase": "captured", "reason": ""}, "tickets": []any{map[string]any{"id": "1-t"}}})
	v.until("the end, by itself", `location.pathname === '/orders/1-o' && document.querySelector('[data-testid=see-tickets]')`)
	if calls := v.box.calls(); len(calls) != 1 {
		t.Errorf("%d calls, want one payment: %+v", len(calls), calls)
	}
}

// The time runs out before the buyer's eyes: it is said, the choice stays, and one press holds it again.
func expiredHold(t *testing.T, v *visitor) {
	v.box.hurry()
	v.seatMap()
	v.click("best-pick")
	v.chosen(2)
	v.click("hold")
	v.until("the message", `document.querySelector('[data-testid=notice][data-code=expired]')`)
	if said := v.text("[data-testid=notice][data-code=expired]"); !strings.Contains(said, "ran out") || !strings.Contains(said, "still marked") {
		t.Errorf("the visitor is told %q", said)
	}
	v.chosen(2)
	v.box.calm()
	v.click("hold")
	v.until("the basket", `document.querySelector('#basket[data-state=held]') && document.querySelectorAll('[data-testid=basket-line]').length === 2`)
	v.until("that the message has gone", `!document.querySelector('[data-testid=notice][data-code=expired]')`)
	if calls := v.box.calls(); len(calls) != 2 || calls[0].key == calls[1].key || strings.Contains(calls[1].body, "replace") {
		t.Errorf("the second hold is not one of its own: %+v", calls)
	}
}

// What comes back and what is kept is asked before it is done, and done once.
func refundByBuyer(t *testing.T, v *visitor) {
	v.box.sell("captured", map[string]any{"tickets": []any{map[string]any{"id": "1-t"}}, "refund_offer": map[string]any{"amount": 8500, "kept": 500}})
	v.open("/orders/1-o")
	v.until("the offer", `document.querySelector('[data-testid=give-back]')`)
	if text := v.text("[data-testid=give-back]"); text != "Give it back and get €85" {
		t.Errorf("the button says %q", text)
	}
	evaluate[any](t, v.ctx, `self.asked = [], self.confirm = (text) => { asked.push(text); return asked.length > 1; }, null`)
	v.click("give-back")
	if asked := evaluate[[]string](t, v.ctx, `asked`); len(asked) != 1 || !strings.Contains(asked[0], "€85") || !strings.Contains(asked[0], "€5 is kept") {
		t.Errorf("the buyer is asked %q", asked)
	}
	if calls := v.box.calls(); len(calls) != 0 {
		t.Errorf("done although the buyer said no: %+v", calls)
	}
	v.box.next(answer{drop: true})
	v.click("give-back")
	v.until("the refund", shows("refunded"))
	if said := v.text("[data-testid=order]"); !strings.Contains(said, "no longer valid") {
		t.Errorf("the buyer is told %q", said)
	}
	if calls := v.box.calls(); len(calls) != 2 || calls[0].method != "DELETE" || calls[0].key == "" || calls[0].key != calls[1].key {
		t.Errorf("calls: %+v", calls)
	}
}

// Somebody who wants neither picture nor pointer chooses from lists; they follow the prices that are shown.
func listByFilter(t *testing.T, v *visitor) {
	v.open("/events/gala")
	v.until("the map", drawn)
	evaluate[any](t, v.ctx, `document.querySelector('[data-testid=list-toggle]').click(), null`)
	v.until("the lists", `document.querySelector('[data-testid=list-seat]').length > 0`)
	all := evaluate[int](t, v.ctx, `document.querySelector('[data-testid=list-row]').querySelectorAll('option:not([disabled])').length`)
	evaluate[any](t, v.ctx, `document.querySelectorAll('#filters button')[1].click(), null`)
	v.until("fewer rows", `document.querySelector('[data-testid=list-row]').querySelectorAll('option:not([disabled])').length < `+string(rune('0'+all/10))+string(rune('0'+all%10)))
	if seats := evaluate[[]string](t, v.ctx, `[...document.querySelectorAll('[data-testid=list-seat] option')].map((o) => o.text)`); len(seats) == 0 || strings.Contains(strings.Join(seats, "\n"), "Golden") || !strings.Contains(seats[0], "Middle, €94.50") {
		t.Errorf("with the middle prices alone the list offers %q", seats)
	}
	evaluate[any](t, v.ctx, `document.querySelector('[data-testid=list-add]').focus(), null`)
	v.keys("\r")
	v.chosen(1)
	if text := v.text("[data-testid=chosen-item]"); !strings.Contains(text, "Middle") || !strings.Contains(text, "Block 101, row ") {
		t.Errorf("chosen is %q", text)
	}
	if said := v.text("#map-says"); !strings.Contains(said, "1 seat chosen") {
		t.Errorf("a screen reader hears %q", said)
	}
}
