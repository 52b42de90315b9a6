package event

// Import. All of it runs under the import lock.
const (
	sqlImportLock = `SELECT pg_advisory_xact_lock(hashtext('ropeline event import'))`

	sqlVenueBySlug = `SELECT id, name, city, country, geometry_hash, seat_count,
		(SELECT count(*) FROM event e WHERE e.venue_id = v.id) FROM venue v WHERE slug = $1`
	sqlInsertVenue = `INSERT INTO venue (slug, name, city, country, geometry_hash, geometry, seat_count)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`
	sqlUpdateVenue      = `UPDATE venue SET name = $2, city = $3, country = $4, geometry_hash = $5, geometry = $6, seat_count = $7 WHERE id = $1`
	sqlDeleteVenueSeats = `DELETE FROM venue_seat WHERE venue_id = $1`
	sqlVenueClasses     = `SELECT class, count(*)::int FROM venue_seat WHERE venue_id = $1 GROUP BY class`
	sqlVenueGeometry    = `SELECT geometry FROM venue WHERE id = $1`
	sqlAreaOfCounter    = `SELECT c.name, v.geometry FROM counter c JOIN event e ON e.id = c.event_id JOIN venue v ON v.id = e.venue_id
		WHERE c.event_id = $1 AND c.id = $2 AND c.kind = 'area'`

	sqlEventBySlug = `SELECT id, coalesce(venue_id, 0), organiser, title, description, place, coalesce(route_from, ''), coalesce(route_to, ''),
		starts_at, time_zone, currency, state, on_sale_at, off_sale_at, max_per_account, hold_ttl, extend, extend_by, hold_cap, late_policy, fee_bp,
		orphan_rule, access_until, hold_budget, seats_counted, map_life FROM event WHERE slug = $1`
	sqlInsertEvent = `INSERT INTO event (slug, venue_id, organiser, title, description, place, route_from, route_to,
		starts_at, time_zone, currency, state, on_sale_at, off_sale_at, max_per_account, hold_ttl, extend, extend_by, hold_cap, late_policy, fee_bp,
		orphan_rule, access_until, hold_budget, seats_counted, map_life)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) RETURNING id`
	sqlUpdateEvent = `UPDATE event SET (venue_id, organiser, title, description, place, route_from, route_to,
		starts_at, time_zone, currency, state, on_sale_at, off_sale_at, max_per_account, hold_ttl, extend, extend_by, hold_cap, late_policy, fee_bp,
		orphan_rule, access_until, hold_budget, seats_counted, map_life)
		= ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26) WHERE slug = $1`
	sqlInsertSeats = `INSERT INTO seat (event_id, seat_id, class, kind)
		SELECT e.id, s.seat_id, s.class, s.kind FROM event e JOIN venue_seat s ON s.venue_id = e.venue_id WHERE e.id = $1 ORDER BY s.seat_id`
	sqlCountSeats    = `UPDATE seat SET counter_id = $2 WHERE event_id = $1 AND class = $3`
	sqlInsertVersion = `INSERT INTO event_version (event_id) VALUES ($1)`

	sqlPrices      = `SELECT class, name, amount FROM price_level WHERE event_id = $1 ORDER BY class`
	sqlInsertPrice = `INSERT INTO price_level (event_id, class, name, amount) VALUES ($1, $2, $3, $4)`
	sqlUpdatePrice = `UPDATE price_level SET name = $3, amount = $4 WHERE event_id = $1 AND class = $2`

	sqlCounters = `SELECT id, kind, name, class, capacity, overbook, array_to_string(types, E'\x1f'),
		(SELECT seats_counted FROM event e WHERE e.id = c.event_id) AND EXISTS (SELECT FROM seat s WHERE s.event_id = c.event_id AND s.counter_id = c.id)
		FROM counter c WHERE event_id = $1 ORDER BY id FOR NO KEY UPDATE OF c`
	sqlInsertCounter = `INSERT INTO counter (event_id, id, kind, name, class, capacity, overbook, types) VALUES ($1, $2, $3, $4, $5, $6, $7, string_to_array($8::text, E'\x1f'))`
	// Lowered below what is held and sold, the limit leaves an excess that only shrinks.
	sqlUpdateCounter = `UPDATE counter SET capacity = $3, overbook = $4, excess = greatest(0, held + sold - $3 - $4), types = string_to_array($5::text, E'\x1f') WHERE event_id = $1 AND id = $2
		RETURNING held, sold, capacity + overbook - held - sold`
)

// Who changed what, and an event as a file says it.
const (
	sqlActor = `SELECT set_config('ropeline.actor', $1, true)`
	// Who set a counter's limit last, its creation apart.
	sqlWhoLimited = `SELECT actor, coalesce(reason, '') FROM catalogue_change
		WHERE event_id = $1 AND kind = 'counter' AND name = $2 AND before IS NOT NULL AND after ?| '{capacity,overbook}' ORDER BY id DESC LIMIT 1`
	sqlRecords = `SELECT c.id, c.at, c.actor, c.reason, c.kind, c.name, e.slug, c.before, c.after FROM catalogue_change c LEFT JOIN event e ON e.id = c.event_id
		WHERE ($1 = '' OR c.event_id = (SELECT id FROM event WHERE slug = $1)) AND ($2 = 0::bigint OR c.id < $2) ORDER BY c.id DESC LIMIT $3`
	sqlVenueSlug      = `SELECT slug FROM venue WHERE id = $1`
	sqlExportCounters = `SELECT kind, name, class, capacity, overbook, types,
		(SELECT seats_counted FROM event e WHERE e.id = c.event_id) AND EXISTS (SELECT FROM seat s WHERE s.event_id = c.event_id AND s.counter_id = c.id)
		FROM counter c WHERE event_id = $1 ORDER BY id`
)

// The catalogue. None of these takes a lock that a sale waits for.
const (
	sqlSummary = `SELECT e.slug, e.title, e.place, e.route_from, e.route_to, e.starts_at, e.time_zone,
		CASE WHEN e.state = 'on_sale' AND e.off_sale_at <= now() THEN 'closed' ELSE e.state END, e.currency, e.on_sale_at,
		(SELECT min(amount) FROM price_level p WHERE p.event_id = e.id),
		coalesce(v.seat_count, 0),
		(SELECT coalesce(sum(capacity), 0)::int FROM counter c WHERE c.event_id = e.id)`
	// A day of any zone lies within a day of UTC's: that is what the index is asked for.
	// Words of strangers are only ever parameters, compared with strpos: no pattern
	// language that they could speak.
	sqlSearch = sqlSummary + ` FROM event e LEFT JOIN venue v ON v.id = e.venue_id
		WHERE e.state <> 'draft' AND e.starts_at > now() - interval '1 day'
		AND ($1 = '' OR strpos(lower(concat_ws(E'\n', e.title, e.description, e.organiser, e.place, v.name, v.city)), lower($1)) > 0)
		AND ($2 = '' OR strpos(lower(concat_ws(E'\n', e.place, v.name, v.city)), lower($2)) > 0)
		AND ($3 = '' OR strpos(lower(e.route_from), lower($3)) > 0)
		AND ($4 = '' OR strpos(lower(e.route_to), lower($4)) > 0)
		AND ($5::text IS NULL OR (e.starts_at AT TIME ZONE e.time_zone)::date = $5::text::date)
		AND e.starts_at >= coalesce($5::text::date - 1, '-infinity')::timestamptz AND e.starts_at < coalesce($5::text::date + 2, 'infinity')::timestamptz
		ORDER BY e.starts_at, e.slug LIMIT $6`
	sqlDetail = sqlSummary + `, e.id, e.description, e.organiser, e.max_per_account, e.hold_ttl, v.name, v.city, v.geometry_hash,
		(SELECT min(p.starts_at) FROM presale p WHERE p.event_id = e.id AND e.on_sale_at > now() AND (p.ends_at IS NULL OR p.ends_at > now()))
		FROM event e LEFT JOIN venue v ON v.id = e.venue_id WHERE e.slug = $1 AND e.state <> 'draft'`
	sqlGeometry = `SELECT geometry FROM venue WHERE geometry_hash = $1 LIMIT 1`

	// A line past its time still counts in counter.held until somebody reclaims it;
	// what is shown must not wait for that.
	sqlFree = `greatest(0, c.capacity + c.overbook - c.sold - c.held + (SELECT coalesce(sum(l.qty), 0)::int FROM hold_line l
		WHERE l.event_id = c.event_id AND l.counter_id = c.id AND l.state = 1 AND l.qty > 0 AND l.held_until <= now()))`
	sqlCountersNow = `SELECT c.id, c.kind, c.name, c.class, c.types, c.capacity, ` + sqlFree + ` FROM counter c WHERE c.event_id = $1 ORDER BY c.id`

	// One digit a seat in the order of the ids, and the ends of holds apart: 60 KB over
	// the wire instead of 60,000 rows. One statement, so all of it is of one snapshot.
	sqlSeats = `SELECT e.id, ev.v, now(), e.map_life, coalesce(v.geometry_hash, ''),
		coalesce((SELECT string_agg(CASE s.state WHEN 'held' THEN '1' WHEN 'sold' THEN '2' WHEN 'blocked' THEN '3' ELSE '0' END, '' ORDER BY s.seat_id)
			FROM seat s WHERE s.event_id = e.id), ''),
		held.seats, held.until,
		coalesce((SELECT json_agg(json_build_object('id', c.id, 'available', ` + sqlFree + `) ORDER BY c.id)
			FROM counter c WHERE c.event_id = e.id), '[]'::json)
		FROM event e JOIN event_version ev ON ev.event_id = e.id LEFT JOIN venue v ON v.id = e.venue_id,
		LATERAL (SELECT coalesce(array_agg(s.seat_id ORDER BY s.seat_id), '{}') AS seats, coalesce(array_agg(s.held_until ORDER BY s.seat_id), '{}') AS until
			FROM seat s WHERE s.event_id = e.id AND s.state = 'held') held
		WHERE e.slug = $1 AND e.state <> 'draft'`

	// The changes of many events at once, each from what is known of it. The outbox has
	// them in the order of their commits, so none can come later with a lower number. A
	// change that is no longer there shows as a version without a row.
	sqlNews = `SELECT k.id, ev.v, o.seq, o.payload, clock_timestamp()
		FROM unnest($1::bigint[], $2::bigint[]) k(id, v) JOIN event_version ev ON ev.event_id = k.id AND ev.v > k.v
		LEFT JOIN LATERAL (SELECT seq, payload FROM outbox WHERE aggregate = 'event:' || k.id AND seq > k.v ORDER BY seq LIMIT $3) o ON true
		ORDER BY k.id, o.seq`
	sqlClock = `SELECT clock_timestamp()`
)
