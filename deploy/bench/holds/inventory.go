package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// What is for sale. The limit and the budget of an account are far away, as in the reference: both are kept for each hold,
// and never refuse. A pair of neighbouring seats is one request's wish, as in the reference.
const (
	arenaSeats = 60_000
	clubSeats  = 1_000
	trips      = 3_000
	tripSeats  = 40
	gaExact    = 20_000 // places of the area that is sold out to the last one
	buyers     = 500_000
)

// schema of the inventory as SQL: 3,000 events by the import would take longer than the measurement.
const (
	sqlVenue = `WITH v AS (INSERT INTO venue (slug, name, city, country, geometry_hash, geometry, seat_count)
			VALUES ($1, $1, 'Bonn', 'DE', $1, '{}', $2) RETURNING id)
		INSERT INTO venue_seat SELECT v.id, n, 'Stalls', ((n - 1) / 40 + 1)::text, ((n - 1) % 40 + 1)::text, 'A' FROM v, generate_series(1, $2::int) n`
	sqlEvents = `WITH e AS (INSERT INTO event (slug, venue_id, organiser, title, place, starts_at, time_zone, currency, max_per_account, hold_ttl, hold_budget)
			SELECT CASE WHEN $3 = 1 THEN $1 ELSE $1 || '-' || n END, v.id, 'Bench', $1, 'Bonn', now() + interval '1 year', 'Europe/Berlin', 'EUR', 100, $4::interval, 1000000
			  FROM venue v, generate_series(1, $3::int) n WHERE v.slug = $2 RETURNING id, venue_id),
		p AS (INSERT INTO price_level SELECT id, 'A', 'A', 2500 FROM e),
		x AS (INSERT INTO event_version SELECT id FROM e)
		INSERT INTO seat (event_id, seat_id, class) SELECT e.id, s.seat_id, s.class FROM e JOIN venue_seat s ON s.venue_id = e.venue_id`
	sqlArea = `WITH e AS (INSERT INTO event (slug, organiser, title, place, starts_at, time_zone, currency, max_per_account, hold_ttl, hold_budget)
			VALUES ($1, 'Bench', $1, 'Bonn', now() + interval '1 year', 'Europe/Berlin', 'EUR', 100, $3::interval, 1000000) RETURNING id),
		p AS (INSERT INTO price_level SELECT id, 'A', 'A', 2500 FROM e),
		x AS (INSERT INTO event_version SELECT id FROM e)
		INSERT INTO counter (event_id, id, kind, name, class, capacity) SELECT id, 1, 'area', 'Field', 'A', $2 FROM e`
	// As the development issuer names them.
	sqlAccounts = `INSERT INTO account (subject, email) SELECT 'ropeline-dev|buyer-' || n || '@example.com', 'buyer-' || n || '@example.com'
		FROM generate_series(0, $1::int - 1) n`
	sqlTaken = `SELECT c.held + c.sold, (SELECT coalesce(sum(qty), 0) FROM hold_line l WHERE l.event_id = c.event_id AND l.state IN (1, 2))
		FROM counter c JOIN event e ON e.id = c.event_id WHERE e.slug = $1`
)

// hold times: lapsing keeps a run going, brief lets a small hall keep up with a large one.
const (
	lapsing = "500 milliseconds"
	brief   = "1 millisecond"
	lasting = "8 minutes"
)

func stock(ctx context.Context, conn *pgx.Conn) error {
	type step struct {
		sql  string
		args []any
	}
	for _, s := range []step{
		{sqlVenue, []any{"arena-hall", arenaSeats}}, {sqlVenue, []any{"club-hall", clubSeats}}, {sqlVenue, []any{"bus", tripSeats}},
		{sqlEvents, []any{"arena", "arena-hall", 1, lapsing}},
		{sqlEvents, []any{"arena-brief", "arena-hall", 1, brief}},
		{sqlEvents, []any{"club", "club-hall", 1, lapsing}},
		{sqlEvents, []any{"club-brief", "club-hall", 1, brief}},
		{sqlEvents, []any{"trip", "bus", trips, lapsing}},
		{sqlArea, []any{"field", 1_000_000_000, lapsing}},
		{sqlAccounts, []any{people}},
		{"ANALYZE", nil},
	} {
		if _, err := conn.Exec(ctx, s.sql, s.args...); err != nil {
			return fmt.Errorf("stock the shop: %w", err)
		}
	}
	return nil
}

// wish is what request n asks for: an event, and seats of it or places of its area.
type wish func(n int64) (slug string, seats [2]int32, places int)

// walk goes through all pairs of seats before it comes back to one, in no order a disk would like.
func walk(slug string, seats int64) wish {
	const stride = 7919 // prime, and no divisor of any of the sizes
	return func(n int64) (string, [2]int32, int) {
		first := int32(n * stride % (seats / 2) * 2)
		return slug, [2]int32{first + 1, first + 2}, 0
	}
}

// overTrips is walk over many small events at once.
func overTrips(slugs []string) wish {
	return func(n int64) (string, [2]int32, int) {
		first := int32(n / trips % (tripSeats / 2) * 2)
		return slugs[n%trips], [2]int32{first + 1, first + 2}, 0
	}
}

func tripSlugs() []string {
	slugs := make([]string, trips)
	for i := range slugs {
		slugs[i] = fmt.Sprintf("trip-%d", i+1)
	}
	return slugs
}

// crowdOn wants any of few seats, whoever has them.
func crowdOn(slug string, seats int64) wish {
	return func(n int64) (string, [2]int32, int) {
		first := int32(scatter(n) % uint64(seats/2) * 2)
		return slug, [2]int32{first + 1, first + 2}, 0
	}
}

func area(slug string) wish {
	return func(int64) (string, [2]int32, int) { return slug, [2]int32{}, 2 }
}

// scatter spreads numbers that follow each other (splitmix64).
func scatter(n int64) uint64 {
	z := uint64(n) * 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
