package buyer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// fake plays the edge and the box office in memory, so that the buyers can be
// watched at every turn. It knows no money and no signature; it notes what a
// well-behaved client must not do.
type fake struct {
	mu    sync.Mutex
	opens time.Time
	rate  float64 // entries a second
	shop  fakeShop

	places  map[string]int       // ticket -> arrival, which is the place here
	entry   map[string]time.Time // granted ones
	inside  map[string]bool
	knocked map[string]int
	misdeed []string
}

func newFake(seats int, ttl time.Duration) *fake {
	f := &fake{
		opens: time.Now().Add(1500 * time.Millisecond), rate: 200,
		places: map[string]int{}, entry: map[string]time.Time{}, inside: map[string]bool{}, knocked: map[string]int{},
	}
	f.shop.init(seats, ttl)
	return f
}

const fakeReserved = "/.well-known/ropeline/box/"

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ticket, pass := cookie(r, "rl-t-box"), cookie(r, "rl-p-box")
	open := !time.Now().Before(f.opens)
	switch path, reserved := strings.CutPrefix(r.URL.Path, fakeReserved); {
	case reserved:
		f.room(w, path, ticket, open)
	case strings.HasPrefix(r.URL.Path, "/v1/orders") || r.URL.Path == "/v1/tickets" || r.URL.Path == "/dev/token" || strings.HasPrefix(r.URL.Path, "/fakepay/"):
		f.shop.serve(w, r)
	case f.inside[pass]:
		f.shop.serve(w, r)
	default:
		if ticket == "" {
			ticket = fmt.Sprint("t", len(f.places))
			f.places[ticket] = len(f.places)
			http.SetCookie(w, &http.Cookie{Name: "rl-t-box", Value: ticket})
		}
		if !strings.Contains(r.Header.Get("Accept"), "text/html") || r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			f.misdeed = append(f.misdeed, "asked for "+r.URL.Path+" without a pass")
		}
		w.Header().Set("Ropeline-Answer", "wait")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// called is X: everybody whose turn has come by the rate, a little ahead.
func (f *fake) called() int {
	return int(time.Since(f.opens).Seconds()*f.rate) + 20
}

func (f *fake) room(w http.ResponseWriter, route, ticket string, open bool) {
	place, known := f.places[ticket]
	switch {
	case route == "status":
		state, x := "prequeue", 0
		if open {
			state, x = "open", f.called()
		}
		answer(w, 200, map[string]any{"state": state, "x0": x, "x1": x + 5, "at": time.Now().UnixMilli(), "opens_at": f.opens.UnixMilli()})
		return
	case route == "jwks.json":
		answer(w, 200, map[string]any{"keys": []any{}})
		return
	case !known:
		f.misdeed = append(f.misdeed, route+" without a ticket")
		answer(w, 401, map[string]any{"code": "no_ticket"})
		return
	}
	standing := map[string]any{"place": place, "retry_in_ms": 50}
	switch entry, granted := f.entry[ticket]; {
	case route == "heartbeat":
	case route == "leave":
		delete(f.inside, "p"+ticket)
	case !open || place >= f.called()+5:
		f.misdeed = append(f.misdeed, "knocked out of turn")
		standing["state"] = "waiting"
	case !granted: // the first knock stands at the door, the next hears of the grant
		standing["state"] = "door"
		if f.knocked[ticket]++; f.knocked[ticket] > 1 {
			f.entry[ticket] = time.Now().Add(30 * time.Millisecond)
			standing["state"], standing["entry_in_ms"] = "granted", 30
		}
	case route == "enter" && time.Now().Before(entry):
		f.misdeed = append(f.misdeed, "entered before its time")
		answer(w, 409, standing)
		return
	case route == "enter":
		f.inside["p"+ticket] = true
		http.SetCookie(w, &http.Cookie{Name: "rl-p-box", Value: "p" + ticket})
		standing["state"] = "in"
	default:
		standing["state"] = "granted"
	}
	answer(w, 200, standing)
}

func cookie(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

func answer(w http.ResponseWriter, status int, doc any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(doc)
}
