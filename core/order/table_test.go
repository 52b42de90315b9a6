package order

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var (
	states = []State{None, Pending, Verifying, Confirmed, Captured, PartlyRefunded, Refunded, Expired, ExpiredRefunded, Cancelled}
	events = []Event{Place, Pay, HoldEnded, Cancel, AttemptEnded, KeepAuthorized, KeepCaptured, GiveBackGone, GiveBackOff,
		AlreadyVoided, AlreadyReturn, Capture, CaptureRefused, ReserveRefund, RefundPart, RefundAll, DisputeLost, LateReturned}
)

// TestTable holds the table against a second, shorter statement of it: for each
// state the events it knows and where they lead.
func TestTable(t *testing.T) {
	want := map[State]string{
		None:            "place>pending_payment",
		Pending:         "pay>verifying hold_ended>expired cancel>cancelled keep_authorized>confirmed keep_captured>captured give_back_gone>expired give_back_off>cancelled already_voided>cancelled already_return>refunded",
		Verifying:       "hold_ended>verifying cancel>cancelled attempt_ended>pending_payment keep_authorized>confirmed keep_captured>captured give_back_gone>expired give_back_off>cancelled already_voided>cancelled already_return>refunded",
		Confirmed:       "cancel>cancelled capture>captured capture_refused>cancelled",
		Captured:        "reserve_refund>captured refund_part>partly_refunded refund_all>refunded dispute_lost>refunded",
		PartlyRefunded:  "reserve_refund>partly_refunded refund_part>partly_refunded refund_all>refunded dispute_lost>refunded",
		Refunded:        "",
		Expired:         "keep_authorized>confirmed keep_captured>captured give_back_off>cancelled already_voided>cancelled already_return>refunded late_returned>expired_refunded",
		ExpiredRefunded: "",
		Cancelled:       "",
	}
	for _, s := range states {
		var got []string
		for _, e := range events {
			if tr, ok := Next(s, e); ok {
				got = append(got, fmt.Sprintf("%s>%s", e, tr.Next))
			}
		}
		if g := strings.Join(got, " "); g != want[s] {
			t.Errorf("%s:\n got %s\nwant %s", s, g, want[s])
		}
	}
}

// TestEffects: what must go together, goes together.
func TestEffects(t *testing.T) {
	for c, tr := range table {
		has := func(e Effect) bool { return slices.Contains(tr.Effects, e) }
		if has(SellLines) != has(IssueTickets) || has(SellLines) != has(PostConfirm) || has(SellLines) != has(GiveBackRest) {
			t.Errorf("%v: sold, ticketed and booked only together: %v", c, tr.Effects)
		}
		if has(UnsellLines) != has(RevokeTickets) {
			t.Errorf("%v: places freed and tickets revoked only together: %v", c, tr.Effects)
		}
		if !c.state.Sold() && has(UnsellLines) || c.state.Sold() && has(ReleaseLines) {
			t.Errorf("%v: %v does not fit the state", c, tr.Effects)
		}
		if tr.Next.Sold() && !c.state.Sold() != has(SellLines) {
			t.Errorf("%v: becomes %s with %v", c, tr.Next, tr.Effects)
		}
		if c.state == Confirmed && tr.Next == Cancelled != has(PostReversal) {
			t.Errorf("%v: leaving confirmed without its reversal: %v", c, tr.Effects)
		}
	}
}
