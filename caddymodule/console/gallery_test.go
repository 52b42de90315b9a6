package console

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/admission/pace/report"
	"github.com/ropeline/ropeline/deploy/axe"
	"github.com/ropeline/ropeline/deploy/chromium"
)

// desk is an admin listener with rooms in chosen states, which keeps what it is told.
type desk struct {
	*httptest.Server
	mu     sync.Mutex
	rooms  []string
	docs   map[string]*report.Document
	orders []string // query and body
	refuse string
	gone   bool
}

func open(t *testing.T, docs ...*report.Document) *desk {
	t.Helper()
	d := &desk{docs: map[string]*report.Document{}}
	for _, doc := range docs {
		d.rooms, d.docs[doc.Room] = append(d.rooms, doc.Room), doc
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/ropeline/console", ServeHTTP)
	mux.HandleFunc("GET /ropeline/rooms", func(w http.ResponseWriter, _ *http.Request) {
		d.answer(w, func() any {
			list := []map[string]string{}
			for _, r := range d.rooms {
				list = append(list, map[string]string{"room": r})
			}
			return list
		})
	})
	mux.HandleFunc("GET /ropeline/rooms/{room}/pace", func(w http.ResponseWriter, r *http.Request) {
		d.answer(w, func() any { return d.docs[r.PathValue("room")] })
	})
	mux.HandleFunc("POST /ropeline/rooms/{room}/pace/override", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d.answer(w, func() any { return d.take(r, body) })
	})
	d.Server = httptest.NewServer(mux)
	t.Cleanup(d.Close)
	return d
}

func (d *desk) answer(w http.ResponseWriter, with func() any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":"the store is away"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(with())
}

// take is what an edge does with an order, as far as the page can see.
func (d *desk) take(r *http.Request, body []byte) any {
	d.orders = append(d.orders, r.URL.RawQuery+" "+string(body))
	var o report.Order
	_ = json.Unmarshal(body, &o)
	doc := d.docs[r.PathValue("room")]
	if r.URL.Query().Get("preview") != "" {
		return report.Preview{Order: o, Rate: doc.Rate, NewRate: o.Rate, Follows: 150, Peak: map[string]float64{"db": o.Rate / 10, "payment": 0.4},
			Sentence: "The rate would be pinned.", Until: "2026-06-01T19:45:00Z", Refused: d.refuse}
	}
	doc.Mode, doc.Override = o.Mode, nil
	if o.Mode != report.Auto {
		doc.Override = &report.Override{Mode: o.Mode, Rate: o.Rate, Who: o.Who, Why: o.Why, Until: time.Now().Add(15 * time.Minute)}
	}
	return doc
}

func (d *desk) told() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.orders...)
}

func (d *desk) change(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// example is the document that package report keeps, under another name and changed.
func example(t *testing.T, room string, change func(*report.Document)) *report.Document {
	t.Helper()
	b, err := os.ReadFile("../../admission/pace/report/testdata/document.json")
	if err != nil {
		t.Fatal(err)
	}
	doc := &report.Document{}
	if err := json.Unmarshal(b, doc); err != nil {
		t.Fatal(err)
	}
	doc.Room = room
	if change != nil {
		change(doc)
	}
	return doc
}

func auto(d *report.Document) {
	d.Mode, d.Override, d.Reason, d.Rate, d.InForce, d.Release = report.Auto, nil, "db", 6.42, 6.42, 7.45
	d.Sentence = "6.42 people a second: db can do 76.1 units of work a second (83% busy now), the people inside will need up to 70.0 of it within 25 s"
	delete(d.Limits, "pin")
	for i := range d.History {
		d.History[i].Rate = 6.5 - 4*math.Exp(-float64(i)/20) + 0.2*math.Sin(float64(i)/6)
		switch {
		case i < 30:
			d.History[i].Reason = "slew"
		case i > 60 && i < 75:
			d.History[i].Reason, d.History[i].Rate = "payment", 2.1
		default:
			d.History[i].Reason = "db"
		}
	}
}

// states are the pictures, each by what it shows.
func states(t *testing.T) []*report.Document {
	none := func(d *report.Document) *report.Document { d.Stock = nil; return d }
	return []*report.Document{
		example(t, "calm", auto),
		example(t, "pinned", nil),
		example(t, "slow-payment", func(d *report.Document) {
			auto(d)
			rate := 1.12
			d.Reason, d.Rate, d.InForce, d.Release = "payment", rate, rate, 1.3
			d.Limits["payment"] = rate
			p := &d.Resources[1]
			p.Rate, p.Used, p.State, p.Cost = &rate, 0.97, report.SignalFresh, 12.1
			for i := range p.LoadAnyway {
				p.LoadAnyway[i] = *p.Work * (1 + 0.4*math.Exp(-float64(i-6)*float64(i-6)/40)) * 0.85
				p.Load[i] = p.LoadAnyway[i] + 0.5*float64(i)/60
			}
			d.Quality.Payment = 12.1
			d.Sentence = "1.12 people a second: payment can do 4.21 units of work a second (97% busy now), the people inside will need up to 4.90 of it within 35 s"
		}),
		none(example(t, "blind", func(d *report.Document) {
			auto(d)
			d.Blind, d.Resources = true, d.Resources[:1]
			r := &d.Resources[0]
			r.Name, r.Blind, r.State, r.Used, r.Capacity, r.Cost, r.Trim, r.Doubted = "site", true, report.SignalNever, 0, 0, 0, 0.9, true
			d.Reason, d.Limits = "site", map[string]float64{"site": 6.42, "ceiling": 60}
			d.Signals = d.Signals[:1]
		})),
		example(t, "stale", func(d *report.Document) {
			auto(d)
			d.Reason, d.Sentence = "stale", "3.10 people a second: the origin's telemetry has stopped, so its last known capacity is trusted less and less"
			d.Limits["stale"], d.Rate, d.InForce = 3.1, 3.1, 3.1
			for i := range d.Signals {
				if i > 0 {
					age := 47.5
					d.Signals[i].State, d.Signals[i].Age = report.SignalStale, &age
				}
			}
			d.Signals[3].Age, d.Signals[3].State = nil, report.SignalNever
			d.Quality.P99, d.Quality.P99Share = 1.4, 1.4
		}),
		example(t, "shadow", func(d *report.Document) {
			auto(d)
			d.Mode, d.Applied, d.InForce = report.Shadow, false, 20
		}),
		example(t, "gone", func(d *report.Document) {
			auto(d)
			d.Reason, d.Rate, d.InForce, d.Limits["inventory"] = "inventory", 0, 0, 0
			d.Sentence = "0.00 people a second: every seat is in somebody's basket; the next may return in 14 s"
			d.Stock.State, d.Stock.Available, d.Stock.Held, d.Stock.Sold = report.StockAllHeld, 0, 1400, 3600
		}),
		{Room: "fixed", Mode: report.Off, Configured: report.Off, InForce: 5, Rate: 5, Applied: true},
		{Room: "new", Mode: report.Auto, Configured: report.Auto, Applied: true, Rate: 1, InForce: 1, Reason: "confidence",
			Sentence: "1.00 people a second: too few people have been seen to know what one brings, so the safe rate holds", Limits: map[string]float64{"confidence": 1}},
	}
}

// WCAG 2.2 AA: axe-core has nothing to say about any state, in both colour schemes, on a desktop and on a phone. A picture
// of each is kept in .run/shots/console, for people to look at.
func TestNobodyIsShutOut(t *testing.T) {
	shown := states(t)
	d := open(t, shown...)
	ctx := chromium.Tab(t, 5*time.Minute)
	dir := filepath.Join("..", "..", ".run", "shots", "console")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, l := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"desktop", 1280, 900, "light"}, {"dark", 1280, 900, "dark"}, {"phone", 390, 844, "light"}, {"phone-dark", 390, 844, "dark"}} {
		run(t, ctx, scheme(l.scheme), chromedp.EmulateViewport(l.width, l.height))
		for _, doc := range shown {
			run(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(d.URL+"/ropeline/console#"+doc.Room), becomes(`document.getElementById('title').textContent === 'Room `+doc.Room+`'`))
			for _, f := range axe.Judge(t, ctx) {
				t.Errorf("%s, %s: %s: %s\n%s", doc.Room, l.name, f.ID, f.Help, f.HTML)
			}
			if value(t, ctx, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > innerWidth`)) {
				t.Errorf("%s, %s: the page is wider than the screen", doc.Room, l.name)
			}
			tall := value(t, ctx, chromedp.Evaluate[int64](`document.documentElement.scrollHeight`))
			run(t, ctx, chromedp.EmulateViewport(l.width, max(l.height, tall)))
			if err := os.WriteFile(filepath.Join(dir, doc.Room+"-"+l.name+".png"), value(t, ctx, chromedp.CaptureScreenshot()), 0o644); err != nil {
				t.Fatal(err)
			}
			run(t, ctx, chromedp.EmulateViewport(l.width, l.height))
		}
	}
}

func becomes(condition string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		for {
			if ok, err := chromedp.Evaluate[bool](condition)(ctx, tg); err == nil && ok {
				return chromedp.Void{}, nil
			}
			select {
			case <-ctx.Done():
				return chromedp.Void{}, fmt.Errorf("never: %s: %w", condition, ctx.Err())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

func scheme(val string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tg, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: val}}})
		return chromedp.Void{}, err
	}
}

func run(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func value[T any](t *testing.T, ctx context.Context, a chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func text(t *testing.T, ctx context.Context, id string) string {
	t.Helper()
	return strings.TrimSpace(value(t, ctx, chromedp.TextContent("#"+id)))
}
