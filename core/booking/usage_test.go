package booking

import (
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// A contract's calls at once are shared by payments and refunds, of which neither can take all.
func TestWorkersKeepToTheContract(t *testing.T) {
	for _, c := range []struct{ atOnce, payments, refunds int }{{0, paymentWorkers, refundWorkers}, {2, 1, 1}, {6, 5, 1}, {20, 15, 5}, {40, 32, 8}, {10_000, paymentWorkers, refundWorkers}} {
		p, err := fakepay.NewClient(fakepay.ClientConfig{URL: "http://127.0.0.1:1", Secrets: []string{"s"}, AtOnce: c.atOnce})
		if err != nil {
			t.Fatal(err)
		}
		if payments, refunds := workersOf([]payment.Provider{p}); payments != c.payments || refunds != c.refunds {
			t.Errorf("%d at once: %d for payments and %d for refunds, want %d and %d", c.atOnce, payments, refunds, c.payments, c.refunds)
		}
	}
}

// What a provider can do at once is what the contract allows a second, times what a call takes, and never more than the
// workers there are.
func TestSlotsAreBoundByTheContractsRate(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		took      time.Duration
		perSecond float64
		want      float64
	}{{0, 20, 50}, {time.Second, 20, 20}, {10 * time.Second, 20, 50}, {time.Millisecond, 20, 1}, {time.Second, 0, 50}} {
		calls := calls{most: 50, perSecond: c.perSecond}
		if c.took > 0 {
			calls.took.Observe(c.took, now)
		}
		if got := calls.slots(now); got != c.want {
			t.Errorf("calls of %s at %g a second: %g slots, want %g", c.took, c.perSecond, got, c.want)
		}
	}
}
