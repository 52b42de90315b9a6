package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/ticket"
)

const hallSeats = 60_000

// openHall makes an event with seats to sell; nothing else limits a buyer.
func (s *server) openHall(ctx context.Context, slug string) (event int64, err error) {
	err = s.owner.QueryRow(ctx, `WITH v AS (INSERT INTO venue (slug, name, city, country, geometry_hash, geometry, seat_count) VALUES ($1, $1, 'Bonn', 'DE', $1, '{}', $2) RETURNING id),
		n AS (INSERT INTO venue_seat SELECT v.id, n, 'Stalls', ((n - 1) / 40 + 1)::text, ((n - 1) % 40 + 1)::text, 'A' FROM v, generate_series(1, $2::int) n RETURNING seat_id),
		e AS (INSERT INTO event (slug, venue_id, organiser, title, place, starts_at, time_zone, currency, max_per_account, hold_ttl, hold_budget)
			SELECT $1, v.id, 'Bench', $1, 'Bonn', now() + interval '1 year', 'Europe/Berlin', 'EUR', 100, '20 minutes', 0 FROM v RETURNING id),
		p AS (INSERT INTO price_level SELECT id, 'A', 'A', 2500 FROM e),
		x AS (INSERT INTO event_version SELECT id FROM e),
		t AS (INSERT INTO seat (event_id, seat_id, class) SELECT e.id, n.seat_id, 'A' FROM e, n)
		SELECT id FROM e`, slug, hallSeats).Scan(&event)
	if err != nil {
		return 0, fmt.Errorf("open the hall: %w", err)
	}
	return event, s.exec(ctx, `ANALYZE`)
}

// shopFor is an engine that sells with a provider.
func shopFor(db *pg.DB, p payment.Provider) (*booking.Engine, error) {
	return booking.New(booking.Config{}, db, booking.Deps{Providers: []payment.Provider{p},
		Tickets: ticket.NewSigner(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))})
}

var keys atomic.Int64

func keyed(slug string, account int64) booking.Command {
	return booking.Command{EventSlug: slug, AccountID: account, Route: "bench", Key: strconv.FormatInt(keys.Add(1), 10), BodyHash: [32]byte{1}}
}

// buy holds a seat, makes the order and pays it, and returns the payment's id.
func buy(ctx context.Context, e *booking.Engine, slug string, seat int32) (reference string, err error) {
	account := int64(seat)
	a, err := e.Hold(ctx, keyed(slug, account), booking.HoldRequest{Seats: []int32{seat}})
	if err != nil {
		return "", fmt.Errorf("hold: %w", err)
	}
	var held booking.HoldView
	if err := json.Unmarshal(a.Body, &held); err != nil {
		return "", err
	}
	if a, err = e.PlaceOrder(ctx, keyed(slug, account), booking.OrderRequest{Hold: held.ID}); err != nil {
		return "", fmt.Errorf("order: %w", err)
	}
	var view struct {
		ID      string
		Payment struct{ ID string }
	}
	if err := json.Unmarshal(a.Body, &view); err != nil {
		return "", err
	}
	ref, err := booking.ParseRef(view.ID)
	if err != nil {
		return "", err
	}
	if a, err = e.Pay(ctx, keyed("", account), booking.PayRequest{Order: ref, CardToken: "tok_ok"}); err != nil {
		return "", fmt.Errorf("pay: %w", err)
	}
	return view.Payment.ID, json.Unmarshal(a.Body, &view)
}

// crowd lets so many buyers take the seats one after the other until enough says so.
func crowd(n int, enough func() bool, buyer func(seat int32) error) error {
	var next atomic.Int32
	var all sync.WaitGroup
	var once sync.Once
	var first error
	for range n {
		all.Go(func() {
			for !enough() {
				seat := next.Add(1)
				if seat > hallSeats {
					return
				}
				if err := buyer(seat); err != nil {
					once.Do(func() { first = err })
					return
				}
			}
		})
	}
	all.Wait()
	return first
}
