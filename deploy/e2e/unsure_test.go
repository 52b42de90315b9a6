package e2e

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/stack"
)

// silent: the provider does what it is asked and says nothing, by no way.
const silent = `{"faults": [{"op": "authorize", "kind": "drop"}, {"op": "lookup", "kind": "500"}], "webhooks": {"off": true}}`

// On a phone, nobody knows for a while whether a payment went through: the page says so and offers no second one. When the
// provider speaks again the tickets are there by themselves, and they can be given back.
func TestAPersonIsToldWhatIsNotKnown(t *testing.T) {
	s := up(t, func(c *stack.Config) {
		c.Events = []string{filepath.Join(repository(t), "deploy", "demo", "data", stadium)}
	})
	p := newPerson(t, screen{name: "unsure", width: 390, height: 844, phone: true})
	p.open(s.EdgeURL() + "/events/" + eventsOf(t, s)[0].ID)
	p.sees("the map", `[data-testid=seat-map][data-ready=true]`)
	p.click(`[data-testid=best-pick]`)
	p.click(`[data-testid=hold]`)
	p.fill(`input[name=email]`, "unsure@example.com")
	p.submit(`input[name=email]`)
	p.click(`[data-testid=checkout]`)
	p.sees("the order", `[data-testid=order][data-state=pending_payment]`)
	p.click(`[data-testid=pay]`)
	p.sees("the card form", `#number`)
	post(t, s.FakepayURL()+"/control", silent)
	p.click(`#pay`)
	p.sees("that it is not known", `[data-testid=order][data-state=verifying][data-tone=warn]`)
	p.missing(`[data-testid=pay]`)
	p.missing(`[data-testid=cancel-order]`)
	p.shot("1-unknown")

	post(t, s.FakepayURL()+"/control", `{}`)
	p.sees("the tickets, by themselves", `[data-testid=see-tickets]`)
	if payments := charges(t, s); len(payments) != 1 {
		t.Errorf("the provider has %d payments, want one: %v", len(payments), payments)
	}
	p.do("say yes when asked", func(ctx context.Context) error {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[any](`self.confirm = () => true, null`))
		return err
	})
	p.click(`[data-testid=give-back]`)
	p.until("that it was given back", `document.querySelector('[data-testid=order]')?.dataset.tone !== 'good'`)
	p.sees("the refund", `[data-testid=order][data-state=refunded]`)
	p.shot("2-refunded")
	judged(t, s)
}
