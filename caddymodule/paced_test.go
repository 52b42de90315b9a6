package caddymodule

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace/lead"
	pacereport "github.com/ropeline/ropeline/admission/pace/report"
)

// paceDoc asks the admin API as the console does.
func (e *edge) paceDoc() *pacereport.Document {
	e.t.Helper()
	w := httptest.NewRecorder()
	if err := serveAdmin(w, httptest.NewRequest(http.MethodGet, "/ropeline/rooms/main/pace", nil)); err != nil {
		if apiStatus(err) == http.StatusServiceUnavailable {
			return &pacereport.Document{}
		}
		e.t.Fatal(err)
	}
	var d pacereport.Document
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		e.t.Fatalf("%v: %s", err, w.Body)
	}
	return &d
}

// A room that is told nothing but `pace auto` decides by itself from what it proxies, lets people in by that, and says why.
func TestPaceAuto(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("pace auto {", "safe_rate 20/s", "kind hold POST /buy/*", "}"), store)
		e.until("decided", func() bool { return e.snapshot().Paced })
		if got := e.snapshot().Settings; got.Rate.PerSecond() > 20 || got.Rate.PerSecond() < 19 || got.Cap != line.MaxCap {
			t.Errorf("the room begins with rate %s and cap %d", got.Rate, got.Cap)
		}
		for range 4 {
			v := e.visitor()
			v.enter("/")
			v.navigate("/seats").want(t, http.StatusOK)
			v.do("POST", "/buy/7", "Sec-Fetch-Site", "same-origin").want(t, http.StatusOK)
		}
		var doc *pacereport.Document
		e.until("counted", func() bool {
			doc = e.paceDoc()
			inside := 0.0
			for _, n := range doc.Pipeline.Ages {
				inside += n
			}
			return inside >= 3.9 && doc.Quality.Requests >= 0.8
		})
		if doc.Mode != "auto" || !doc.Applied || doc.Limits["confidence"] < 20 || doc.Rate < 19 || doc.Rate > 40 || doc.Pipeline.Pending > 4 {
			t.Errorf("decided %+v", doc)
		}
		if doc.Leader.Edge == "" || len(doc.Edges) != 1 || doc.Resources[0].Name != "origin" || len(doc.Resources[0].Load) != 60 {
			t.Errorf("leader %+v, edges %+v, resources %+v", doc.Leader, doc.Edges, doc.Resources)
		}
		e.until("explained", func() bool {
			text, err := e.operate(operator{}, func(o *operator) error { return o.explain([]string{"main"}) })
			if err != nil {
				t.Fatal(err)
			}
			return strings.Contains(text, "people a second: the rate rises") && strings.Contains(text, "confidence")
		})

		ch := make(chan prometheus.Metric, 100)
		collectPace("main", e.room().paced.Document(), ch)
		if close(ch); len(ch) < 5 {
			t.Errorf("%d metrics", len(ch))
		}

		// The rate by hand is a pin with an author, a reason and an end; the limits go on being computed beside it.
		e.admin("rate", `{"rate":"3/s","who":"ops","why":"a look"}`)
		e.until("pinned", func() bool { doc = e.paceDoc(); return doc.Mode == "pin" && doc.Rate == 3 && doc.InForce < 3.01 })
		if o := doc.Override; o == nil || o.Who != "ops" || o.Why != "a look" || o.Until.Sub(doc.Now) < 14*60e9 || o.Until.Sub(doc.Now) > 16*60e9 {
			t.Errorf("override %+v", doc.Override)
		}
		e.admin("pause", `{"who":"ops","why":"the bank is down"}`)
		e.until("paused", func() bool {
			doc = e.paceDoc()
			return doc.Mode == "pause" && doc.Rate == 0 && strings.Contains(doc.Sentence, "the bank is down")
		})
		e.admin("resume", `{}`)
		if err := adminCall(http.MethodPost, "/ropeline/rooms/main/pace/override", `{"mode":"auto","who":"ops"}`); err != nil {
			t.Fatal(err)
		}
		e.until("automatic again", func() bool { doc = e.paceDoc(); return doc.Mode == "auto" && doc.Rate > 0 })
		if doc.Rate > 3*1.05*1.05*1.05*1.05 && doc.Reason != "confidence" {
			t.Errorf("the return from the pin is a leap to %v by %s", doc.Rate, doc.Reason)
		}
	})
}

// In shadow everything is computed and told, and the rate that was set holds.
func TestPaceShadow(t *testing.T) {
	e := newEdge(t, roomWith("rate 40/s", "pace shadow"), "")
	var doc *pacereport.Document
	e.until("computed", func() bool { doc = e.paceDoc(); return doc.Mode == "shadow" })
	if doc.Applied || doc.InForce != 40 || doc.Rate == 40 || e.snapshot().Paced {
		t.Errorf("in shadow: %+v", doc)
	}
	text, err := e.operate(operator{}, func(o *operator) error { return o.status("main") })
	if err != nil || !strings.Contains(text, "shadow, not applied") || !strings.Contains(text, "people a second: ") || !strings.Contains(text, "40/s") {
		t.Errorf("the status says %v:\n%s", err, text)
	}
	if s := e.snapshot(); s.Settings.Rate.PerSecond() != 40 || s.Settings.Cap != line.DefaultCap {
		t.Errorf("rate %s, cap %d", s.Settings.Rate, s.Settings.Cap)
	}
}

// Without pace nothing is measured and nothing changes; a reload switches it on and off again with the rate that was set.
func TestPaceByReload(t *testing.T) {
	e := newEdge(t, roomWith("rate 7/s"), "")
	if d := e.paceDoc(); d.Mode != "off" || d.Rate != 7 {
		t.Errorf("without pace: %+v", d)
	}
	if err := e.load(roomWith("rate 7/s", "pace auto")); err != nil {
		t.Fatal(err)
	}
	e.until("paced", func() bool { return e.snapshot().Paced })
	if r := e.snapshot().Settings.Rate.PerSecond(); r > 1 {
		t.Errorf("a room whose rate was 7/s begins with %v/s", r)
	}
	if err := e.load(roomWith("rate 7/s")); err != nil {
		t.Fatal(err)
	}
	e.until("fixed again", func() bool { s := e.snapshot(); return !s.Paced && s.Settings.Rate.PerSecond() == 7 })
}

func TestPaceOptions(t *testing.T) {
	for options, names := range map[string]string{
		"pace":                                                   "needs a mode",
		"pace fast":                                              "write auto, shadow or off",
		"pace shadow":                                            "rate is missing",
		"pace auto {\nspeed 3\n}":                                `unknown option "speed"`,
		"pace auto {\np99 0s\n}":                                 "not a duration",
		"pace auto {\nerrors 200%\n}":                            "write a share",
		"pace auto {\nfloor fast\n}":                             "floor: rate",
		"pace auto {\nstock on\n}":                               "stock needs telemetry",
		"pace auto {\npreset shop\n}":                            "bookingd",
		"pace auto {\nkind buy /x\n}":                            "write page, hold, pay or other",
		"pace auto {\nkind hold x\n}":                            "[method] /path",
		"pace auto {\ntelemetry x\n}":                            "write an address",
		"pace auto {\nresource db {\ncost walk 1\n}\n}":          "the kinds are",
		"pace auto {\nresource db {\nwork 0\n}\n}":               "work",
		"pace auto {\nfloor 9/s\nceiling 3/s\n}":                 "above ceiling",
		"pace auto {\nresource a {\n}\nresource a {\n}\n}":       "taken",
		"rate 3/s\npace auto {\ntelemetry_secret /nowhere\n}":    "telemetry_secret needs telemetry",
		"pace auto\npace auto":                                   "twice",
		"rate 3/s\npace auto {\nsafe_rate 1/s\nsafe_rate 2/s\n}": "twice",
	} {
		if _, err := adapt("http:// {\n" + roomWith(options) + "\n}"); err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("%q: %v, want it to say %q", options, err, names)
		}
	}
}

func TestSorter(t *testing.T) {
	s, err := sorterOf(&PaceConfig{Preset: presetBooking, Kinds: []PaceKind{{"other", "/static/*"}, {"pay", "* /pay"}, {"other", "GET /v1/orders/*"}}})
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		"POST /v1/events/e1/holds": "hold", "POST /v1/events/e1/holds/h1/extend": "page", "GET /v1/events/e1/holds": "page", "POST /v1/orders/o/payments": "pay",
		"GET /static/a/b.css": "other", "GET /static": "page", "GET /static/": "other", "PUT /pay": "pay", "GET /pay/": "page", "GET /v1/orders/o/x": "other", "GET /": "page", "OPTIONS *": "page",
	} {
		method, path, _ := strings.Cut(request, " ")
		if got := s.kind(method, path); got != kindOf(want) {
			t.Errorf("%s is kind %d, want %s", request, got, want)
		}
	}
	if (*sorter)(nil).kind("GET", "/") != kindOf("page") {
		t.Error("without kinds everything is a page")
	}
}

var _ line.Pacer = (*lead.Pacer)(nil)
