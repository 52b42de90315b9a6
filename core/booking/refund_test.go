package booking

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// paid is an order of two seats (25.00 each) and a line of two places (10.00 each),
// captured.
func (x *shop) paid(account int64, r HoldRequest) OrderView {
	x.t.Helper()
	o := x.mustOrder(account, r)
	x.mustPay(account, o, fakepay.TokenOK)
	return x.untilState(account, o, order.Captured)
}

func (x *shop) giveBack(account int64, o OrderView, lines ...int16) error {
	_, err := orderOf(x.e.ReturnLines(x.t.Context(), x.command(account), ReturnRequest{Order: o.ID, Lines: lines}))
	return err
}

func (x *shop) refundPolicy(approvalOver int64, tiers ...string) {
	x.t.Helper()
	x.db.Owner(x.t, `INSERT INTO refund_policy VALUES (1, $1) ON CONFLICT (event_id) DO UPDATE SET approval_over = $1`, approvalOver)
	for _, t := range tiers {
		x.db.Owner(x.t, `INSERT INTO refund_tier VALUES (1, `+t+`)`)
	}
}

// booksWithFees is books, with fees that the organiser keeps.
func (x *shop) booksWithFees() {
	x.t.Helper()
	x.settledBooks()
	var kept int64
	for _, p := range x.payments() {
		kept += p.Captured - p.Refunded
	}
	if got := x.balance("clearing:"); got != kept {
		x.t.Errorf("clearing is %d, the provider holds %d", got, kept)
	}
	if b := x.balance("payable:") + x.balance("revenue") + x.balance("fees_kept:"); b != -kept {
		x.t.Errorf("payable, revenue and fees are %d, kept is %d", b, kept)
	}
	if b := x.balance("refunds_due"); b != 0 {
		x.t.Errorf("refunds due is %d at quiet", b)
	}
}

// Partial by seat with the fee of the tier that holds: places back once, tickets of
// these lines void, the others valid; what was returned cannot be returned again.
func TestReturnOfSomeLines(t *testing.T) {
	x := newShop(t, saleSpec{seats: 10, counters: []counterSpec{{"Floor", 2, 0}}})
	x.refundPolicy(50000, "0, 1000, 100")
	o := x.paid(1, HoldRequest{Seats: []int32{3, 4}, Places: places(1, 2).Places})
	if f := o.RefundOffer; f == nil || f.Amount != 7000-700-400 || f.Kept != 1100 || len(f.Lines) != 3 {
		t.Fatalf("offer %+v", f)
	}
	wrong := int64(1)
	_, err := orderOf(x.e.ReturnLines(t.Context(), x.command(1), ReturnRequest{Order: o.ID, Lines: []int16{1}, ExpectedAmount: &wrong}))
	wantCode(t, err, "offer_changed")
	_, err = orderOf(x.e.ReturnLines(t.Context(), x.command(2), ReturnRequest{Order: o.ID, Lines: []int16{1}}))
	wantCode(t, err, "not_found")
	if err := x.giveBack(1, o, 1, 3); err != nil {
		t.Fatal(err)
	}
	for _, again := range [][]int16{{1}, {2, 3}, {9}, {2, 2}} {
		wantCode(t, x.giveBack(1, o, again...), "lines_returned")
	}
	v := x.until(1, o, "partly refunded", func(v OrderView) bool { return v.State == order.PartlyRefunded })
	valid := 0
	for _, k := range v.Tickets {
		if k.State == "valid" {
			valid++
		}
	}
	if valid != 1 || !v.Lines[0].Returned || v.Lines[1].Returned || !v.Lines[2].Returned || len(v.RefundOffer.Lines) != 1 {
		t.Errorf("%d valid tickets, lines %+v, offer %+v", valid, v.Lines, v.RefundOffer)
	}
	x.booksWithFees()
	if b := x.balance("fees_kept:"); b != -(250+100)-(200+200) {
		t.Errorf("fees kept: %d", b)
	}
	// The places are for sale again (B56), and the rest of the order goes back too.
	x.paid(2, seats(3))
	x.mustHold(3, places(1, 2))
	x.mustCancel(1, o)
	v = x.untilState(1, o, order.Refunded)
	if v.RefundOffer != nil || !v.Lines[1].Returned {
		t.Errorf("after all: %+v", v)
	}
	wantCode(t, x.cancel(1, o), "nothing_to_cancel")
	x.booksWithFees()
	if got := x.payments()[0].Refunded; got != 7000-1100 {
		t.Errorf("%d returned of 7000", got)
	}
}

func TestNothingComesBackTooLate(t *testing.T) {
	x := newShop(t, saleSpec{seats: 2})
	x.refundPolicy(50000, "48, 0, 0")
	o := x.paid(1, seats(1))
	x.db.Owner(t, `UPDATE event SET starts_at = now() + interval '47 hours'`)
	wantCode(t, x.cancel(1, o), "refund_closed")
	wantCode(t, x.giveBack(1, o, 1), "refund_closed")
	if v := x.view(1, o); v.State != order.Captured || v.RefundOffer != nil {
		t.Errorf("%+v", v)
	}
	x.db.Owner(t, `UPDATE event SET starts_at = now() + interval '49 hours'`)
	x.mustCancel(1, o)
	x.untilState(1, o, order.Refunded)
	x.books()
}

// B40, AB18: five of 60 of 100 in parallel: one; zero, less and more than the price: 422.
func TestRefundsNeverExceedTheCapture(t *testing.T) {
	x := newShop(t, saleSpec{seats: 4})
	x.refundPolicy(50000)
	o := x.paid(1, seats(1, 2))
	for _, amount := range []int64{0, -1, 5001} {
		_, err := x.e.RefundByStaff(t.Context(), StaffRefund{Order: o.ID, Amount: &amount, Why: "test", By: "ann"})
		if p := wantCode(t, err, "invalid_amount"); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("%d: status %d", amount, p.Status)
		}
	}
	var got = tally{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			amount := int64(3000)
			_, err := x.e.RefundByStaff(t.Context(), StaffRefund{Order: o.ID, Amount: &amount, Why: "test", By: "ann"})
			mu.Lock()
			defer mu.Unlock()
			got.add(err)
		})
	}
	wg.Wait()
	if got["ok"] != 1 {
		t.Errorf("%v", got)
	}
	got.only(t, "ok", "lines_returned", "not_paid", "busy")
	x.untilState(1, o, order.Refunded)
	x.booksWithFees()
	if p := x.payments()[0]; p.Refunded != 3000 {
		t.Errorf("%d returned", p.Refunded)
	}
}

// Lines returned one by one at the same moment, with a provider that loses answers:
// each is sent once. (Two under way at a time would return more than was asked.)
func TestParallelReturnsAreSentOnce(t *testing.T) {
	x := newShop(t, saleSpec{seats: 6, limit: 6})
	o := x.paid(1, seats(1, 2, 3, 4, 5))
	x.control(fakepay.Control{Faults: []fakepay.Fault{{Op: "refund", Kind: fakepay.FaultDrop, Times: 2}, {Op: "refund", Kind: fakepay.Fault500, Times: 1}}})
	var wg sync.WaitGroup
	for line := range int16(3) {
		wg.Go(func() {
			if err := x.giveBack(1, o, line+1); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	x.settledBooks()
	if p := x.payments()[0]; p.Refunded != 3*2500 {
		t.Errorf("%d returned, want %d", p.Refunded, 3*2500)
	}
	x.untilState(1, o, order.PartlyRefunded)
	x.books()
}

// B46: no self-approval, nobody twice, no other amount, not again; small refunds sum up.
func TestLargeRefundsNeedTwoOthers(t *testing.T) {
	x := newShop(t, saleSpec{seats: 6})
	x.refundPolicy(5000)
	o := x.paid(1, seats(1, 2, 3))
	small := StaffRefund{Order: o.ID, Lines: []int16{1}, Why: "blocked view", By: "ann"}
	if d, err := x.e.RefundByStaff(t.Context(), small); err != nil || d.State != "done" {
		t.Fatalf("%+v %v", d, err)
	}
	x.untilState(1, o, order.PartlyRefunded)
	large := StaffRefund{Order: o.ID, Lines: []int16{2, 3}, Why: "blocked view", By: "ann"} // 2500 + 5000 > 5000
	_, err := x.e.RefundByStaff(t.Context(), StaffRefund{Order: o.ID, By: "ann"})
	wantCode(t, err, "why_required")
	d, err := x.e.RefundByStaff(t.Context(), large)
	if err != nil || d.State != "waiting" || d.Needed != 2 || d.Amount != 5000 {
		t.Fatalf("%+v %v", d, err)
	}
	_, err = x.e.RefundByStaff(t.Context(), large)
	wantCode(t, err, "request_waiting")
	if x.count(`SELECT count(*) FROM ticket WHERE revoked_at IS NULL`) != 2 {
		t.Error("tickets were revoked before anybody approved")
	}
	approve := func(by string, amount int64) error {
		_, err := x.e.ApproveRefund(t.Context(), *d.Request, by, amount)
		return err
	}
	wantCode(t, approve("ann", 5000), "self_approval")
	wantCode(t, approve("bob", 4999), "amount_differs")
	if err := approve("bob", 5000); err != nil {
		t.Fatal(err)
	}
	wantCode(t, approve("bob", 5000), "already_approved")
	if n := x.count(`SELECT count(*) FROM refund WHERE request_id IS NOT NULL`); n != 0 {
		t.Fatal("one approval was enough")
	}
	// Two last approvals at once: one carries it out.
	var got tally = tally{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, by := range []string{"cid", "dee"} {
		wg.Go(func() {
			err := approve(by, 5000)
			mu.Lock()
			defer mu.Unlock()
			got.add(err)
		})
	}
	wg.Wait()
	if got["ok"] != 1 || got["already_decided"] != 1 {
		t.Errorf("%v", got)
	}
	x.untilState(1, o, order.Refunded)
	x.books()
	wantCode(t, approve("eve", 5000), "already_decided")
}

// The same rules hold for who goes around the code.
func TestApprovalsAreTheDatabases(t *testing.T) {
	x := newShop(t, saleSpec{seats: 2})
	x.refundPolicy(0)
	o := x.paid(1, seats(1))
	d, err := x.e.RefundByStaff(t.Context(), StaffRefund{Order: o.ID, Why: "test", By: "ann"})
	if err != nil || d.State != "waiting" {
		t.Fatalf("%+v %v", d, err)
	}
	r := d.Request
	try := func(sql string) string {
		_, err := x.db.Pool.Exec(t.Context(), sql)
		return fmt.Sprint(err)
	}
	for sql, want := range map[string]string{
		fmt.Sprintf(`INSERT INTO refund_approval VALUES (1, '%s', 'ann', 'ann', 2500, now())`, r.ID): "no_self_approval",
		fmt.Sprintf(`INSERT INTO refund_approval VALUES (1, '%s', 'bob', 'ann', 9999, now())`, r.ID): "approved_as_asked",
		fmt.Sprintf(`INSERT INTO refund_approval VALUES (1, '%s', 'ann', 'bob', 2500, now())`, r.ID): "approved_as_asked",
		`UPDATE refund_request SET amount = 1`:                                                       "permission denied",
		`UPDATE refund_request SET requested_by = 'x'`:                                               "permission denied",
		`DELETE FROM refund_request`:                                                                 "permission denied",
		`UPDATE refund_approval SET approver = 'someone'`:                                            "permission denied",
	} {
		if got := try(sql); !contains(got, want) {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	if _, err := x.e.RejectRefund(t.Context(), *r, "bob"); err != nil {
		t.Fatal(err)
	}
	_, err = x.e.ApproveRefund(t.Context(), *r, "cid", 2500)
	wantCode(t, err, "already_decided")
	if v := x.view(1, o); v.State != order.Captured {
		t.Errorf("after a rejection: %s", v.State)
	}
}

// The auditor finds a large refund that was written around the approvals (P6).
func TestTheAuditorFindsAnUnapprovedRefund(t *testing.T) {
	x := newShop(t, saleSpec{seats: 2})
	x.refundPolicy(100)
	x.spare = map[string]bool{}
	o := x.paid(1, seats(1))
	x.mustCancel(1, o)
	x.untilState(1, o, order.Refunded)
	x.check()
	x.db.Owner(t, `UPDATE refund SET free_limit = 100, asked_by = 'ann'`)
	found := fmt.Sprint(x.findings())
	if !contains(found, "has two approvers") {
		t.Errorf("found %s", found)
	}
	x.db.Owner(t, `UPDATE refund SET free_limit = NULL`)
}
