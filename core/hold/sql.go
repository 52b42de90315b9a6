package hold

// Statements of the inventory. Sets of keys come as parallel arrays and are called
// k. Locking statements order by key, so that transactions that meet wait in a row
// and never in a circle. FOR NO KEY UPDATE: nothing here changes a key, and foreign
// keys need not wait.
const (
	// Lengths of time leave the server in microseconds: a Go duration and an
	// interval do not agree on what a day is.
	sqlLockEvents = `
SELECT e.id, e.slug, e.title, e.organiser, e.state, e.currency, e.on_sale_at, e.off_sale_at, e.max_per_account,
       (extract(epoch FROM e.hold_ttl) * 1e6)::bigint, e.extend, (extract(epoch FROM e.extend_by) * 1e6)::bigint,
       (extract(epoch FROM e.hold_cap) * 1e6)::bigint, e.late_policy, e.fee_bp,
       e.orphan_rule, e.access_until, e.hold_budget, e.seats_counted,
       (SELECT min(p.starts_at) FROM presale p WHERE p.event_id = e.id)
  FROM event e WHERE e.id = ANY($1::bigint[]) ORDER BY e.id FOR SHARE OF e`

	// Which rows a hold is about never changes, so this may be read before any lock.
	sqlHoldRows = `
SELECT h.event_id, h.id, h.account_id, l.counter_id, l.seat_id
  FROM unnest($1::bigint[], $2::uuid[]) AS k(event_id, hold_id)
  JOIN hold h ON h.event_id = k.event_id AND h.id = k.hold_id
  JOIN hold_line l ON l.event_id = h.event_id AND l.hold_id = h.id`

	// An account without a row has no hold and no key of one at this event: its row is written
	// with its first hold, and whoever is second to write it runs again. Taking the row before
	// anything is decided would write it twice and make the lanes wait for one another. It is
	// told from a row that somebody else has locked, by a look of its own: EXISTS would read the
	// whole table into a hash. The keys come in their order.
	lockAccounts = `
SELECT k.event_id, k.account_id, a.sold, a.budget, a.first_hold_at,
       a.sold IS NULL AND coalesce((SELECT true FROM account_event x WHERE x.event_id = k.event_id AND x.account_id = k.account_id), false)
  FROM unnest($1::bigint[], $2::bigint[]) AS k(event_id, account_id)
  LEFT JOIN LATERAL (SELECT b.sold, coalesce(b.budget, -1) AS budget, b.first_hold_at FROM account_event b
                      WHERE b.event_id = k.event_id AND b.account_id = k.account_id FOR NO KEY UPDATE`
	sqlLockAccounts     = lockAccounts + `) AS a ON true`
	sqlLockAccountsSkip = lockAccounts + ` SKIP LOCKED) AS a ON true`

	// Whether accounts that had no row have one by now.
	sqlAccountsThere = `
SELECT a.event_id, a.account_id
  FROM unnest($1::bigint[], $2::bigint[]) AS k(event_id, account_id)
  JOIN account_event a ON a.event_id = k.event_id AND a.account_id = k.account_id`

	sqlBeginAccount = `INSERT INTO account_event (event_id, account_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`

	// Never SKIP LOCKED: every batch of an event needs its hot counter, and waits
	// for the batch of the other process.
	sqlLockCounters = `
SELECT c.event_id, c.id, c.name, c.class, c.capacity, c.overbook, c.excess, c.held, c.sold, c.types
  FROM unnest($1::bigint[], $2::bigint[]) AS k(event_id, counter_id)
  JOIN counter c ON c.event_id = k.event_id AND c.id = k.counter_id
 ORDER BY c.event_id, c.id FOR NO KEY UPDATE OF c`

	// Seats that follow one another are one look into the index. Who never waits needs no order.
	lockSeats = `
SELECT s.event_id, s.seat_id, s.class, s.kind, coalesce(s.counter_id, 0), s.state, s.hold_id, s.hold_version, s.held_until
  FROM unnest($1::bigint[], $2::int[], $3::int[]) AS k(event_id, first, last)
  JOIN seat s ON s.event_id = k.event_id AND s.seat_id BETWEEN k.first AND k.last`
	sqlLockSeats     = lockSeats + ` ORDER BY s.event_id, s.seat_id FOR NO KEY UPDATE OF s`
	sqlLockSeatsSkip = lockSeats + ` FOR NO KEY UPDATE OF s SKIP LOCKED`

	sqlSeatsThere = `
SELECT s.event_id, s.seat_id
  FROM unnest($1::bigint[], $2::int[]) AS k(event_id, seat_id)
  JOIN seat s ON s.event_id = k.event_id AND s.seat_id = k.seat_id`

	sqlPrices = `SELECT event_id, class, name, amount FROM price_level WHERE event_id = ANY($1::bigint[])`

	sqlSeatCounters = `
SELECT DISTINCT s.event_id, s.counter_id
  FROM unnest($1::bigint[], $2::int[]) AS k(event_id, seat_id)
  JOIN seat s ON s.event_id = k.event_id AND s.seat_id = k.seat_id AND s.counter_id IS NOT NULL`

	sqlClasses = `SELECT event_id, id FROM counter WHERE event_id = $1 AND kind = 'class'`

	// A grant is never taken back, so it may be read without a lock.
	sqlPresaleGrants = `
SELECT DISTINCT g.event_id, g.account_id
  FROM unnest($1::bigint[], $2::bigint[]) AS k(event_id, account_id)
  JOIN presale_grant g ON g.event_id = k.event_id AND g.account_id = k.account_id
  JOIN presale p ON p.event_id = g.event_id AND p.id = g.presale AND p.starts_at <= $3 AND (p.ends_at IS NULL OR p.ends_at > $3)`

	// The static half of a plan and what is free on it, in one pass over the seats.
	sqlPlan = `
SELECT s.seat_id, coalesce(v.section, ''), coalesce(v.row_name, ''), s.class, s.kind, coalesce(v.x, 0), coalesce(v.y, 0), coalesce(v.quality, 0),
       s.state, s.held_until
  FROM seat s JOIN event e ON e.id = s.event_id
  LEFT JOIN venue_seat v ON v.venue_id = e.venue_id AND v.seat_id = s.seat_id
 WHERE s.event_id = $1 ORDER BY s.seat_id`

	sqlLabels = `
SELECT e.id, v.seat_id, v.section, v.row_name, v.number
  FROM unnest($1::bigint[], $2::int[]) AS k(event_id, seat_id)
  JOIN event e ON e.id = k.event_id
  JOIN venue_seat v ON v.venue_id = e.venue_id AND v.seat_id = k.seat_id`

	sqlNow = `SELECT clock_timestamp()`

	// sqlReclaim gives due lines ($3 = now) of locked counters back: before anything
	// is decided on a counter, always, and by the sweeper (with a limit, $4; NULL is
	// none). The guard on the state makes each line come back once. The excess that
	// a lowered limit left shrinks with every place that returns.
	sqlReclaim = `
WITH due AS (
  UPDATE hold_line l SET state = 0
    FROM (SELECT d.event_id, d.hold_id, d.line
            FROM unnest($1::bigint[], $2::bigint[]) AS k(event_id, counter_id)
            JOIN hold_line d ON d.event_id = k.event_id AND d.counter_id = k.counter_id AND d.state = 1 AND d.held_until <= $3
           LIMIT $4) AS d
   WHERE l.event_id = d.event_id AND l.hold_id = d.hold_id AND l.line = d.line AND l.state + 0 = 1 -- no index but the key's
  RETURNING l.event_id, l.counter_id, l.qty),
s AS (SELECT event_id, counter_id, sum(qty)::int AS q, count(*) AS n FROM due GROUP BY 1, 2)
UPDATE counter c SET held = c.held - s.q, excess = greatest(0, c.excess - s.q)
  FROM s WHERE c.event_id = s.event_id AND c.id = s.counter_id
RETURNING c.event_id, c.id, c.held, c.excess, s.n`

	// One look into hold_by_account for each account, and only at what has not ended:
	// LATERAL with an aggregate cannot be turned round. A hold's lines are live as long as
	// it is, so its number of places stands for their sum.
	sqlLiveHolds = `
SELECT k.event_id, k.account_id, x.places
  FROM unnest($1::bigint[], $2::bigint[]) AS k(event_id, account_id)
 CROSS JOIN LATERAL (SELECT sum(h.places) AS places FROM hold h
                      WHERE h.event_id = k.event_id AND h.account_id = k.account_id AND h.held_until > $3 AND h.state = 1) AS x
 WHERE x.places > 0`

	sqlHoldAccount = `SELECT account_id FROM hold WHERE event_id = $1 AND id = $2`

	sqlHolds = `
SELECT h.event_id, h.id, h.account_id, h.state, h.created_at, h.first_held_at, h.held_until, h.extended, h.amount, h.currency
  FROM unnest($1::bigint[], $2::uuid[]) AS k(event_id, hold_id)
  JOIN hold h ON h.event_id = k.event_id AND h.id = k.hold_id`

	sqlLines = `
SELECT l.event_id, l.hold_id, l.line, coalesce(l.seat_id, 0), coalesce(l.counter_id, 0), coalesce(l.class, ''), l.hold_version, l.qty, l.price, l.state, l.held_until
  FROM unnest($1::bigint[], $2::uuid[]) AS k(event_id, hold_id)
  JOIN hold_line l ON l.event_id = k.event_id AND l.hold_id = k.hold_id
 ORDER BY 1, 2, 3`

	// Seats that were free and go to a new hold, those side by side as one.
	sqlTakeSeats = `
UPDATE seat s SET state = 'held', hold_version = s.hold_version + 1, hold_id = k.hold_id, held_until = k.until
  FROM unnest($1::bigint[], $2::int[], $3::int[], $4::uuid[], $5::timestamptz[]) AS k(event_id, first, last, hold_id, until)
 WHERE s.event_id = k.event_id AND s.seat_id BETWEEN k.first AND k.last`

	// Who has a seat, and until when, is told of the states that have such.
	sqlWriteSeats = `
UPDATE seat s SET state = k.state, hold_version = k.version,
       hold_id = CASE WHEN k.state IN ('held', 'sold') THEN k.hold_id END, held_until = CASE WHEN k.state = 'held' THEN k.until END
  FROM unnest($1::bigint[], $2::int[], $3::text[], $4::uuid[], $5::int[], $6::timestamptz[])
       AS k(event_id, seat_id, state, hold_id, version, until)
 WHERE s.event_id = k.event_id AND s.seat_id = k.seat_id`

	sqlCopyAccounts = `COPY account_event (event_id, account_id, sold, first_hold_at, budget) FROM STDIN BINARY`

	// COPY writes a page of rows at a time where INSERT writes each for itself: half of
	// the cost of a row.
	sqlCopyHolds = `
COPY hold (event_id, id, account_id, state, created_at, first_held_at, held_until, amount, currency, places) FROM STDIN BINARY`
	sqlCopyLines = `
COPY hold_line (event_id, hold_id, line, account_id, seat_id, counter_id, class, hold_version, qty, price, state, held_until) FROM STDIN BINARY`

	sqlWriteHolds = `
UPDATE hold h SET state = k.state, held_until = k.until, extended = k.extended
  FROM unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::timestamptz[], $5::smallint[]) AS k(event_id, hold_id, state, until, extended)
 WHERE h.event_id = k.event_id AND h.id = k.hold_id`

	// A line that is given back, and does not end by its time, remembers when ($7).
	sqlWriteLines = `
UPDATE hold_line l SET state = k.state, hold_version = k.version, held_until = k.until,
       ended_at = CASE WHEN k.state = 0 AND (l.state = 2 OR k.until > $7) THEN $7::timestamptz ELSE l.ended_at END
  FROM unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::smallint[], $5::int[], $6::timestamptz[]) AS k(event_id, hold_id, line, state, version, until)
 WHERE l.event_id = k.event_id AND l.hold_id = k.hold_id AND l.line = k.line`

	sqlWriteCounters = `
UPDATE counter c SET held = k.held, sold = k.sold, excess = k.excess
  FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::int[]) AS k(event_id, counter_id, held, sold, excess)
 WHERE c.event_id = k.event_id AND c.id = k.counter_id`

	sqlWriteAccounts = `
UPDATE account_event a SET sold = k.sold, budget = nullif(k.budget, -1), first_hold_at = k.since
  FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::timestamptz[]) AS k(event_id, account_id, sold, budget, since)
 WHERE a.event_id = k.event_id AND a.account_id = k.account_id`

	// A version is made by whoever needs it first; the rows are locked in order.
	sqlRaiseVersions = `
INSERT INTO event_version AS v (event_id, v)
SELECT k.event_id, 1 FROM unnest($1::bigint[]) AS k(event_id) ORDER BY 1
ON CONFLICT (event_id) DO UPDATE SET v = v.v + 1
RETURNING event_id, v`

	sqlVersions = `SELECT event_id, v FROM event_version WHERE event_id = ANY($1::bigint[])`

	// Lines without a counter are in no sum: their time alone ends them, and the sweeper
	// leaves them as they are.
	sqlDue = `
SELECT e.id, l.counter_id, (extract(epoch FROM now() - l.since) * 1e6)::bigint FROM event e
  CROSS JOIN LATERAL (SELECT counter_id, min(held_until) AS since FROM hold_line
                       WHERE event_id = e.id AND counter_id IS NOT NULL AND state = 1 AND held_until <= now() GROUP BY counter_id LIMIT $1) AS l
 ORDER BY 1, 2`
)

// statements are all statements of the package, for the test that prepares them.
var statements = map[string]string{
	"lock events": sqlLockEvents, "hold rows": sqlHoldRows, "lock accounts": sqlLockAccounts, "lock accounts, skip": sqlLockAccountsSkip, "accounts there": sqlAccountsThere, "begin account": sqlBeginAccount, "lock counters": sqlLockCounters,
	"lock seats": sqlLockSeats, "lock seats, skip": sqlLockSeatsSkip, "seats there": sqlSeatsThere,
	"prices": sqlPrices, "labels": sqlLabels, "now": sqlNow, "reclaim": sqlReclaim, "live holds": sqlLiveHolds,
	"hold account": sqlHoldAccount, "holds": sqlHolds, "lines": sqlLines, "write seats": sqlWriteSeats, "take seats": sqlTakeSeats,
	"write holds": sqlWriteHolds, "write lines": sqlWriteLines,
	"write counters": sqlWriteCounters, "write accounts": sqlWriteAccounts,
	"seat counters": sqlSeatCounters, "classes": sqlClasses, "presale grants": sqlPresaleGrants, "plan": sqlPlan,
	"raise versions": sqlRaiseVersions, "versions": sqlVersions, "due": sqlDue,
}
