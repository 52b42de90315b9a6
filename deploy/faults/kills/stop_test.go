package kills

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// FB11: SIGTERM while a payment is under way. Either this process still hears the provider and writes it down, or the next
// one asks; in both cases the process ends in order, the buyer is charged once and nothing is left over.
func TestStoppedWithAPaymentUnderWay(t *testing.T) {
	for name, control := range map[string]string{
		"the provider answers a second late": `{"faults": [{"op": "authorize", "kind": "delay", "delay": "1s", "times": 1}]}`,
		"the provider acts and is silent":    `{"faults": [{"op": "authorize", "kind": "timeout_after", "times": 1}]}`,
		"the capture is silent":              `{"faults": [{"op": "capture", "kind": "timeout_after", "times": 1}]}`,
		"the provider got nothing":           `{"faults": [{"op": "authorize", "kind": "timeout_before", "times": 1}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			resp, err := http.Post(w.bank+"/control", "application/json", strings.NewReader(control))
			must0(t, err)
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("control: %s", resp.Status)
			}
			b := w.buyer()
			b.orders()
			key := uuid.NewString()
			answer := b.must(b.wantPay(), key)
			under := `phase = 'sent' AND authorized = 0`
			if strings.Contains(control, "capture") {
				under = `authorized > 0 AND captured = 0`
			}
			w.until("the call is under way", func() bool {
				return one[int](w, `SELECT count(*) FROM attempt WHERE order_id = $1::uuid AND `+under, b.uuidOf()) == 1
			})
			must0(t, w.child.Stop())
			phase := one[string](w, `SELECT phase FROM attempt WHERE order_id = $1::uuid`, b.uuidOf())
			t.Logf("when the process had ended, the attempt was %s and the order %s", phase, b.state())
			if phase == "created" || phase == "abandoned" {
				t.Errorf("an attempt that was sent is %s", phase)
			}

			w.start()
			if again := b.must(b.wantPay(), key); !bytes.Equal(again, answer) {
				t.Errorf("the same payment again: %s, and it was %s", again, answer)
			}
			w.leasesOver()
			w.until("the next process ends it", func() bool { return b.state() == "captured" })
			b.chargedOnce(0)
			w.judged()
		})
	}
}
