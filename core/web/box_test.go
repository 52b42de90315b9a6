package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ropeline/ropeline/seatmap"
)

// box is a box office whose answers a test chooses. The real one is tested with the real pages elsewhere; here the
// pages meet what a real one gives too seldom: a lost answer, a seat that goes at that moment, the line.
type box struct {
	http.Handler
	mu      sync.Mutex
	maps    []*seatmap.Map // by version, the last is the current one
	script  []answer       // for the coming changes; afterwards they work
	asked   []ask
	held    map[string]any
	life    time.Duration // of a hold
	order   map[string]any
	orders  []map[string]any // of the buyer, for the list
	tickets []map[string]any
}

// answer is one answer to a changing call; drop: the connection ends without one, after the work was done.
type answer struct {
	status int
	body   map[string]any
	drop   bool
}

// ask is what a changing call said.
type ask struct{ method, path, key, body string }

const seatsOfBox = 60000

func newBox() *box {
	b := &box{life: 8 * time.Minute, maps: []*seatmap.Map{{Seats: seatsOfBox, States: make([]byte, seatmap.Size(seatsOfBox))}}}
	mux := http.NewServeMux()
	event := concert("lights", map[string]any{"geometry": "/v1/geometry/bowl", "seats_total": seatsOfBox})
	field := concert("field", map[string]any{"kind": "area", "geometry": nil,
		"levels":   []any{map[string]any{"class": "F", "name": "Field pass, all days", "amount": 4000}, map[string]any{"class": "child", "name": "Child", "amount": 500}},
		"counters": []any{map[string]any{"id": 1, "kind": "area", "name": "Field", "class": "F", "types": []string{"child"}, "capacity": 9, "available": 9}}})
	early := concert("early", map[string]any{"geometry": "/v1/geometry/bowl", "seats_total": seatsOfBox, "on_sale_at": "2198-01-01T10:00:00.000Z", "presale_at": "2020-01-01T10:00:00.000Z"})
	mux.Handle("/v1/", catalogue(append([]map[string]any{event, field, early}, programme()...)...))
	b.sold(mux)
	mux.HandleFunc("GET /v1/events/early/seats", b.seats)
	mux.HandleFunc("GET /v1/events/early/seats/since/{version}", b.seats)
	mux.HandleFunc("POST /v1/events/early/holds", b.hold)
	mux.HandleFunc("POST /v1/events/early/presale", b.change(func() map[string]any {
		return map[string]any{"event": "early", "name": "Fans", "starts_at": "2020-01-01T10:00:00.000Z", "ends_at": nil}
	}))
	mux.HandleFunc("GET /v1/geometry/bowl", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, bowl()) })
	mux.HandleFunc("GET /v1/events/lights/seats", b.seats)
	mux.HandleFunc("GET /v1/events/lights/seats/since/{version}", b.seats)
	field1 := &seatmap.Map{Counters: []seatmap.Counter{{ID: 1, Level: 9}}}
	mux.HandleFunc("GET /v1/events/field/seats", func(w http.ResponseWriter, _ *http.Request) { document(w, field1.JSON) })
	mux.HandleFunc("GET /v1/events/field/seats/since/{version}", func(w http.ResponseWriter, _ *http.Request) { document(w, field1.JSON) })
	mux.HandleFunc("POST /v1/events/lights/holds", b.hold)
	mux.HandleFunc("POST /v1/events/field/holds", b.hold)
	mux.HandleFunc("GET /v1/events/{event}/holds/{hold}", func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		reply(w, 200, b.held)
	})
	mux.HandleFunc("POST /v1/events/{event}/orders", b.change(func() map[string]any { return b.order }))
	mux.HandleFunc("GET /v1/orders/{order}", func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		reply(w, 200, b.order)
	})
	mux.HandleFunc("POST /v1/orders/{order}/payments", b.change(func() map[string]any {
		b.order["state"], b.order["payment"] = "verifying", map[string]any{"id": "1-p", "phase": "sent", "reason": ""}
		return b.order
	}))
	mux.HandleFunc("GET /sign-in", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<title>Sign in</title>") })
	mux.Handle("/", Handler(Options{API: mux}))
	b.Handler = mux
	return b
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// bowl: 60 blocks of 25 rows of 40 seats, side by side in a grid of 10 x 6.
func bowl() map[string]any {
	id := 0
	var sections []any
	for s := range 60 {
		var rows []any
		for r := range 25 {
			var seats []any
			for k := range 40 {
				id++
				seat := []any{id, fmt.Sprint(k + 1), (s%10)*500 + k*10, 200 + (s/10)*300 + r*10, "A"}
				if s == 5 && r == 0 && k < 4 { // the very best ones are kept
					seat = append(seat, []string{"accessible", "companion"}[k%2])
				}
				seats = append(seats, seat)
			}
			rows = append(rows, map[string]any{"name": fmt.Sprint(r + 1), "seats": seats})
		}
		sections = append(sections, map[string]any{"name": fmt.Sprintf("Block %d", s+1), "rows": rows})
	}
	return map[string]any{"venue": "Bowl", "seat_count": id, "width": 5000, "height": 2000, "sections": sections,
		"areas": []any{map[string]any{"name": "Stage", "x": 2200, "y": 0, "w": 600, "h": 120}}}
}

// seats answers with the map, or with what changed since a version that was there.
func (b *box) seats(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.maps[len(b.maps)-1]
	tag := fmt.Sprintf(`"%s %s"`, r.URL.Path, now.Version)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	from, err := seatmap.ParseVersion(r.PathValue("version"))
	if err != nil || int(from.V) >= len(b.maps) {
		document(w, now.JSON)
		return
	}
	d, err := seatmap.Diff(b.maps[from.V], now)
	if err != nil {
		panic(err)
	}
	document(w, d.JSON)
}

func document(w http.ResponseWriter, encode func() ([]byte, error)) {
	doc, err := encode()
	if err != nil {
		panic(err)
	}
	reply(w, 200, json.RawMessage(doc))
}

// take sets the state of a seat, as somebody else's hold or order would.
func (b *box) take(seat int, state seatmap.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := *b.maps[len(b.maps)-1]
	next.States = bytes.Clone(next.States)
	next.Version.V++
	seatmap.Set(next.States, seat, state)
	b.maps = append(b.maps, &next)
}

// next says how the coming changes are answered.
func (b *box) next(script ...answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.script = script
}

// scripted gives the next answer of the script, if there is one.
func (b *box) scripted(w http.ResponseWriter) bool {
	if len(b.script) == 0 {
		return false
	}
	a := b.script[0]
	b.script = b.script[1:]
	if a.drop {
		panic(http.ErrAbortHandler)
	}
	reply(w, a.status, a.body)
	return true
}

func (b *box) calls() []ask {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]ask(nil), b.asked...)
}

func (b *box) note(r *http.Request) map[string]any {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body) // an empty body stays nil
	text, _ := json.Marshal(body)
	b.asked = append(b.asked, ask{r.Method, r.URL.Path, r.Header.Get("Idempotency-Key"), string(text)})
	return body
}

func (b *box) hold(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body := b.note(r)
	if b.scripted(w) {
		return
	}
	price := 9000
	if strings.Contains(r.URL.Path, "gala") {
		price = 18900
	}
	var lines []any
	seats, _ := body["seats"].([]any)
	for i, s := range seats {
		lines = append(lines, map[string]any{"line": i, "seat": s, "label": fmt.Sprintf("Seat %v", s), "counter": nil, "quantity": 1, "price": price})
	}
	amount := price * len(lines)
	places, _ := body["places"].([]any)
	for _, p := range places {
		line := fieldLine(len(lines), p.(map[string]any))
		lines, amount = append(lines, line), amount+line["price"].(int)*int(line["quantity"].(float64))
	}
	b.held = map[string]any{"id": "h1", "event": "lights", "state": "active", "lines": lines, "amount": amount, "currency": "EUR",
		"expires_at": stamp(b.life), "server_time": stamp(0), "version": len(b.maps) - 1}
	reply(w, 201, b.held)
}

// fieldLine is the line of a hold of some places on the field, as the core writes it.
func fieldLine(n int, place map[string]any) map[string]any {
	l := map[string]any{"line": n, "seat": nil, "label": "Field", "counter": place["counter"], "quantity": place["quantity"], "price": 4000}
	if place["class"] == "child" {
		l["class"], l["label"], l["price"] = "child", "Field, Child", 500
	}
	return l
}

// hurry lets holds run out at once, calm as they should.
func (b *box) hurry() { b.lives(time.Second) }
func (b *box) calm()  { b.lives(8 * time.Minute) }

func (b *box) lives(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.life = d
}

// end puts the hold in a state in which it is over.
func (b *box) end(state string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held["state"] = state
}

func (b *box) change(f func() map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.note(r)
		if !b.scripted(w) {
			reply(w, 201, f())
		}
	}
}

func stamp(in time.Duration) string {
	return time.Now().UTC().Add(in).Format("2006-01-02T15:04:05.000Z")
}

// sell puts an order in a state.
func (b *box) sell(state string, more map[string]any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.order = map[string]any{"id": "1-o", "event": "lights", "title": "Night of Lights", "hold": "h1", "state": state, "payment_unknown": false,
		"reason": "", "amount": 9000, "currency": "EUR", "expires_at": stamp(8 * time.Minute), "server_time": stamp(0),
		"number": "084S-N02Q", "starts_at": "2199-06-12T18:00:00.000Z", "time_zone": "Europe/Berlin", "place": "Cologne",
		"venue": map[string]any{"name": "River Stadium", "city": "Cologne"}, "route": nil,
		"lines":         []any{map[string]any{"line": 0, "seat": 1, "label": "Seat 1", "counter": nil, "quantity": 1, "price": 9000, "fare": "Near"}},
		"attempts_left": 5, "payment": nil, "card_form": "/sign-in?amount=9000", "tickets": []any{}}
	for k, v := range more {
		b.order[k] = v
	}
}
