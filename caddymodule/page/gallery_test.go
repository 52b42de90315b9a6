package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/axe"
	"github.com/ropeline/ropeline/deploy/chromium"
)

// gallery serves every state as an edge would, with a status document that says the same, at /<state>/<language>.
func gallery(t *testing.T, s *Set) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{state}/{lang}", func(w http.ResponseWriter, r *http.Request) {
		state := r.PathValue("state")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var b []byte
		var err error
		w.Header().Set("Content-Security-Policy", s.Policy())
		switch state {
		case "check":
			b, err = s.RenderCheck(Check{Title: "Night of Lights", Language: r.PathValue("lang"), Base: "/w/open/", URL: "https://shop.example.com/.well-known/ropeline/main/draw",
				Index: 41, Place: 1203, N: 5000, Leaf: strings.Repeat("5c", 32), Receipt: strings.Repeat("eyJhbGciOiJFZERTQSJ9", 12), Commit: strings.Repeat("9e", 32), EntropySource: "drand quicknet round 7"})
		case "entry": // its script would lead on
			p, e := s.Shared("main", "Night of Lights", "/w/entry/")
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src '"+hashOf(css)+"'")
			b, err = p.Entry, e
		case "return":
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src '"+hashOf(css)+"'") // stays where it is
			b, err = s.RenderReturn(r.PathValue("lang"), "/back", nil)
		default:
			b, err = s.Render(picture(state, r.PathValue("lang")))
		}
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(b)
	})
	mux.HandleFunc("GET /w/{state}/status", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(document(r.PathValue("state")))
	})
	mux.HandleFunc("POST /w/{state}/{route}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"state":"door","index":41,"place":1203,"epoch":1,"retry_in_ms":60000}`)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

func picture(state, lang string) Data {
	now := time.Now()
	d := Data{Room: state, Title: "Night of Lights", Message: "Doors open at half past eight. Tickets are at most six a person.", Language: lang, State: state, Base: "/w/" + state + "/",
		Self: "/" + state + "/" + lang, Epoch: 1, Index: 41, Place: 1203, X: 861, Ahead: 342, Low: 130, High: 290, Joined: 12873, RatePerSecond: 2, Now: now,
		BeginsAt: now.Add(754 * time.Second), OpensAt: now.Add(754 * time.Second), Commit: strings.Repeat("9e", 32), EntropySource: "drand quicknet round 7"}
	switch state {
	case "prequeue", "scheduled", "drawing":
		d.Place, d.Ahead, d.Low, d.High = -1, -1, -1, -1
	case "slow":
		d.State, d.Slow, d.High = "waiting", true, 1500
	case "work":
		d.Index, d.Place, d.Ahead, d.Challenge, d.Bits, d.Commit = -1, -1, -1, "challenge", 30, ""
	case "identify":
		d.SignIn, d.Index, d.Place, d.Commit = "/login", -1, -1, ""
	case "invited", "fresh", "limited", "framed", "retry":
		d.Index, d.Place, d.Ahead, d.Commit = -1, -1, -1, ""
		d.Bad = state == "invited"
	case "kept":
		d.Kept = "sealed"
	case stateJoining:
		d.Shared, d.Message, d.Commit = true, "", ""
		d.Index, d.Place, d.Ahead, d.Low, d.High = -1, -1, -1, -1, -1
	}
	return d
}

// document is what the status document of a room says while its page looks like that.
func document(state string) map[string]any {
	now := time.Now().UnixMilli()
	says := map[string]string{"waiting": "open", "slow": "open", "next": "open", "retry": "?", "fresh": "open", "kept": "open", stateJoining: "open"}
	d := map[string]any{"room": state, "epoch": 1, "gen": "g", "seq": now, "state": state, "x0": 861, "x1": 861, "at": now, "until": now + 3000, "n": 5000, "joined": 12873, "door": 0,
		"gaps": [][2]int{}, "ahead_share": .9, "message": "Doors open at half past eight. Tickets are at most six a person.", "commit": strings.Repeat("9e", 32),
		"entropy_source": "drand quicknet round 7", "opens_at": now + 754000, "prequeue_at": now + 754000, "rate": 2, "pace": 2, "now": now}
	if s := says[state]; s != "" {
		d["state"] = s
	}
	if state == "next" {
		d["x0"], d["x1"] = 1204, 1204
	}
	if state == "slow" {
		d["pace"] = .3
	}
	return d
}

type look struct {
	name          string
	width, height int64
	scheme        string
	lang          string
}

var looks = []look{
	{"desktop", 1000, 900, "light", "en"}, {"dark", 1000, 900, "dark", "en"}, {"phone", 390, 844, "light", "en"}, {"phone-dark", 390, 844, "dark", "en"},
	{"rtl", 1000, 900, "light", "ar"}, {"rtl-dark-phone", 390, 844, "dark", "ar"}, {"es", 390, 844, "light", "es"}, {"zh", 390, 844, "light", "zh"}, {"bn", 390, 844, "light", "bn"},
}

// WCAG 2.2 AA: axe-core has nothing to say about any state of the page, in both colour schemes, on a phone, and from
// right to left. A picture of each is kept in .run/shots/page, for people to look at.
func TestNobodyIsShutOut(t *testing.T) {
	site := gallery(t, Default())
	ctx := chromium.Tab(t, 5*time.Minute)
	dir := filepath.Join("..", "..", ".run", "shots", "page")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	shown := append([]string{"slow", "check", "return", "entry"}, States...)
	for _, l := range looks {
		run(t, ctx, media("prefers-color-scheme", l.scheme), chromedp.EmulateViewport(l.width, l.height))
		for _, state := range shown {
			run(t, ctx, chromedp.Navigate(site+"/"+state+"/"+l.lang), settled(state))
			for _, f := range axe.Judge(t, ctx) {
				t.Errorf("%s, %s: %s: %s\n%s", state, l.name, f.ID, f.Help, f.HTML)
			}
			if wide := value(t, ctx, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > innerWidth`)); wide {
				t.Errorf("%s, %s: the page is wider than the screen", state, l.name)
			}
			tall := value(t, ctx, chromedp.Evaluate[int64](`document.documentElement.scrollHeight`))
			run(t, ctx, chromedp.EmulateViewport(l.width, max(l.height, tall)))
			if err := os.WriteFile(filepath.Join(dir, state+"-"+l.name+".png"), value(t, ctx, chromedp.CaptureScreenshot()), 0o644); err != nil {
				t.Fatal(err)
			}
			run(t, ctx, chromedp.EmulateViewport(l.width, l.height))
		}
	}
}

// settled: the page's script has taken over, where there is one.
func settled(state string) chromedp.Action[chromedp.Void] {
	switch state {
	case "check", "return", "framed", "entry":
		return becomes(`document.readyState === "complete" && !!document.querySelector("main")`)
	case "slow":
		return becomes(`document.documentElement.className === 'js' && document.querySelector('main').dataset.state === 'waiting' && !!document.getElementById('wait').textContent`)
	case stateJoining: // it has joined
		return becomes(`document.documentElement.className === 'js' && document.querySelector('main').dataset.state === 'waiting' && !document.getElementById('draw').hidden`)
	case "fresh": // it tries once by itself
		return becomes(`sessionStorage.getItem('rl-fresh') === '1' && document.documentElement.className === 'js'`)
	}
	return becomes(`document.documentElement.className === 'js' && document.querySelector('main').dataset.state === '` + state + `'`)
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

func media(feature, val string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, tg *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, tg, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: val}}})
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
