package api

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Under pressure extras go first, then searches that would be asked of the database; buying never.
func TestWhatIsLeftOutUnderPressure(t *testing.T) {
	s := open(t)
	ada := s.buyer("ada@example.com")
	level := func(n int) {
		s.api.pressure.mu.Lock()
		defer s.api.pressure.mu.Unlock()
		s.api.pressure.level, s.api.pressure.next = n, time.Now().Add(time.Hour)
	}
	search, list := "/v1/events?q=gig", "/v1/events"
	s.do("GET", search, nil).want(http.StatusOK, "")

	level(pressed)
	r := ada.do("GET", "/v1/events/gig/seats/stream", nil).want(http.StatusServiceUnavailable, "extras_paused")
	if r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.do("GET", "/v1/events?q=new", nil).want(http.StatusOK, "")

	level(crushed)
	time.Sleep(1100 * time.Millisecond) // an answer lives a second: now it is one that has ended
	if r := s.do("GET", search, nil).want(http.StatusOK, ""); !strings.Contains(string(r.body), `"gig"`) {
		t.Errorf("what is in memory: %s", r.body)
	}
	if r := s.do("GET", "/v1/events?q=newer", nil).want(http.StatusServiceUnavailable, "search_paused"); r.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.do("GET", list, nil).want(http.StatusOK, "")
	s.do("GET", "/v1/events/gig", nil).want(http.StatusOK, "")
	s.do("GET", "/v1/events/gig/seats", nil).want(http.StatusOK, "")
	for path, c := range map[string]struct {
		status int
		says   string
	}{"/?q=gig": {200, "Gig"}, "/?q=newest": {503, "Searching is paused"}, "/": {200, "Gig"}, "/events/gig": {200, "Gig"}} {
		if r := s.do("GET", path, nil); r.status != c.status || !strings.Contains(string(r.body), c.says) {
			t.Errorf("page %s: %d, want %d and %q", path, r.status, c.status, c.says)
		}
	}
	_, order := ada.order(1)
	ada.do("POST", "/v1/orders/"+order.str("id")+"/payments", map[string]string{"card_token": "tok_ok"}).want(http.StatusAccepted, "")
	if st := ada.settled(order.str("id")).str("state"); st != "captured" {
		t.Errorf("the order is %s", st)
	}
	s.sound()
}

func TestPressureRisesAtOnceAndFallsLater(t *testing.T) {
	var p pressure
	now := time.Unix(1_800_000_000, 0)
	for i, c := range []struct {
		after  time.Duration
		used   float64
		wait   time.Duration
		queued int
		want   int
	}{
		{0, 0.5, 0, 0, calm}, {1, 0.75, 0, 0, pressed}, {1, 0.85, 0, 0, crushed}, {1, 0.2, 0, 0, crushed}, {3, 0.72, 0, 0, crushed},
		{2, 0.72, 0, 0, pressed}, {4, 0, 0, 0, pressed}, {2, 0, 0, 0, calm}, {1, 0, time.Second, 0, crushed}, {6, 0, 0, 0, calm}, {1, 0, 0, 1, crushed},
	} {
		now = now.Add(c.after * time.Second)
		if got := p.step(c.used, c.wait, c.queued, now); got != c.want {
			t.Errorf("step %d, %+v: level %d", i, c, got)
		}
	}
}
