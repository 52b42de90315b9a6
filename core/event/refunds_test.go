package event

import (
	"strings"
	"testing"

	"github.com/ropeline/ropeline/core/event/eventfile"
	"github.com/ropeline/ropeline/core/pgtest"
)

func refundable(refunds string) string {
	return `{"events": [{"slug": "trip", "organiser": "Org", "title": "Trip", "place": "Bonn", "starts_at": "2127-06-12T20:00",
		"time_zone": "Europe/Berlin", "currency": "EUR", ` + refunds + `"prices": [{"class": "A", "amount": 4500}],
		"counters": [{"name": "Bus", "class": "A", "capacity": 6}]}]}`
}

func TestARefundPolicyIsImported(t *testing.T) {
	db := pgtest.New(t)
	policy := func() (s string) {
		t.Helper()
		if err := db.Pool.QueryRow(t.Context(), `SELECT coalesce((SELECT approval_over::text FROM refund_policy), 'none') || coalesce(
			(SELECT string_agg(format(' %s/%s/%s', hours_before, fee_bp, fee_per_place), '' ORDER BY hours_before) FROM refund_tier), '')`).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	const tiered = `"refunds": {"approval_over": 9000, "tiers": [{"hours_before": 24, "fee_bp": 5000}, {"hours_before": 720, "fee_per_place": 150}]}, `
	for i, step := range []struct{ refunds, did, want string }{
		{"", "created", "none"},
		{tiered, "updated", "9000 24/5000/0 720/0/150"},
		{tiered, "unchanged", "9000 24/5000/0 720/0/150"},
		{"", "unchanged", "9000 24/5000/0 720/0/150"}, // a file that does not say it leaves it alone
		{`"refunds": {"tiers": [{"hours_before": 48}]}, `, "updated", "50000 48/0/0"},
	} {
		changes := mustImport(t, db.DB, refundable(step.refunds))
		if got := policy(); got != step.want || string(changes[0].Did) != step.did {
			t.Errorf("step %d: %s %v, want %s %s", i+1, got, changes, step.want, step.did)
		}
	}
}

func TestABadRefundPolicyIsNamed(t *testing.T) {
	for refunds, want := range map[string]string{
		`"refunds": {"tiers": [{"fee_bp": 100}]}, `:                          "events[0].refunds.tiers[0].hours_before: is missing",
		`"refunds": {"tiers": [{"hours_before": 1}, {"hours_before": 1}]}, `: "events[0].refunds.tiers[1].hours_before",
		`"refunds": {"tiers": [{"hours_before": 1, "fee_bp": 10001}]}, `:     "events[0].refunds.tiers[0].fee_bp",
		`"refunds": {"aproval_over": 1}, `:                                   "did you mean \"approval_over\"",
		`"refunds": {"tiers": [{"hours_before": 1, "fee_per_place": -1}]}, `: "fee_per_place",
		`"refunds": [], `: "events[0].refunds",
	} {
		if _, err := eventfile.Parse([]byte(refundable(refunds))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", refunds, err, want)
		}
	}
}
