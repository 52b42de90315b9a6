package api

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ropeline/ropeline/admission/telemetry"
)

// tell asks for the telemetry as an edge on this machine.
func tell(t *testing.T, h http.Handler) *telemetry.Answer {
	t.Helper()
	r := httptest.NewRequest("GET", "/telemetry", nil)
	r.RemoteAddr = "127.0.0.1:50000"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	a, err := telemetry.Decode(w.Body)
	if w.Code != http.StatusOK || err != nil {
		t.Fatalf("%d, %v", w.Code, err)
	}
	return a
}

// A sale is told as it went: what was done by its kind, what is left, and counters that only grow.
func TestTelemetryTellsOfASale(t *testing.T) {
	s := open(t)
	tells := s.api.Telemetry("one", nil)
	before := tell(t, tells)
	if before.Stock == nil || before.Stock.Available != 15 || before.Stock.Total != 15 {
		t.Errorf("stock at first: %+v", before.Stock)
	}
	last := before
	grown := func() *telemetry.Answer {
		t.Helper()
		now := tell(t, tells)
		for name, r := range now.Resources {
			old := last.Resources[name]
			if r.BusySeconds < old.BusySeconds || r.Capacity <= 0 {
				t.Errorf("%s went from %+v to %+v", name, old, r)
			}
			for kind, n := range r.Completed {
				if n < old.Completed[kind] {
					t.Errorf("%s, %s went from %g to %g", name, kind, old.Completed[kind], n)
				}
			}
		}
		if now.Instance != "one" || !now.StartedAt.Equal(before.StartedAt) || now.At.Before(last.At) {
			t.Errorf("head %s %s %s", now.Instance, now.StartedAt, now.At)
		}
		last = now
		return now
	}
	ada := s.buyer("ada@example.com")
	ada.do("GET", "/v1/events/gig", nil).want(http.StatusOK, "")
	_, order := ada.order(1, 2)
	ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}).want(http.StatusConflict, "") // a refusal by the rules is work, too
	grown()
	ada.do("POST", "/v1/orders/"+order.str("id")+"/payments", map[string]string{"card_token": "tok_ok"}).want(http.StatusAccepted, "")
	ada.settled(order.str("id"))
	s.do("GET", "/v1/events/gig", nil)                                                                                                // without a pass: nobody the edge let in
	s.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}, "Ropeline-Pass", "forged").want(http.StatusForbidden, "") // no work
	now := grown()
	db, pay := now.Resources["db"], now.Resources["payment"]
	if c := db.Completed; c["hold"] != 2 || c["pay"] != 1 || c["confirm"] != 1 || c["page"] < 2 || c["other"] < 1 {
		t.Errorf("completed %v", c)
	}
	if now.Resources["lanes"].BusySeconds <= 0 || db.BusySeconds <= before.Resources["db"].BusySeconds {
		t.Error("a sale kept no connection busy")
	}
	if pay.Completed["pay"] != 1 || pay.BusySeconds <= 0 || now.PaymentLatency == nil || *now.PaymentLatency <= 0 {
		t.Errorf("payment %+v, latency %v", pay, now.PaymentLatency)
	}

	restarted := tell(t, s.api.Telemetry("two", nil))
	if restarted.Instance == before.Instance || !restarted.StartedAt.After(before.StartedAt) {
		t.Errorf("a restart goes on as %s since %s", restarted.Instance, restarted.StartedAt)
	}
}

// It tells how a sale goes: only edges hear it.
func TestTelemetryIsForEdges(t *testing.T) {
	s := open(t)
	two := []string{"a-secret-of-32-characters-or-more", "the-one-before-it-until-all-know-it"}
	for _, c := range []struct {
		peer, secret string
		secrets      []string
		want         int
	}{
		{"127.0.0.1:1", "", nil, 200}, {"[::1]:1", "", two, 200}, {"[::ffff:127.0.0.1]:1", "", nil, 200},
		{"10.0.0.7:1", "", nil, 403}, {"10.0.0.7:1", "Bearer ", nil, 403}, {"10.0.0.7:1", "", two, 403}, {"10.0.0.7:1", "Bearer another-secret-of-32-characters", two, 403},
		{"10.0.0.7:1", two[0], two, 403}, {"10.0.0.7:1", "Bearer " + two[0], two, 200}, {"10.0.0.7:1", "Bearer " + two[1], two, 200}, {"nonsense", "", nil, 403},
	} {
		r := httptest.NewRequest("GET", "/telemetry", nil)
		r.RemoteAddr = c.peer
		if c.secret != "" {
			r.Header.Set("Authorization", c.secret)
		}
		w := httptest.NewRecorder()
		s.api.Telemetry("one", c.secrets).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
	if r := s.do("GET", "/telemetry", nil); r.status == http.StatusOK {
		t.Error("the public listener tells it")
	}
}
