package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// AB24: who sends notices that nobody signed is soon refused without a signature being computed; the provider, in another
// network, is not, however much it has to say.
func TestBadNoticesAreLimitedByNetwork(t *testing.T) {
	// The clock stands still, or seconds of a slow machine would pay for tries.
	at := time.Now()
	s := open(t, func(o *Options) { o.Now = func() time.Time { return at } })
	send := func(from, sign, body string) *reply {
		return s.do("POST", "/webhooks/fakepay", body, "X-Forwarded-For", from, "Fakepay-Signature", sign)
	}
	signed := func(i int) (sign, body string) {
		body = fmt.Sprintf(`{"id": "evt_%d"}`, i)
		return fakepay.Sign(secret, time.Now(), []byte(body)), body
	}
	for i := range badNotices.Burst {
		send(fmt.Sprintf("198.51.100.%d", i+1), "t=1,v1=00", `{}`).want(http.StatusBadRequest, "invalid_signature")
	}
	sign, body := signed(0)
	refused := send("198.51.100.200", sign, body).want(http.StatusTooManyRequests, "too_many_attempts")
	if refused.header.Get("Retry-After") == "" {
		t.Error("the refusal does not say when to come back")
	}
	for i := range 2 * badNotices.Burst {
		sign, body := signed(i)
		send("203.0.113.7", sign, body).want(http.StatusNoContent, "")
	}
	at = at.Add(time.Second)
	send("198.51.100.200", sign, body).want(http.StatusNoContent, "")
}
