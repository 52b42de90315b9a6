package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// AH4: the client is who the nearest proxy of ours says it is, read from the right.
func TestClientAddress(t *testing.T) {
	p := proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"a stranger who lies", "203.0.113.9:1", []string{"1.2.3.4"}, "203.0.113.9"},
		{"through our proxy", "10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"through our proxy, lying", "10.0.0.1:1", []string{"1.2.3.4, 203.0.113.9"}, "203.0.113.9"},
		{"through two of ours", "10.0.0.1:1", []string{"1.2.3.4, 203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		{"lying with our address", "10.0.0.1:1", []string{"1.2.3.4, 10.9.9.9, 203.0.113.9"}, "203.0.113.9"},
		{"several header lines", "10.0.0.1:1", []string{"1.2.3.4", "203.0.113.9"}, "203.0.113.9"},
		{"our proxy says nothing", "10.0.0.1:1", nil, "10.0.0.1"},
		{"our proxy says nonsense", "10.0.0.1:1", []string{"unknown"}, "10.0.0.1"},
		{"four-in-six", "[::ffff:10.0.0.1]:1", []string{"2001:db8::7"}, "2001:db8::7"},
		{"six", "[::1]:1", []string{"203.0.113.9"}, "203.0.113.9"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.peer
		r.Header["X-Forwarded-For"] = c.forwarded
		for _, lie := range []string{"X-Real-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Forwarded"} {
			r.Header.Set(lie, "6.6.6.6")
		}
		if got := p.client(r).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestHTTPSOnlyWhenAProxyOfOursSaysSo(t *testing.T) {
	p := proxies{netip.MustParsePrefix("10.0.0.0/8")}
	for peer, want := range map[string]bool{"10.0.0.1:1": true, "203.0.113.9:1": false} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = peer
		r.Header.Set("X-Forwarded-Proto", "https")
		if got := p.https(r); got != want {
			t.Errorf("from %s: %t, want %t", peer, got, want)
		}
	}
}

// The access log says what happened and keeps secrets; a stranger cannot write
// lines of his own into it (AH38).
func TestAccessLog(t *testing.T) {
	s := open(t)
	ada := s.buyer("ada@example.com")
	ada.do("GET", "/v1/orders", nil, "X-Request-Id", "mine", "Cookie", accountCookie+"="+ada.token).want(http.StatusOK, "")
	ada.do("POST", "/v1/orders/1-x/payments", map[string]string{"card_token": "tok_secret"}).want(http.StatusNotFound, "")
	s.do("GET", "/checkout/x?card_token=tok_secret", nil)
	s.do("GET", "/a%0d%0a%1b[31m%E2%80%A8"+strings.Repeat("z", 4000), nil, "User-Agent", "evil\tagent")
	for _, secret := range []string{ada.token, ada.pass, "tok_secret", "\x1b", "evil"} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log contains %.40q", secret)
		}
	}
	var requests int
	for line := range bytes.Lines(s.log.Bytes()) {
		var e struct {
			Msg, Route, Path, Client string
			RequestID                string `json:"request_id"`
			Status                   int
			Account                  int64
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("not one JSON object a line: %v\n%s", err, line)
		}
		if e.Msg != "request" {
			continue
		}
		requests++
		if e.RequestID == "mine" || len(e.RequestID) != 16 || e.Client != "127.0.0.1" || len(e.Path) > maxLogged || e.Status == 0 {
			t.Errorf("line %s", line)
		}
		if e.Route == "listOrders" && e.Account == 0 {
			t.Errorf("no account: %s", line)
		}
	}
	if requests < 5 {
		t.Errorf("%d requests logged", requests)
	}
}

// Payments that are off by decision are one line when they are switched, none of an error
// for each buyer who tries.
func TestPaymentsOffAreNoErrors(t *testing.T) {
	s := open(t)
	ada := s.buyer("ada@example.com")
	_, order := ada.order(1)
	if err := s.sells.SwitchPayments(t.Context(), "fakepay", false, "ann", "a drill"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ada.do("POST", "/v1/orders/"+order.str("id")+"/payments", map[string]string{"card_token": "tok_ok"}).want(http.StatusServiceUnavailable, "payments_off")
	}
	if log := s.log.String(); strings.Contains(log, `"level":"ERROR"`) || strings.Count(log, `"code":"payments_off"`) != 2 {
		t.Errorf("want no error, and the code in each request's own line:\n%s", log)
	}
}

func TestMetricsCountByRouteOfOurs(t *testing.T) {
	registry := prometheus.NewRegistry()
	s := open(t, func(o *Options) { o.Metrics = registry })
	ada := s.buyer("ada@example.com")
	for range 3 {
		ada.do("GET", "/v1/orders/1-nope", nil)
	}
	s.do("GET", "/v1/stranger/chose/this", nil)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]float64{} // name and label values, in the order of the labels' names
	for _, f := range families {
		for _, m := range f.GetMetric() {
			key := f.GetName()
			for _, l := range m.GetLabel() {
				key += " " + l.GetValue()
			}
			counted[key] = m.GetCounter().GetValue()
			if strings.Contains(key, "stranger") {
				t.Errorf("%s: a label that a stranger chose", key)
			}
		}
	}
	for key, want := range map[string]float64{
		"ropeline_api_requests_total getOrder 404": 3, "ropeline_api_refusals_total not_found getOrder": 3, "ropeline_api_requests_total unknown 404": 1,
	} {
		if counted[key] != want {
			t.Errorf("%s: %v, want %v", key, counted[key], want)
		}
	}
}

// A mistake of ours is answered as one, and logged with its place.
func TestPanicIsAnswered(t *testing.T) {
	s := open(t)
	var log bytes.Buffer
	a := &API{log: slog.New(slog.NewJSONHandler(&log, nil)), metrics: s.api.metrics}
	w := httptest.NewRecorder()
	a.observe(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a mistake") })).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"code":"internal"`) || strings.Contains(w.Body.String(), "mistake") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "a mistake") || !strings.Contains(log.String(), "observe_test.go") {
		t.Errorf("log: %s", log.String())
	}
}
