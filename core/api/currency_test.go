package api

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/payment/fakepay"
)

const abroad = `{"events": [{"slug": "%s", "organiser": "Org", "title": "Abroad", "place": "Far", "starts_at": "2127-06-12T20:00",
	"time_zone": "UTC", "currency": "%s", "prices": [{"class": "A", "amount": %d}], "counters": [{"name": "Floor", "class": "A", "capacity": 10}]}]}`

// payments is the provider's own list.
func (s *stand) payments() (list []fakepay.Payment) {
	s.t.Helper()
	res, err := http.Get(s.bank + "/v1/payments")
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	var page struct{ Payments []fakepay.Payment }
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil {
		s.t.Fatal(err)
	}
	return page.Payments
}

// B41: JPY 500, KWD 18.600 and EUR 0.01 are the same from the catalogue through hold,
// order, provider, notice, ledger and statement to the refund and the provider's report.
func TestCurrenciesWithNoTwoAndThreeDecimals(t *testing.T) {
	s := open(t)
	ada, ann := s.buyer("ada@example.com"), s.staffer("ann@example.com")
	for _, tc := range []struct {
		currency string
		minor    int64
		text     string
		share    string // 5 %
	}{{"JPY", 500, "500", "25"}, {"KWD", 18600, "18.600", "0.930"}, {"EUR", 1, "0.01", "0.00"}} {
		slug := "abroad-" + strings.ToLower(tc.currency)
		s.importFile(fmt.Sprintf(abroad, slug, tc.currency, tc.minor))
		amount := fmt.Sprint(tc.minor)
		detail := s.do("GET", "/v1/events/"+slug, nil).want(http.StatusOK, "")
		if detail.str("price_from", "amount") != amount || detail.str("price_from", "currency") != tc.currency {
			t.Errorf("%s: catalogue %s", tc.currency, detail.body)
		}
		o := ada.paid(slug, map[string]any{"places": []map[string]int{{"counter": 1, "quantity": 1}}})
		if o.str("amount") != amount || o.str("currency") != tc.currency || o.str("lines", 0, "price") != amount {
			t.Errorf("%s: order %s", tc.currency, o.body)
		}
		if o.str("tickets", 0, "state") != "valid" {
			t.Errorf("%s: no ticket: %s", tc.currency, o.body)
		}
		all := s.payments()
		if p := all[len(all)-1]; p.Amount != tc.minor || p.Captured != tc.minor || p.Currency != tc.currency {
			t.Errorf("%s: provider %+v", tc.currency, p)
		}
		statement := func() [][]string {
			r := ann("GET", "/v1/staff/statement?organiser=Org&event="+slug, nil).want(http.StatusOK, "")
			lines, err := csv.NewReader(strings.NewReader(string(r.body))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			return lines[1:]
		}
		if l := statement(); len(l) != 1 || l[0][4] != tc.currency || l[0][5] != tc.text || l[0][6] != tc.share {
			t.Errorf("%s: statement %v", tc.currency, l)
		}
		path := "/v1/orders/" + o.str("id")
		ada.do("DELETE", path, nil).want(http.StatusOK, "")
		get := func() *reply { return ada.do("GET", path, nil) }
		get().until(get, func(r *reply) bool { return r.str("state") == "refunded" })
		all = s.payments()
		if p := all[len(all)-1]; p.Refunded != tc.minor {
			t.Errorf("%s: %d refunded", tc.currency, p.Refunded)
		}
		l := statement()
		if last := l[len(l)-1]; last[5] != "-"+tc.text || strings.Trim(last[9], "0.") != "" {
			t.Errorf("%s: after the refund %v", tc.currency, l)
		}
	}
	r, err := s.sells.Reconcile(t.Context(), "fakepay", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	if err != nil || len(r.Found) > 0 || r.Rows != 6 || r.Payments != 3 {
		t.Errorf("the provider's report: %+v %v", r, err)
	}
	faults, err := s.sells.VerifyBooks(t.Context())
	if err != nil || len(faults) > 0 {
		t.Errorf("the books: %v %v", faults, err)
	}
	found, err := booking.CheckInvariants(t.Context(), s.db.Pool)
	if err != nil || len(found) > 0 {
		t.Errorf("invariants: %v %v", found, err)
	}
}
