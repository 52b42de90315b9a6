package e2e

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/stack"
)

// stadium has 60,000 seats on its map and holds of the usual length.
const stadium = "stadium.json"

// A person's whole way, on a desk and on a phone: queue, be let in, find the event, pick two seats, pay, see the tickets.
func TestAPersonBuysTwoSeats(t *testing.T) {
	s := up(t, func(c *stack.Config) {
		c.Events = []string{filepath.Join(repository(t), "deploy", "demo", "data", stadium)}
	})
	event := eventsOf(t, s)[0].ID
	t.Run("who is paying does not queue", func(t *testing.T) { paying(t, s) })
	for _, screen := range []screen{
		{name: "desktop", width: 1280, height: 900},
		{name: "phone", width: 390, height: 844, phone: true},
	} {
		t.Run(screen.name, func(t *testing.T) {
			p := newPerson(t, screen)
			// With the room paused the person certainly sees the line, and we when it moves.
			steer(t, s, "pause")
			p.open(s.EdgeURL() + "/")
			p.sees("the waiting page", `body`)
			p.missing(`[data-testid=event-card]`)
			p.shot("1-line")
			steer(t, s, "resume")

			p.sees("the programme", `[data-testid=search-form]`)
			p.open(s.EdgeURL() + "/?q=night") // what the form leads to, which core/web tries by hand
			p.sees("what was searched for", `[data-testid=event-card]`)
			p.click(`[data-testid=event-card][data-event=` + event + `]`)
			p.sees("the event", `[data-testid=event-title]`)
			p.sees("the map", `[data-testid=seat-map][data-ready=true]`)
			p.choose(`[data-testid=best-quantity]`, "2")
			p.click(`[data-testid=best-pick]`)
			p.count("chosen seats", `[data-testid=chosen] [data-testid=chosen-item]`, 2)
			p.shot("2-seats")

			// The first changing step needs an account; it is done by itself after the way to the sign-in page and back.
			p.click(`[data-testid=hold]`)
			p.sees("the sign-in page", `input[name=email]`)
			p.shot("3-sign-in")
			p.fill(`input[name=email]`, screen.name+"@example.com")
			p.submit(`input[name=email]`)
			p.count("seats held after signing in, without another press", `[data-testid=basket] [data-testid=basket-line]`, 2)
			p.sees("the count-down", `[data-testid=countdown]`)
			p.shot("4-basket")

			p.click(`[data-testid=checkout]`)
			p.sees("the order", `[data-testid=order][data-state=pending_payment]`)
			p.shot("5-order")
			p.click(`[data-testid=pay]`)
			p.sees("the card form", `#number`)
			p.shot("6-card")
			p.click(`#pay`)

			p.sees("the paid order", `[data-testid=see-tickets]`)
			p.shot("7-paid")
			// Back leads to a form that takes nothing any more, and says so.
			p.do("go back", func(ctx context.Context) error {
				_, err := chromedp.Run(ctx, chromedp.Evaluate[any](`history.back()`))
				return err
			})
			p.sees("that the form was sent", `#used`)
			p.click(`a.pay`)
			p.sees("the paid order again", `[data-testid=see-tickets]`)
			p.click(`[data-testid=see-tickets]`)
			p.count("tickets", `[data-testid=ticket-card]`, 2)
			p.sees("a code for the door", `[data-testid=ticket-qr]`)
			p.shot("8-tickets")
			p.complained()
		})
	}
}

// paying: a person who comes back from the bank, perhaps on another device, sees the order at once; paying without a pass leads
// through the line.
func paying(t *testing.T, s *stack.Stack) {
	for path, want := range map[string]int{"/checkout/1-o": http.StatusOK, "/orders/1-o": http.StatusOK, "/pay/1-o": http.StatusServiceUnavailable} {
		answer, page := navigate(t, &http.Client{Timeout: slowest}, s.EdgeURL()+path)
		if waits := answer.Header.Get("Ropeline-Answer") == "wait"; answer.StatusCode != want || waits != (want != http.StatusOK) {
			t.Errorf("%s without a pass: %s, in the line: %v, want %d\n%.200s", path, answer.Status, waits, want, page)
		}
	}
}
