package caddymodule

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	pacereport "github.com/ropeline/ropeline/admission/pace/report"
	"github.com/ropeline/ropeline/admission/telemetry"
)

// teller is an origin that tells of itself what it is set to.
type teller struct {
	mu     sync.Mutex
	busy   float64
	stock  telemetry.Stock
	secret string
	silent bool
}

func (o *teller) set(f func(*teller)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f(o)
}

func (o *teller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.silent || r.Header.Get("Authorization") != "Bearer "+o.secret {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	o.busy += 2
	stock := o.stock
	_ = json.NewEncoder(w).Encode(telemetry.Answer{Instance: "shop", StartedAt: time.Unix(1, 0), At: time.Now(), Stock: &stock,
		Resources: map[string]telemetry.Resource{"db": {BusySeconds: o.busy, Capacity: 20, Completed: map[string]float64{"page": 10 * o.busy}}}})
}

// What the origin tells sets the limits and is told on: last seats, all in baskets, sold out and back on sale, on the page and
// in the status document. Nothing is called sold out while a basket holds it, nor when the origin has fallen silent.
func TestPaceTelemetry(t *testing.T) {
	shop := &teller{secret: "of-the-origin-and-the-edge", stock: telemetry.Stock{Available: 5000, Total: 5000}}
	srv := httptest.NewServer(shop)
	defer srv.Close()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(shop.secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := newEdge(t, roomWith("pace auto {", "safe_rate 1/10s", "telemetry "+srv.URL, "telemetry_secret "+secret, "}"), "")
	var doc *pacereport.Document
	e.until("measured", func() bool {
		doc = e.paceDoc()
		return len(doc.Resources) == 1 && doc.Resources[0].Capacity == 20 && doc.Limits["db"] > 0
	})
	for _, s := range doc.Signals {
		if s.State != pacereport.SignalFresh && s.Name != "lock_wait" {
			t.Errorf("signal %+v", s)
		}
	}
	if doc.Blind || doc.Stock == nil || doc.Stock.Total != 5000 {
		t.Errorf("%+v", doc)
	}
	v := e.visitor()
	page := v.navigate("/")                                                         // one who is far from the front: the safe rate lets somebody in every ten seconds
	shown := func(body string) string { return body[:strings.Index(body, "<hr>")] } // behind it are all texts, for the script
	if strings.Contains(shown(page.body), "Seats left") {
		t.Error("the page speaks of what is plenty")
	}
	stockSays := func() (s struct{ Stock *stockDoc }) {
		_ = json.Unmarshal([]byte(v.do("GET", reservedPrefix+"main/status").body), &s)
		return s
	}
	for _, c := range []struct {
		stock telemetry.Stock
		state string
		says  string
	}{
		{telemetry.Stock{Held: 40, Sold: 4960, Total: 5000, Expiring: append(make([]int64, 50), 40)}, "all_held", "baskets"},
		{telemetry.Stock{Sold: 5000, Total: 5000}, "sold_out", "Everything has been sold"},
		{telemetry.Stock{Available: 3, Sold: 4997, Total: 5000}, "last_seats", "Seats left: about 3."},
	} {
		shop.set(func(o *teller) { o.stock = c.stock })
		e.until("told as "+c.state, func() bool { s := stockSays(); return s.Stock != nil && s.Stock.State == c.state })
		if s := stockSays(); c.state == "all_held" && s.Stock.BackAt <= time.Now().UnixMilli() {
			t.Errorf("the next return is told as %+v", s.Stock)
		}
		if c.state != "last_seats" {
			e.until("closed by the stock", func() bool { doc = e.paceDoc(); return doc.Reason == "inventory" && doc.Rate == 0 && doc.InForce == 0 })
		}
		e.until("on the page", func() bool {
			w := e.visitor() // each newcomer stands behind the others
			return strings.Contains(shown(w.navigate("/").body), c.says)
		})
	}
	shop.set(func(o *teller) { o.stock = telemetry.Stock{Sold: 5000, Total: 5000} })
	e.until("sold out", func() bool { s := stockSays(); return s.Stock != nil && s.Stock.State == "sold_out" })
	shop.set(func(o *teller) { o.silent = true })
	e.until("not said any more", func() bool { return stockSays().Stock == nil })
	if body := e.visitor().navigate("/").body; strings.Contains(shown(body), "Everything has been sold") {
		t.Error("sold out is said of an origin that has fallen silent")
	}
	e.until("said to be silent", func() bool {
		for _, s := range e.paceDoc().Signals {
			if strings.HasPrefix(s.Name, "telemetry ") && strings.Contains(s.Detail, "403") {
				return true
			}
		}
		return false
	})
}
