package e2e

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/deploy/stack"
	"github.com/ropeline/ropeline/loadtest/check"
)

// settles bounds how long an order may be unsure after everything works again: the resolver asks at 2, 5, 10, 20 s.
const settles = 60 * time.Second

// The booking core is killed while the provider has said yes and the core has not heard it: the worst moment to die. After
// a restart the buyer is charged exactly once and has the seat, or is charged nothing.
func TestKilledBetweenAuthorizeAndConfirm(t *testing.T) {
	for _, c := range []struct {
		name, control string
	}{
		{"the provider tells it again", `{"faults": [{"op": "authorize", "kind": "timeout_after", "times": 1}], "webhooks": {"delay": "2s"}}`},
		{"nobody tells, it has to ask", `{"faults": [{"op": "authorize", "kind": "timeout_after", "times": 1}], "webhooks": {"off": true}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := up(t, func(conf *stack.Config) { conf.Events = []string{oneSeat(t)} })
			b := newBuyer(t, s, "buyer@example.com")
			var h hold
			b.must(http.StatusCreated, http.MethodPost, "/v1/events/solo/holds", map[string]any{"seats": []int{1}}, &h)
			var o order
			b.must(http.StatusCreated, http.MethodPost, "/v1/events/solo/orders", map[string]any{"hold": h.ID}, &o)

			post(t, s.FakepayURL()+"/control", c.control)
			key := uuid.NewString()
			pay := map[string]any{"card_token": "tok_ok"}
			paid := make(chan struct{})
			go func() {
				defer close(paid)
				b.sendAs(http.MethodPost, "/v1/orders/"+o.ID+"/payments", key, pay, nil) // may end with the core
			}()
			authorized(t, s)
			s.Bookingd().Kill()
			<-paid

			if err := s.StartBookingd(t.Context()); err != nil {
				t.Fatal(err)
			}
			// The buyer's browser sends the same request again, as it would. It must not charge a second time.
			var again json.RawMessage
			status, err := b.sendAs(http.MethodPost, "/v1/orders/"+o.ID+"/payments", key, pay, &again)
			if err != nil || status/100 != 2 {
				t.Errorf("the same payment again: %d, %v, want the first answer: %s", status, err, again)
			}
			o = b.settled(o.ID)
			payments := charges(t, s)
			switch {
			case len(payments) != 1:
				t.Errorf("the provider has %d payments, want one: %v", len(payments), payments)
			case len(o.Tickets) == 1 && payments[0].Captured != o.Amount:
				t.Errorf("the order has its ticket and %d of %d is captured", payments[0].Captured, o.Amount)
			case len(o.Tickets) == 0 && payments[0].Captured != payments[0].Refunded:
				t.Errorf("the order is %s without a ticket and %d is kept", o.State, payments[0].Captured-payments[0].Refunded)
			}
			judged(t, s)
		})
	}
}

// charges is the provider's own list: what really happened to money.
func charges(t *testing.T, s *stack.Stack) []check.Payment {
	t.Helper()
	list, err := check.LoadPayments(t.Context(), s.FakepayURL())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// authorized waits until the provider has said yes to something.
func authorized(t *testing.T, s *stack.Stack) {
	t.Helper()
	for deadline := time.Now().Add(settles); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if list := charges(t, s); len(list) > 0 && list[0].Authorized > 0 {
			return
		}
	}
	t.Fatal("the provider never authorized anything")
}

// buys orders what is held, pays, and waits for the end.
func (b *buyer) buys(event, held, card string) order {
	b.t.Helper()
	var o order
	b.must(http.StatusCreated, http.MethodPost, "/v1/events/"+event+"/orders", map[string]any{"hold": held}, &o)
	b.must(http.StatusAccepted, http.MethodPost, "/v1/orders/"+o.ID+"/payments", map[string]any{"card_token": card}, nil)
	return b.settled(o.ID)
}

// settled polls the order until its money is captured or nothing is kept.
func (b *buyer) settled(id string) (o order) {
	b.t.Helper()
	for deadline := time.Now().Add(settles); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		b.must(http.StatusOK, http.MethodGet, "/v1/orders/"+id, nil, &o)
		switch o.State {
		case "captured", "cancelled", "expired", "expired_refunded":
			return o
		}
	}
	b.t.Fatalf("the order is still %s (unknown: %v) after %s", o.State, o.PaymentUnknown, settles)
	return o
}
