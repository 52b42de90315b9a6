package web

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// script is text that would run if it came through unescaped, in a place each for text, attribute and data block.
const script = `</script><img src=x onerror=alert(1)>"'`

// catalogue answers the two questions pages ask on the server, as core/api does.
func catalogue(events ...map[string]any) http.Handler {
	mux := http.NewServeMux()
	write := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("GET /v1/events", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("q") == "nothing" {
			write(w, map[string]any{"events": []any{}})
			return
		}
		write(w, map[string]any{"events": events})
	})
	mux.HandleFunc("GET /v1/events/{event}", func(w http.ResponseWriter, r *http.Request) {
		for _, e := range events {
			if e["id"] == r.PathValue("event") {
				write(w, e)
				return
			}
		}
		http.Error(w, `{"code":"not_found"}`, http.StatusNotFound)
	})
	return mux
}

func concert(id string, more map[string]any) map[string]any {
	e := map[string]any{
		"id": id, "title": "Night of Lights", "kind": "seated", "place": "Cologne", "route": nil,
		"starts_at": "2199-06-12T18:00:00.000Z", "time_zone": "Europe/Berlin", "local_time": "2199-06-12T20:00:00+02:00",
		"state": "on_sale", "currency": "EUR", "price_from": map[string]any{"amount": 4900, "currency": "EUR"},
		"on_sale_at": nil, "seats_total": 50, "description": "One night.", "organiser": "River Live",
		"venue":  map[string]any{"name": "River Stadium", "city": "Cologne"},
		"levels": []any{map[string]any{"class": "A", "name": "Near", "amount": 9000}}, "counters": []any{},
		"max_per_account": 6, "hold_seconds": 480, "geometry": "/v1/geometry/abc", "seats": "/v1/events/" + id + "/seats", "presale_at": nil,
	}
	for k, v := range more {
		e[k] = v
	}
	return e
}

func get(t *testing.T, h http.Handler, path string, header ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

// every page with the status and cache policy it answers with.
var everyPage = []struct {
	path   string
	status int
	cache  string
}{
	{"/", 200, "private, no-cache"},
	{"/?q=light&place=Cologne&date=2199-06-12&from=Berlin&to=Prague", 200, "private, no-cache"},
	{"/?q=nothing", 200, "private, no-cache"},
	{"/events/lights", 200, "private, no-cache"},
	{"/events/field", 200, "private, no-cache"},
	{"/events/missing", 404, "private, no-store"},
	{"/checkout/1-abc", 200, "private, no-store"},
	{"/orders/1-abc", 200, "private, no-store"},
	{"/orders", 200, "private, no-store"},
	{"/tickets", 200, "private, no-store"},
	{"/tickets/1-abc", 200, "private, no-store"},
	{"/nowhere", 404, "private, no-cache"},
}

func storefront() http.Handler {
	return Handler(Options{Room: "boxoffice", API: catalogue(
		concert("lights", nil),
		concert("field", map[string]any{"kind": "area", "geometry": nil}),
		concert("bus", map[string]any{"kind": "trip", "geometry": nil, "venue": nil, "route": map[string]any{"from": "Berlin", "to": "Prague"}}),
	)})
}

func TestPagesCarryTheirHeaders(t *testing.T) {
	h := storefront()
	for _, p := range everyPage {
		t.Run(p.path, func(t *testing.T) {
			res, _ := get(t, h, p.path)
			if res.StatusCode != p.status {
				t.Errorf("status %d, want %d", res.StatusCode, p.status)
			}
			for name, want := range map[string]string{
				"Content-Type": "text/html; charset=utf-8", "Cache-Control": p.cache, "Content-Language": "en", "Vary": "Accept-Language, Cookie",
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			} {
				if got := res.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			csp := res.Header.Get("Content-Security-Policy")
			for _, part := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"} {
				if !strings.Contains(csp, part) {
					t.Errorf("policy %q lacks %q", csp, part)
				}
			}
			if strings.Contains(csp, "unsafe") || strings.Contains(csp, "http:") {
				t.Errorf("policy %q lets in what is not ours", csp)
			}
		})
	}
}

func TestTextOfOthersIsEscaped(t *testing.T) {
	h := Handler(Options{Room: script, API: catalogue(concert("lights", map[string]any{
		"title": script, "place": script, "description": script, "organiser": script,
		"venue": map[string]any{"name": script, "city": script},
		"route": map[string]any{"from": script, "to": script},
	}))})
	for _, path := range []string{"/", "/events/lights", "/?q=" + "%3C%2Fscript%3E%3Cimg+src%3Dx+onerror%3Dalert(1)%3E%22", "/orders/" + "%3C%2Fscript%3E%3Cimg+src%3Dx%3E"} {
		_, body := get(t, h, path)
		if strings.Contains(body, "<img src=x") || strings.Contains(body, "onerror=alert(1)>") {
			t.Errorf("%s lets markup through", path)
		}
	}
	_, body := get(t, h, "/events/lights")
	_, rest, _ := strings.Cut(body, `id="page-data">`)
	block, _, _ := strings.Cut(rest, "</script>")
	var e EventDetail
	if err := json.Unmarshal([]byte(block), &e); err != nil {
		t.Fatalf("the data block is not JSON: %v\n%s", err, block)
	}
	if e.Title != script || e.Description != script {
		t.Errorf("the data block changed the text: %q", e.Title)
	}
}

func TestHeadAnswersWithoutBody(t *testing.T) {
	server := httptest.NewServer(storefront())
	defer server.Close()
	for _, path := range []string{"/", "/events/lights", assetURL("js/event.js")} {
		res, err := http.Head(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != http.StatusOK {
			t.Errorf("HEAD %s: %d", path, res.StatusCode)
		}
		_ = res.Body.Close()
	}
	res, err := http.Post(server.URL+"/", "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /: %d, want 405", res.StatusCode)
	}
	_ = res.Body.Close()
}

func TestHeaderShowsWhoIsSignedIn(t *testing.T) {
	h := storefront()
	_, out := get(t, h, "/events/lights")
	if !strings.Contains(out, `href="/sign-in?return=%2Fevents%2Flights"`) || strings.Contains(out, `href="/tickets"`) {
		t.Error("a stranger is offered something else than to sign in and come back")
	}
	_, in := get(t, h, "/events/lights", "Cookie", AccountCookie+"=x")
	if strings.Contains(in, "/sign-in") || !strings.Contains(in, `href="/tickets"`) {
		t.Error("a signed-in person does not get the links to what is theirs")
	}
	if strings.Contains(in, "Signed in as") {
		t.Error("a token that cannot be read has a name")
	}
	token := "x." + base64.RawURLEncoding.EncodeToString([]byte(`{"email":"ada<b>@example.com"}`)) + ".y"
	for _, page := range everyPage {
		_, mine := get(t, h, page.path, "Cookie", AccountCookie+"="+token)
		if !strings.Contains(mine, `action="/sign-out"`) || !strings.Contains(mine, "ada&lt;b&gt;@example.com") {
			t.Errorf("%s: a signed-in person is not told as whom, or cannot sign out", page.path)
		}
	}
	_, out = get(t, h, "/checkout/1-a?card_token=tok_ok&x=1")
	if strings.Contains(out, "tok_ok") {
		t.Error("a card token was put into a link")
	}
}

func TestAnAPIThatFailsIsSaidAndKeptByNobody(t *testing.T) {
	for name, api := range map[string]http.HandlerFunc{
		"error":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "pq: secret", 500) },
		"not JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>") },
		"too long": func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				_, _ = w.Write(make([]byte, 1<<20))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			res, body := get(t, Handler(Options{API: api, Logger: slog.New(slog.DiscardHandler)}), "/")
			if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Cache-Control") != cachePersonal {
				t.Errorf("status %d, cache %q", res.StatusCode, res.Header.Get("Cache-Control"))
			}
			if strings.Contains(body, "secret") || !strings.Contains(body, "Nothing of yours is lost") {
				t.Errorf("the page says the wrong thing: %s", body)
			}
		})
	}
}

// A router that gives what it does not know to the storefront is asked by the storefront again.
func TestTheAPIMayBeTheRouterTheStorefrontIsMountedOn(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/v1/", catalogue(concert("lights", nil)))
	mux.Handle("/", Handler(Options{API: mux}))
	res, body := get(t, mux, "/events/lights")
	if res.StatusCode != http.StatusOK || !strings.Contains(body, "River Stadium, Cologne") {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestWithoutAnAPIThereIsNoHandler(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Handler accepted Options without API")
		}
	}()
	Handler(Options{})
}

// Browsers ignore the header over plain http, with a warning on each page.
func TestTheOpenerPolicyIsSentWhereItCounts(t *testing.T) {
	h := storefront()
	plain, _ := get(t, h, "/")
	secure, _ := get(t, h, "/", "X-Forwarded-Proto", "https")
	if got := plain.Header.Get("Cross-Origin-Opener-Policy"); got != "" {
		t.Errorf("over http: %q", got)
	}
	if got := secure.Header.Get("Cross-Origin-Opener-Policy"); got != "same-origin" {
		t.Errorf("over https: %q", got)
	}
}
