package booking

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// reconcile runs it over everything, seen an hour from now: nothing is too fresh to be
// in the report.
func (x *shop) reconcile() Reconciliation {
	x.t.Helper()
	r, err := x.e.Reconcile(x.t.Context(), "fakepay", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	if err != nil {
		x.t.Fatal(err)
	}
	return r
}

func classes(list []Break) string {
	var names []string
	for _, b := range list {
		names = append(names, string(b.Class))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (x *shop) off() bool {
	x.t.Helper()
	list, err := x.e.Payments(x.t.Context(), "fakepay")
	if err != nil {
		x.t.Fatal(err)
	}
	return !list[0].On
}

// B44: a clean report has no breaks, twice; fees and payouts are booked once.
func TestACleanReport(t *testing.T) {
	x := newShop(t, saleSpec{seats: 10})
	for i := range int64(4) {
		x.paid(i+1, seats(int32(i+1)))
	}
	o := x.paid(5, seats(5, 6))
	if err := x.giveBack(5, o, 1); err != nil {
		t.Fatal(err)
	}
	x.settledBooks()
	x.tell("/control/payouts", map[string]any{"amount": 9000, "currency": "EUR"})
	for n, want := range []int64{7, 0} { // 5 captures, 1 refund, 1 payout
		r := x.reconcile()
		if len(r.Found)+len(r.Cured) > 0 || r.Rows != 7 || r.New != want || r.Payments != 5 || r.There != r.Here || r.There != 12500 {
			t.Fatalf("run %d: %+v", n+1, r)
		}
	}
	fees := int64(4*35 + 70)
	if a, b, c := x.balance("provider_fees:"), x.balance("bank"), x.balance("clearing:"); a != fees || b != 9000 || c != 12500-fees-9000 {
		t.Errorf("fees %d, bank %d, clearing %d", a, b, c)
	}
	if x.off() {
		t.Error("payments are off after a clean run")
	}
}

// B44, FP13: each defect, planted alone, is exactly its break, and found again in the
// next run as the same one; new payments stop for some and never for others.
func TestEachDefectIsNamed(t *testing.T) {
	for _, tc := range []struct {
		defect, class string
		off           string // what buyers are told
	}{
		{fakepay.DefectMissing, "missing_there", ""}, {fakepay.DefectDuplicate, "duplicate", ""}, {fakepay.DefectTwice, "duplicate", OffAmounts},
		{fakepay.DefectUnknown, "missing_here", OffUnknown}, {fakepay.DefectAmount, "amount", OffAmounts}, {fakepay.DefectCurrency, "currency", OffAmounts},
		{fakepay.DefectFee, "fee", ""}, {fakepay.DefectGarbled, "unreadable", ""},
	} {
		t.Run(tc.defect, func(t *testing.T) {
			t.Parallel()
			x := newShop(t, saleSpec{seats: 10})
			o := x.paid(1, seats(1))
			x.paid(2, seats(2))
			ref := o.Payment.ID.String()
			waiting := x.mustOrder(3, seats(3))
			x.control(fakepay.Control{Settlement: []fakepay.Defect{{Kind: tc.defect, Reference: ref}}})
			for range 2 {
				if r := x.reconcile(); classes(r.Found) != tc.class || len(r.Cured) > 0 {
					t.Fatalf("found %v, cured %v; want %s", r.Found, r.Cured, tc.class)
				}
			}
			all, err := x.e.Breaks(t.Context(), true)
			if err != nil || len(all) != 1 || all[0].Owner == "" {
				t.Fatalf("%+v %v", all, err)
			}
			if x.off() != (tc.off != "") {
				t.Fatalf("payments off: %v", x.off())
			}
			if tc.off == "" {
				x.mustPay(3, waiting, fakepay.TokenOK)
				return
			}
			p := wantCode(t, x.pay(3, waiting, fakepay.TokenOK), "payments_off")
			if v := x.view(3, waiting); p.Extra["reason"] != tc.off || v.PaymentsOff != tc.off || v.State != order.Pending {
				t.Errorf("buyers are told %v and %q, want %s", p.Extra["reason"], v.PaymentsOff, tc.off)
			}
			wantCode(t, x.e.SwitchPayments(t.Context(), "fakepay", true, "ann", ""), "why_required")
			if err := x.e.SwitchPayments(t.Context(), "fakepay", true, "ann", "looked at it"); err != nil {
				t.Fatal(err)
			}
			if r := x.reconcile(); classes(r.Found) != tc.class || x.off() {
				t.Errorf("a break that a person has seen switched off again: %+v", r)
			}
			x.mustPay(3, waiting, fakepay.TokenOK)
			x.untilState(3, waiting, order.Captured)
		})
	}
}

// All defects in one report: the run completes and names each.
func TestAllDefectsTogether(t *testing.T) {
	x := newShop(t, saleSpec{seats: 10})
	kinds := []string{fakepay.DefectMissing, fakepay.DefectDuplicate, fakepay.DefectTwice, fakepay.DefectUnknown, fakepay.DefectAmount,
		fakepay.DefectCurrency, fakepay.DefectFee, fakepay.DefectGarbled}
	var plant []fakepay.Defect
	for i, k := range kinds {
		o := x.paid(int64(i+1), seats(int32(i+1)))
		plant = append(plant, fakepay.Defect{Kind: k, Reference: o.Payment.ID.String()})
	}
	x.paid(9, seats(9))
	x.control(fakepay.Control{Settlement: plant})
	const want = "amount currency duplicate duplicate fee missing_here missing_there unreadable"
	r := x.reconcile()
	if got := classes(r.Found); got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	// P5: the difference of the sums is what the breaks say. The fee, the currency, the row
	// that is there twice and the one that cannot be read change no sum.
	var explained int64
	for _, b := range r.Found {
		if b.Here != nil && b.There != nil && b.Class != BreakFee && b.Class != BreakCurrency {
			explained += *b.There - *b.Here
		}
	}
	if r.There-r.Here != explained {
		t.Errorf("%d there, %d here; the breaks explain %d", r.There, r.Here, explained)
	}
	// The report is right the next time: what was of a payment ends by itself, rows of the
	// report and movements that were kept wait for a person.
	x.control(fakepay.Control{})
	if got := classes(x.reconcile().Found); !contains(got, "missing_here") || contains(got, "missing_there") {
		t.Errorf("after a right report: %s", got)
	}
	for _, b := range x.reconcile().Found {
		if err := x.e.CloseBreak(t.Context(), b.ID, "ann", "the provider says it was their test"); err != nil {
			t.Fatal(err)
		}
	}
	x.control(fakepay.Control{Settlement: plant})
	if got := classes(x.reconcile().Found); contains(got, "missing_here") || contains(got, "amount") {
		t.Errorf("closed by a person, and back as they were: %s", got)
	}
}

// FP7: a notice that never came, a refund and a dispute made elsewhere are found, asked
// about and settled; only what somebody has to explain stays.
func TestLostNoticesAreFound(t *testing.T) {
	x := newShop(t, saleSpec{seats: 10})
	x.control(fakepay.Control{Webhooks: fakepay.WebhookControl{Off: true}})
	refunded, disputed := x.paid(1, seats(1)), x.paid(2, seats(2))
	refs := map[string]string{}
	for _, p := range x.payments() {
		refs[p.Reference] = p.ID
	}
	x.tell("/control/payments/"+refs[refunded.Payment.ID.String()]+"/refund", map[string]any{})
	x.tell("/control/payments/"+refs[disputed.Payment.ID.String()]+"/dispute", map[string]any{})
	r := x.reconcile()
	if got := classes(r.Found); got != "dispute refund_unknown" {
		t.Fatalf("found %v, cured %v", r.Found, r.Cured)
	}
	if v := x.untilState(1, refunded, order.Refunded); v.Tickets[0].State != "revoked" {
		t.Errorf("the refunded order's ticket is %s", v.Tickets[0].State)
	}
	if !x.view(2, disputed).Disputed {
		t.Error("the dispute is not known")
	}
	if x.off() {
		t.Error("payments are off for a dispute")
	}
	x.tell("/control/payments/"+refs[disputed.Payment.ID.String()]+"/dispute_won", map[string]any{})
	x.e.learnBy(t, x, disputed)
	if got := classes(x.reconcile().Found); got != "refund_unknown" {
		t.Errorf("after the dispute was won: %s", got)
	}
	if r.There != r.Here {
		t.Errorf("%d there, %d here", r.There, r.Here)
	}
}

// learnBy lets the shop ask about one payment as the cure does.
func (e *Engine) learnBy(t *testing.T, x *shop, o OrderView) {
	t.Helper()
	report, err := e.mainProvider.Lookup(t.Context(), o.Payment.ID.String())
	if err != nil {
		t.Fatal(err)
	}
	err = e.inDossier(t.Context(), orderKey{o.ID.Event, o.ID.ID}, func(d *dossier) error { return d.learn(d.attempt(o.Payment.ID.ID), report) })
	if err != nil {
		t.Fatal(err)
	}
}

// What is captured and not due in the report yet is one quiet break, and ends by itself.
func TestFreshPaymentsAreTiming(t *testing.T) {
	x := newShop(t, saleSpec{seats: 3})
	before := time.Now()
	x.paid(1, seats(1))
	x.paid(2, seats(2))
	r, err := x.e.Reconcile(t.Context(), "fakepay", before.Add(-time.Hour), before)
	if err != nil || classes(r.Found) != "" {
		t.Fatalf("before they were made: %+v %v", r, err)
	}
	x.control(fakepay.Control{Settlement: []fakepay.Defect{{Kind: fakepay.DefectMissing}, {Kind: fakepay.DefectMissing}}})
	if r, err = x.e.Reconcile(t.Context(), "fakepay", before, time.Now()); err != nil || classes(r.Found) != "timing" || *r.Found[0].Here != 5000 || x.off() {
		t.Fatalf("just made: %+v %v", r, err)
	}
	x.control(fakepay.Control{})
	if r := x.reconcile(); len(r.Found) != 0 {
		t.Errorf("%+v", r.Found)
	}
}

// A report that ends in its middle is none: nothing is written down of it.
func TestACutReportChangesNothing(t *testing.T) {
	x := newShop(t, saleSpec{seats: 3})
	x.paid(1, seats(1))
	x.control(fakepay.Control{Faults: []fakepay.Fault{{Op: "settlement", Kind: fakepay.Fault500}}})
	if _, err := x.e.Reconcile(t.Context(), "fakepay", time.Now().Add(-time.Hour), time.Now().Add(time.Hour)); err == nil {
		t.Fatal("taken")
	}
	if n := x.count(`SELECT (SELECT count(*) FROM settlement) + (SELECT count(*) FROM money_break) + (SELECT count(*) FROM recon_run WHERE ended_at IS NOT NULL)`); n != 0 {
		t.Errorf("%d rows were left", n)
	}
	x.control(fakepay.Control{})
	if _, err := x.e.reconcileHourly(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := x.count(`SELECT count(*) FROM recon_run WHERE ended_at IS NOT NULL`); n != 1 {
		t.Errorf("%d runs", n)
	}
	if _, err := x.e.reconcileHourly(t.Context()); err != nil || x.count(`SELECT count(*) FROM recon_run WHERE ended_at IS NOT NULL`) != 1 {
		t.Errorf("ran twice in an hour: %v", err)
	}
}

// P3 every run: places that do not agree with the money are a break of engineering.
func TestPlacesAreComparedEveryRun(t *testing.T) {
	x := newShop(t, saleSpec{seats: 3})
	x.paid(1, seats(1))
	x.db.Owner(t, `UPDATE ticket SET revoked_at = now()`)
	r := x.reconcile()
	if len(r.Found) == 0 || r.Found[0].Class != BreakSeats || r.Found[0].Owner != "engineering" {
		t.Errorf("%+v", r.Found)
	}
	x.db.Owner(t, `UPDATE ticket SET revoked_at = NULL`)
	if r := x.reconcile(); len(r.Found) != 0 {
		t.Errorf("after the repair: %s", fmt.Sprint(r.Found))
	}
}
