package web

import (
	"fmt"
	"math"
	"net/http"

	"github.com/ropeline/ropeline/seatmap"
)

// sold adds what belongs to one buyer to a box office: orders, their return, tickets.
func (b *box) sold(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/orders", func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		reply(w, 200, map[string]any{"orders": b.orders})
	})
	mux.HandleFunc("DELETE /v1/orders/{order}", b.change(func() map[string]any {
		b.order["state"], b.order["tickets"], b.order["refund_offer"] = "refunded", []any{}, nil
		return b.order
	}))
	mux.HandleFunc("GET /v1/tickets", func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		reply(w, 200, map[string]any{"tickets": b.tickets})
	})
	mux.HandleFunc("GET /v1/tickets/{ticket}", func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, t := range b.tickets {
			if t["id"] == r.PathValue("ticket") {
				reply(w, 200, t)
				return
			}
		}
		reply(w, 404, map[string]any{"code": "not_found"})
	})
	mux.HandleFunc("GET /v1/tickets/{ticket}/qr.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 21 21" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h21v21H0z"/><path d="M1 1h7v7H1zM13 1h7v7h-7zM1 13h7v7H1zM10 3h2v3h-2zM10 8h1v2h3v1h-2v3h-2zM15 10h3v2h-3zM11 15h2v4h-2zM15 14h4v1h-2v4h-2z"/><path fill="#fff" d="M2 2h5v5H2zM14 2h5v5h-5zM2 14h5v5H2z"/><path d="M3 3h3v3H3zM15 3h3v3h-3zM3 15h3v3H3z"/></svg>`)
	})
	mux.HandleFunc("GET /v1/geometry/arena", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, arena()) })
	hall := arenaMap()
	mux.HandleFunc("GET /v1/events/gala/seats", func(w http.ResponseWriter, _ *http.Request) { document(w, hall.JSON) })
	mux.HandleFunc("GET /v1/events/gala/seats/since/{version}", func(w http.ResponseWriter, _ *http.Request) { document(w, hall.JSON) })
	mux.HandleFunc("POST /v1/events/gala/holds", b.hold)
}

// gala is an evening as people see it: a horseshoe, three prices, half of it sold.
func gala() map[string]any {
	return concert("gala", map[string]any{
		"geometry": "/v1/geometry/arena", "seats_total": arenaSeats, "title": "The Lanterns: Last Waltz of the River", "organiser": "River Live",
		"description": "One night, one orchestra, and every lamp on the river.\nDoors open at half past six.",
		"levels": []any{
			map[string]any{"class": "A", "name": "Golden circle", "amount": 18900}, map[string]any{"class": "B", "name": "Middle", "amount": 9450}, map[string]any{"class": "C", "name": "Upper rows", "amount": 4900},
		},
	})
}

const (
	arenaBlocks, arenaRows, arenaWidth = 12, 14, 22
	arenaSeats                         = arenaBlocks * arenaRows * arenaWidth
)

func arena() map[string]any {
	id := 0
	var sections []any
	for s := range arenaBlocks {
		var rows []any
		for r := range arenaRows {
			var seats []any
			for k := range arenaWidth {
				id++
				angle := math.Pi * (1.08 - 1.16*(float64(s)+(float64(k)+0.8)/(arenaWidth+1))/arenaBlocks)
				radius := 560 + float64(r)*26 + float64(r/5)*22
				seats = append(seats, []any{id, fmt.Sprint(k + 1), 1000 + radius*math.Cos(angle), 300 + radius*math.Sin(angle), string("ABC"[min(2, r/5)])})
			}
			rows = append(rows, map[string]any{"name": string(rune('A' + r)), "seats": seats})
		}
		sections = append(sections, map[string]any{"name": fmt.Sprintf("Block %d", 101+s), "rows": rows})
	}
	return map[string]any{"venue": "River Hall", "seat_count": id, "width": 2000, "height": 1400, "sections": sections,
		"areas": []any{map[string]any{"name": "Stage", "x": 740, "y": 120, "w": 520, "h": 240}}}
}

// arenaMap: the front is nearly gone, and gaps are where people like to sit.
func arenaMap() *seatmap.Map {
	m := &seatmap.Map{Seats: arenaSeats, States: make([]byte, seatmap.Size(arenaSeats))}
	for i := range arenaSeats {
		row := i / arenaWidth % arenaRows
		switch n := (i*7919 + i/5*104729) % 100; {
		case n < 80-row*5:
			seatmap.Set(m.States, i+1, seatmap.Sold)
		case n < 86-row*5:
			seatmap.Set(m.States, i+1, seatmap.Held)
		}
	}
	return m
}

// programme is a list of events of every kind.
func programme() []map[string]any {
	return []map[string]any{
		gala(),
		concert("festival", map[string]any{"kind": "area", "geometry": nil, "title": "Field of Rope, three days", "place": "Lake Meadow, Lindau", "price_from": map[string]any{"amount": 14900, "currency": "EUR"}}),
		concert("coach", map[string]any{"kind": "trip", "geometry": nil, "venue": nil, "title": "Night coach to Prague", "place": "Berlin, central bus station", "route": map[string]any{"from": "Berlin", "to": "Prague"}, "price_from": map[string]any{"amount": 1490, "currency": "EUR"}}),
		concert("soon", map[string]any{"title": "Aïda at the quay", "place": "Marseille", "on_sale_at": "2198-01-01T10:00:00.000Z"}),
		concert("gone", map[string]any{"title": "Chess on the ice", "place": "Tromsø", "state": "cancelled", "price_from": nil}),
	}
}

func ticketOf(id, label string, more map[string]any) map[string]any {
	t := map[string]any{"id": id, "event": "gala", "title": "The Lanterns: Last Waltz of the River", "label": label, "fare": "Golden circle", "state": "valid",
		"starts_at": "2199-06-12T18:00:00.000Z", "time_zone": "Europe/Berlin", "place": "Cologne", "venue": map[string]any{"name": "River Stadium", "city": "Cologne"}, "route": nil}
	for k, v := range more {
		t[k] = v
	}
	return t
}

// buyer gives the box office somebody's past: an order in every state, and tickets.
func (b *box) buyer() {
	lines := []any{
		map[string]any{"line": 0, "seat": 7, "label": "Block 106, row C, seat 11", "counter": nil, "quantity": 1, "price": 18900, "fare": "Golden circle"},
		map[string]any{"line": 1, "seat": 8, "label": "Block 106, row C, seat 12", "counter": nil, "quantity": 1, "price": 18900, "fare": "Golden circle"},
	}
	for i, state := range []string{"pending_payment", "captured", "expired", "expired_refunded", "partly_refunded"} {
		b.sell(state, map[string]any{"id": fmt.Sprintf("1-%d", i), "title": "The Lanterns: Last Waltz of the River", "lines": lines, "amount": 37800})
		b.orders = append(b.orders, b.order)
	}
	b.tickets = []map[string]any{
		ticketOf("1-t1", "Block 106, row C, seat 11", nil), ticketOf("1-t2", "Block 106, row C, seat 12", map[string]any{"state": "revoked"}),
		ticketOf("1-t3", "Saver", map[string]any{"event": "coach", "title": "Night coach to Prague", "fare": "Saver, no changes", "venue": nil, "place": "Berlin, central bus station", "route": map[string]any{"from": "Berlin", "to": "Prague"}}),
	}
}

// after is an order of two good seats in a state, as its page shows it.
func (b *box) after(state string, more map[string]any) {
	lines := b.orders[0]["lines"]
	b.sell(state, map[string]any{"title": "The Lanterns: Last Waltz of the River", "lines": lines, "amount": 37800, "event": "gala"})
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, v := range more {
		b.order[k] = v
	}
}
