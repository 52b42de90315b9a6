package booking

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
)

// Each promise is broken once on purpose, and the audit says which it is.
func TestTheAuditFindsEachBrokenPromise(t *testing.T) {
	const (
		order   = `INSERT INTO orders (event_id, id, account_id, hold_id, state, amount, currency, fee, created_at, updated_at) VALUES (1, '%[1]s', 1, '%[2]s', 'confirmed', 2500, 'EUR', 0, now(), now())`
		attempt = `INSERT INTO attempt (event_id, id, order_id, provider, phase, want, card_token, amount, currency, authorized, captured, created_at, next_at) VALUES (1, gen_random_uuid(), '%[1]s', 'fakepay', 'answered', 'keep', '', 2500, 'EUR', 2500, 2500, now(), now())`
		sold    = `UPDATE hold_line SET state = 2 WHERE hold_id = '%[2]s'`
		refund  = `INSERT INTO refund (event_id, id, order_id, attempt_id, amount, currency, state, reason, created_at, next_at, lines, asked_by, free_limit) SELECT 1, gen_random_uuid(), '%[1]s', id, 2000, 'EUR', 'done', 'refunded_by_staff', now(), now(), '{1}', 'ann', 1000 FROM attempt`
		presale = `WITH p AS (INSERT INTO presale VALUES (1, 1, 'Fans', now(), NULL)), c AS (INSERT INTO presale_code VALUES (1, 'x', 1, 5, 1)) INSERT INTO presale_grant VALUES (1, 1, 1, 'x', now())`
		journal = `INSERT INTO journal (event_id, id, kind, order_id, at) VALUES (1, 'j', 'k', '%[1]s', now())`
	)
	for name, c := range map[string]struct {
		invariant, rule string
		sql             []string
	}{
		"sold twice":       {"B1", "a seat is sold once", []string{sold, `INSERT INTO hold_line SELECT event_id, gen_random_uuid(), line, counter_id, seat_id, hold_version, account_id, qty, price, state, held_until FROM hold_line WHERE state = 2`}},
		"seat without":     {"B1", "a sold line has its seat", []string{sold}},
		"line without":     {"B1", "a sold line has its seat", []string{`UPDATE seat SET state = 'sold' WHERE seat_id = 1`}},
		"stolen seat":      {"B1", "a live hold has its seats", []string{`UPDATE seat SET hold_version = 9 WHERE seat_id = 1`}},
		"too many":         {"B1", "places sold and held fit", []string{`UPDATE hold_line SET qty = 50 WHERE counter_id = 1`}},
		"old ticket":       {"B2", "a ticket carries", []string{order, sold, `INSERT INTO ticket (event_id, id, order_id, line, unit, seat_id, hold_version, account_id, issued_at) VALUES (1, gen_random_uuid(), '%[1]s', 1, 1, 1, 0, 1, now())`}},
		"counter drifts":   {"B4", "counters are the sums", []string{`UPDATE counter SET held = held + 1`}},
		"account drifts":   {"B4", "an account's sold places", []string{`UPDATE account_event SET sold = 1`}},
		"over the limit":   {"B6", "no account is over", []string{`UPDATE event SET max_per_account = 1`}},
		"places drift":     {"B4", "a hold has as many places", []string{`UPDATE hold SET places = places + 1`}},
		"code drifts":      {"B6", "a presale code has let in", []string{presale, `UPDATE presale_code SET used = 2`}},
		"through a gap":    {"B6", "nobody came into a presale", []string{presale, `UPDATE presale_grant SET code_hash = 'y'`}},
		"unbalanced":       {"L1", "a journal sums to zero", []string{journal, `ALTER TABLE posting DISABLE TRIGGER posting_balances`, `INSERT INTO posting VALUES (1, 'j', 1, 'revenue', 1, 'EUR')`}},
		"receivable":       {"L2", "receivable is", []string{order}},
		"clearing":         {"L2", "clearing, disputes", []string{order, attempt}},
		"charged twice":    {"P1", "one attempt of an order", []string{order, attempt, attempt}},
		"no place":         {"P3", "a confirmed order has every line sold", []string{order}},
		"no ticket":        {"P3", "a sold line has an order", []string{order, sold}},
		"money for none":   {"P3", "money that is kept", []string{order, attempt}},
		"not in the books": {"L5", "the journals of an order", []string{order}},
		"sale for nobody":  {"L5", "the journals of an order", []string{order, journal, `INSERT INTO posting VALUES (1, 'j', 1, 'receivable:fakepay', 2500, 'EUR'), (1, 'j', 2, 'payable:x', -2500, 'EUR')`}},
		"too much back":    {"P6", "refunds of a payment", []string{order, attempt, refund, refund}},
		"alone over limit": {"P6", "what staff give back", []string{order, attempt, refund}},
		"given and sold":   {"P3", "a line that was given back", []string{order, attempt, refund, sold}},
		"debt from nobody": {"P3", "nothing is owed", []string{journal, `INSERT INTO posting VALUES (1, 'j', 1, 'refunds_due', -5, 'EUR'), (1, 'j', 2, 'revenue', 5, 'EUR')`}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newSale(t, saleSpec{seats: 3, counters: []counterSpec{{"Standing", 10, 0}}})
			x.spare = map[string]bool{"B1": true, "B2": true, "B4": true, "B6": true, "L1": true, "L2": true, "L5": true, "P1": true, "P3": true, "P6": true}
			r := seats(1)
			r.Places = places(1, 1).Places
			v := x.mustHold(1, r)
			if found, err := CheckInvariants(t.Context(), x.db.Pool); err != nil || len(found) != 0 {
				t.Fatalf("before: %v, %v", found, err)
			}
			for _, sql := range c.sql {
				if strings.Contains(sql, "%") {
					sql = fmt.Sprintf(sql+" /* %[1]s %[2]s */", orderIDOf(t), v.ID)
				}
				x.db.Owner(t, sql)
			}
			found, err := CheckInvariants(t.Context(), x.db.Pool)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if f.Invariant == c.invariant && strings.HasPrefix(f.Rule, c.rule) {
					return
				}
			}
			t.Errorf("not found; found: %v", found)
		})
	}
}

// orderIDOf is one order id per test.
func orderIDOf(t *testing.T) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(t.Name())) }

// The auditor's step says its findings in a metric, and takes them back when they
// are gone.
func TestTheAuditorCounts(t *testing.T) {
	x := newSale(t, saleSpec{seats: 3, counters: []counterSpec{{"Standing", 10, 0}}})
	metrics := prometheus.NewRegistry()
	e, err := New(Config{}, x.db.DB, Deps{Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change string
		want   float64
	}{{`SELECT`, 0}, {`UPDATE counter SET held = 1`, 1}, {`UPDATE counter SET held = 0`, 0}} {
		x.db.Owner(t, c.change)
		if _, err := e.audit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := gaugeValue(t, metrics, "ropeline_booking_audit_findings", "B4"); got != c.want {
			t.Errorf("after %s: %v", c.change, got)
		}
	}
	if at := gaugeValue(t, metrics, "ropeline_booking_audit_timestamp_seconds", ""); at == 0 {
		t.Error("no time of the last audit")
	}
}

// gaugeValue reads a metric as a scrape would see it.
func gaugeValue(t *testing.T, from prometheus.Gatherer, name, label string) float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("no metric %s %s", name, label)
	return 0
}
