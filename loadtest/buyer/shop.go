package buyer

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"
)

const (
	maxChoices  = 40 // holds tried before a buyer despairs
	lookLow     = time.Second
	lookHigh    = 2 * time.Second // between two looks at a map on which nothing is free
	thinkLow    = 300 * time.Millisecond
	thinkHigh   = 1500 * time.Millisecond // people look at a map before they choose
	renewAfter  = 2 * time.Minute         // a pass lives 5 minutes
	maxAttempts = 8                       // of one keyed call
)

// seatMap is the answer of /v1/events/{event}/seats: two bits a seat, seat 1 in
// the low bits of byte 0.
type seatMap struct {
	Count    int    `json:"seats"`
	States   string `json:"states"`
	Counters []struct {
		ID    int64 `json:"id"`
		Level int   `json:"level"` // what is left, or a little more
	} `json:"counters"`
}

const (
	seatFree = 0
	seatHeld = 1
)

// readMap decodes a map. A broken one is no map: it must not read as "all sold".
func readMap(r reply) (m seatMap, packed []byte, ok bool) {
	if json.Unmarshal(r.body, &m) != nil || m.Count == 0 && len(m.Counters) == 0 {
		return m, nil, false
	}
	packed, err := base64.StdEncoding.DecodeString(m.States)
	return m, packed, err == nil && len(packed) == (m.Count+3)/4
}

// free lists the free seats; held says that some are in others' baskets.
func free(count int, packed []byte) (seats []int, held bool) {
	for i := range count {
		switch packed[i/4] >> (i % 4 * 2) & 3 {
		case seatFree:
			seats = append(seats, i+1)
		case seatHeld:
			held = true
		}
	}
	return seats, held
}

type placeOf struct {
	Counter  int64 `json:"counter"`
	Quantity int   `json:"quantity"`
}

type holdBody struct {
	Seats  []int     `json:"seats,omitempty"`
	Places []placeOf `json:"places,omitempty"`
}

type holdDoc struct {
	ID         string    `json:"id"`
	ExpiresAt  time.Time `json:"expires_at"`
	ServerTime time.Time `json:"server_time"`
}

// left is how long the hold lives, by the server's two times and not by our clock.
func (h holdDoc) left() time.Duration { return h.ExpiresAt.Sub(h.ServerTime) }

// shop is the way from the door to the tickets.
func (b *buyer) shop(ctx context.Context) Outcome {
	b.do(ctx, request{f: "page", method: http.MethodGet, path: b.Page, navigate: true})
	b.do(ctx, request{f: "event", method: http.MethodGet, path: "/v1/events/" + b.Event})
	released := false
	for range maxAttempts {
		hold, how := b.choose(ctx)
		if how != "" {
			return how
		}
		switch {
		case b.walksAway():
			if b.chance(0.5) {
				b.order(ctx, hold)
			}
			return WalkedAway
		case !released && b.chance(b.Shares.Release):
			released = true
			b.release(ctx, hold)
			continue
		}
		if how = b.buy(ctx, hold); how != "" {
			return how
		}
	}
	return GaveUp
}

// walksAway keeps to the share and to the number.
func (b *buyer) walksAway() bool {
	if !b.chance(b.Shares.WalkAway) {
		return false
	}
	return b.walked.Add(1) <= int64(b.WalkAway) || b.WalkAway == 0
}

// choose looks at the map and tries to hold some free seats until it works, all
// seats are sold, or patience ends.
func (b *buyer) choose(ctx context.Context) (h holdDoc, how Outcome) {
	until := time.Now().Add(b.Patience)
	for range maxChoices {
		b.keepPass(ctx)
		r := b.do(ctx, request{f: "map", method: http.MethodGet, path: "/v1/events/" + b.Event + "/seats"})
		m, packed, ok := readMap(r)
		if !r.good() || !ok {
			if ctx.Err() != nil || time.Now().After(until) {
				b.refusal("map", r)
				return h, Refused
			}
			sleep(ctx, max(r.retryAfter, b.between(lookLow, lookHigh)))
			continue
		}
		want, more := b.want(m, packed)
		switch {
		case want == nil && !more:
			b.spread()
			return h, SoldOut
		case want == nil && time.Now().After(until), ctx.Err() != nil:
			return h, GaveUp
		case want == nil:
			sleep(ctx, b.between(lookLow, lookHigh))
			continue
		}
		sleep(ctx, b.between(thinkLow, thinkHigh))
		r = b.keyed(ctx, request{f: "hold", method: http.MethodPost, path: "/v1/events/" + b.Event + "/holds", body: want})
		switch {
		case r.good():
			r.decode(&h)
			return h, ""
		case r.Code == "seat_taken" || r.Code == "not_enough_places":
			continue // somebody was quicker: look again
		}
		b.refusal("hold", r)
		return h, Refused
	}
	return h, GaveUp
}

// want picks one to four free seats side by side by number, or places of a
// counter. more says that something may still come free; a counter does not tell
// what is held from what is sold, so there it always may.
func (b *buyer) want(m seatMap, packed []byte) (want *holdBody, more bool) {
	n := 1 + b.rng.IntN(maxSeats)
	seats, held := free(m.Count, packed)
	if len(seats) > 0 {
		from := b.rng.IntN(max(1, len(seats)-n+1))
		return &holdBody{Seats: seats[from:min(from+n, len(seats))]}, true
	}
	if m.Count > 0 {
		return nil, held
	}
	for _, c := range m.Counters {
		if c.Level > 0 {
			return &holdBody{Places: []placeOf{{Counter: c.ID, Quantity: min(n, c.Level)}}}, true
		}
	}
	return nil, true
}

func (b *buyer) release(ctx context.Context, h holdDoc) {
	sleep(ctx, b.between(thinkLow, thinkHigh))
	r := b.keyed(ctx, request{f: "release", method: http.MethodDelete, path: "/v1/events/" + b.Event + "/holds/" + h.ID, target: h.ID})
	if !r.good() && !gone(r) {
		b.refusal("release", r)
	}
}

// keepPass renews the pass of somebody who stays long.
func (b *buyer) keepPass(ctx context.Context) {
	if b.has(passCookie) && time.Since(b.renewed) > renewAfter {
		b.renewed = time.Now()
		b.do(ctx, request{f: "renew", method: http.MethodPost, path: b.reserved + "renew"})
	}
}
