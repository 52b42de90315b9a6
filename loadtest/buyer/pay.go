package buyer

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The provider's test cards.
const (
	goodCard     = "4242424242424242"
	declinedCard = "4000000000000002"
)

const (
	watchLow, watchHigh = 200 * time.Millisecond, 500 * time.Millisecond // between two looks at an order
	watchLimit          = 45 * time.Second                               // until an order must be final
	tooLate             = 150 * time.Millisecond                         // after the hold's end, for somebody who pays late
)

type orderDoc struct {
	ID           string `json:"id"`
	State        string `json:"state"`
	Reason       string `json:"reason"`
	Unknown      bool   `json:"payment_unknown"`
	Amount       struct{ Amount int64 }
	CardForm     string `json:"card_form"`
	AttemptsLeft int    `json:"attempts_left"`
	Tickets      []struct {
		ID string `json:"id"`
	} `json:"tickets"`
}

func (b *buyer) order(ctx context.Context, h holdDoc) (o orderDoc, ok bool) {
	r := b.keyed(ctx, request{f: "order", method: http.MethodPost, path: "/v1/events/" + b.Event + "/orders", body: map[string]string{"hold": h.ID}, target: h.ID})
	r.decode(&o)
	if !r.good() && !gone(r) {
		b.refusal("order", r)
	}
	return o, r.good()
}

// gone says that the hold is over: bad luck, and nobody's mistake.
func gone(r reply) bool { return r.Code == "hold_expired" || r.Code == "hold_released" }

// buy goes from a hold to tickets. "" means that the hold was lost and another
// may be tried.
func (b *buyer) buy(ctx context.Context, h holdDoc) Outcome {
	got := time.Now()
	o, ok := b.order(ctx, h)
	if !ok {
		return b.unlessOver(ctx)
	}
	if b.chance(b.Shares.LatePay) {
		sleep(ctx, h.left()-time.Since(got)+tooLate)
	}
	form := o.CardForm
	cards := []string{goodCard}
	if b.chance(b.Shares.Decline) {
		cards = []string{declinedCard, goodCard}
	}
	for _, card := range cards {
		token, ok := b.card(ctx, o.ID, form, card)
		if !ok {
			return b.unlessOver(ctx)
		}
		r := b.keyed(ctx, request{f: "pay", method: http.MethodPost, path: "/v1/orders/" + o.ID + "/payments", body: map[string]string{"card_token": token}})
		if !r.good() {
			if !gone(r) && r.Code != "order_expired" {
				b.refusal("pay", r)
			}
			return b.unlessOver(ctx)
		}
		switch o = b.watch(ctx, o.ID); o.State {
		case "confirmed", "captured":
			return b.collect(ctx, o)
		case "pending_payment": // declined: another card
		case "verifying":
			b.refusal("order stays", reply{})
			return Refused
		default:
			return b.unlessOver(ctx)
		}
	}
	return b.unlessOver(ctx)
}

// unlessOver lets the buyer try other seats while the sale goes on.
func (b *buyer) unlessOver(ctx context.Context) Outcome {
	if ctx.Err() != nil {
		return TimeIsUp
	}
	return ""
}

// card fills in the provider's hosted form and takes the token from the way back.
func (b *buyer) card(ctx context.Context, order, form, number string) (token string, ok bool) {
	form = strings.TrimPrefix(form, b.Edge)
	if !strings.Contains(form, "return=") {
		form += "&return=" + url.QueryEscape("/orders/"+order)
	}
	b.do(ctx, request{f: "card_form", method: http.MethodGet, path: form, navigate: true})
	r := b.do(ctx, request{f: "card", method: http.MethodPost, path: form, form: url.Values{"card": {number}}.Encode(), navigate: true})
	back, err := url.Parse(r.location)
	if err == nil {
		token = back.Query().Get("card_token")
	}
	if token == "" {
		b.refusal("card", r)
	}
	return token, token != ""
}

// watch polls an order until its payment is decided and, when it was kept, taken.
func (b *buyer) watch(ctx context.Context, id string) (o orderDoc) {
	for until := time.Now().Add(watchLimit); time.Now().Before(until); {
		if !sleep(ctx, b.between(watchLow, watchHigh)) {
			return o
		}
		r := b.do(ctx, request{f: "watch", method: http.MethodGet, path: "/v1/orders/" + id})
		if !r.good() {
			continue
		}
		r.decode(&o)
		if o.State != "verifying" && o.State != "confirmed" {
			return o
		}
	}
	return o
}

// collect reads the tickets as the buyer would at the entrance.
func (b *buyer) collect(ctx context.Context, o orderDoc) Outcome {
	r := b.do(ctx, request{f: "tickets", method: http.MethodGet, path: "/v1/tickets"})
	var doc struct {
		Tickets []struct{ ID string } `json:"tickets"`
	}
	r.decode(&doc)
	have := map[string]bool{}
	for _, t := range doc.Tickets {
		have[t.ID] = true
	}
	for _, t := range o.Tickets {
		if !have[t.ID] {
			b.refusal("a ticket of the order is not in the list", r)
			return Refused
		}
	}
	if len(o.Tickets) == 0 {
		b.refusal("a paid order without tickets", r)
		return Refused
	}
	return Bought
}
