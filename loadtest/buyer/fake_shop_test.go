package buyer

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"
)

// fakeShop is the box office of fake: seats with leases, orders, cards.
type fakeShop struct {
	ttl     time.Duration
	busy    int // so many who sign in are asked to come back
	seats   []fakeSeat
	holds   map[string][]int
	orders  map[string]*fakeOrder
	replies map[string]*httptest.ResponseRecorder // by Idempotency-Key
	replays int
	calls   map[string]int // how often each kind of call had an effect
}

type fakeSeat struct {
	hold  string
	until time.Time
	sold  bool
}

type fakeOrder struct {
	hold, account, state string
}

func (s *fakeShop) init(seats int, ttl time.Duration) {
	*s = fakeShop{ttl: ttl, seats: make([]fakeSeat, seats), holds: map[string][]int{}, orders: map[string]*fakeOrder{},
		replies: map[string]*httptest.ResponseRecorder{}, calls: map[string]int{}}
}

func (s *fakeShop) serve(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if (r.Method == "POST" || r.Method == "DELETE") && parts[0] == "v1" {
		if key == "" {
			answer(w, 400, map[string]any{"code": "idempotency_key_required"})
			return
		}
		if was := s.replies[key]; was != nil {
			s.replays++
			copyTo(w, was)
			return
		}
	}
	rec := httptest.NewRecorder()
	s.handle(rec, r, parts)
	if key != "" && rec.Code < 300 {
		s.replies[key] = rec
		s.calls[r.Method+" "+parts[len(parts)-1]]++
	}
	copyTo(w, rec)
}

func copyTo(w http.ResponseWriter, rec *httptest.ResponseRecorder) {
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

func (s *fakeShop) handle(w http.ResponseWriter, r *http.Request, parts []string) {
	account := r.Header.Get("Authorization")
	var body struct {
		Email string
		Seats []int
		Hold  string
		Token string `json:"card_token"`
	}
	if r.Header.Get("Content-Type") == "application/json" {
		_ = json.NewDecoder(r.Body).Decode(&body)
	}
	last := parts[len(parts)-1]
	switch {
	case r.URL.Path == "/dev/token" && s.busy > 0:
		s.busy--
		w.Header().Set("Retry-After", "1")
		answer(w, 503, map[string]any{"code": "overloaded"})
	case r.URL.Path == "/dev/token":
		answer(w, 200, map[string]any{"token": body.Email})
	case last == "card" && r.Method == "POST":
		to, _ := url.Parse(r.URL.Query().Get("return"))
		to.RawQuery = url.Values{"card_token": {"tok_" + r.FormValue("card")}}.Encode()
		w.Header().Set("Location", to.String())
		w.WriteHeader(303)
	case last == "seats":
		answer(w, 200, map[string]any{"seats": len(s.seats), "states": s.packed()})
	case last == "holds":
		s.hold(w, body.Seats)
	case r.Method == "DELETE":
		s.free(last)
		answer(w, 200, map[string]any{"id": last, "state": "released"})
	case last == "orders" && r.Method == "POST":
		if !s.alive(body.Hold) {
			answer(w, 410, map[string]any{"code": "hold_expired"})
			return
		}
		id := fmt.Sprint("1-o", len(s.orders))
		s.orders[id] = &fakeOrder{hold: body.Hold, account: account, state: "pending_payment"}
		answer(w, 201, map[string]any{"id": id, "state": "pending_payment", "card_form": "/fakepay/card?amount=1"})
	case last == "payments":
		s.pay(w, s.orders[parts[2]], body.Token)
	case len(parts) == 3 && parts[1] == "orders":
		answer(w, 200, s.show(parts[2]))
	case last == "tickets":
		all := []any{}
		for id, o := range s.orders {
			if o.account == account && o.state == "captured" {
				all = append(all, s.show(id)["tickets"].([]any)...)
			}
		}
		answer(w, 200, map[string]any{"tickets": all})
	default:
		answer(w, 200, map[string]any{})
	}
}

func (s *fakeShop) packed() string {
	p := make([]byte, (len(s.seats)+3)/4)
	for i, seat := range s.seats {
		state := 0
		if seat.sold {
			state = 2
		} else if time.Now().Before(seat.until) {
			state = 1
		}
		p[i/4] |= byte(state << (i % 4 * 2))
	}
	return base64.StdEncoding.EncodeToString(p)
}

func (s *fakeShop) hold(w http.ResponseWriter, want []int) {
	for _, n := range want {
		if seat := s.seats[n-1]; seat.sold || time.Now().Before(seat.until) {
			answer(w, 409, map[string]any{"code": "seat_taken"})
			return
		}
	}
	id := fmt.Sprint("h", len(s.holds))
	now := time.Now()
	for _, n := range want {
		s.seats[n-1] = fakeSeat{hold: id, until: now.Add(s.ttl)}
	}
	s.holds[id] = want
	answer(w, 201, map[string]any{"id": id, "expires_at": now.Add(s.ttl), "server_time": now})
}

func (s *fakeShop) alive(hold string) bool {
	for _, n := range s.holds[hold] {
		if seat := s.seats[n-1]; seat.hold != hold || !time.Now().Before(seat.until) {
			return false
		}
	}
	return len(s.holds[hold]) > 0
}

func (s *fakeShop) free(hold string) {
	for _, n := range s.holds[hold] {
		s.seats[n-1] = fakeSeat{}
	}
}

func (s *fakeShop) pay(w http.ResponseWriter, o *fakeOrder, token string) {
	switch {
	case !s.alive(o.hold):
		answer(w, 410, map[string]any{"code": "hold_expired"})
		return
	case token == "tok_"+goodCard:
		o.state = "captured"
		for _, n := range s.holds[o.hold] {
			s.seats[n-1].sold = true
		}
	}
	answer(w, 202, map[string]any{"state": "verifying"})
}

func (s *fakeShop) show(id string) map[string]any {
	o := s.orders[id]
	tickets := []any{}
	if o.state == "captured" {
		for _, n := range s.holds[o.hold] {
			tickets = append(tickets, map[string]any{"id": fmt.Sprint(id, "-", n)})
		}
	}
	return map[string]any{"id": id, "state": o.state, "tickets": tickets}
}
