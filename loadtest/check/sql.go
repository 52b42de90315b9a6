package check

// Every statement is one snapshot: seats, lines and tickets are compared as they
// were at one moment, also while the sale goes on.

const (
	// The clock is read inside of the statement and so after its snapshot. A
	// client's time, or statement_timestamp(), could lie before the snapshot and
	// would then show a hold that ended and its successor as two live ones.
	sqlDoubleClaims = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS t)
SELECT l.event_id, l.seat_id, count(*)::int, array_agg(l.hold_id::text ORDER BY l.hold_version), max(clock.t)
  FROM hold_line l, clock
 WHERE l.seat_id IS NOT NULL AND (l.state = 2 OR (l.state = 1 AND l.held_until > clock.t))
 GROUP BY 1, 2 HAVING count(*) > 1
 ORDER BY 1, 2`

	sqlDoubleTickets = `
SELECT event_id, seat_id, count(*)::int, array_agg(id::text), now()
  FROM ticket WHERE seat_id IS NOT NULL AND revoked_at IS NULL
 GROUP BY 1, 2 HAVING count(*) > 1
 ORDER BY 1, 2`

	// A seat and the line that sold it name each other, with the same version.
	sqlSeatsWithoutLine = `
SELECT s.event_id, s.seat_id, s.state, s.hold_version, coalesce(s.hold_id::text, ''), coalesce(l.hold_id::text, ''), coalesce(l.hold_version, 0)
  FROM (SELECT * FROM seat WHERE state = 'sold') s
  LEFT JOIN (SELECT * FROM hold_line WHERE state = 2 AND seat_id IS NOT NULL) l
    ON l.event_id = s.event_id AND l.seat_id = s.seat_id AND l.hold_id = s.hold_id AND l.hold_version = s.hold_version
 WHERE l.event_id IS NULL
 ORDER BY 1, 2`

	sqlLinesWithoutSeat = `
SELECT l.event_id, l.seat_id, coalesce(s.state, 'missing'), coalesce(s.hold_version, 0), coalesce(s.hold_id::text, ''), l.hold_id::text, l.hold_version
  FROM hold_line l LEFT JOIN seat s ON s.event_id = l.event_id AND s.seat_id = l.seat_id
 WHERE l.state = 2 AND l.seat_id IS NOT NULL
   AND (s.state = 'sold' AND s.hold_id = l.hold_id AND s.hold_version = l.hold_version) IS NOT TRUE
 ORDER BY 1, 2`

	// Both sums are recomputed from the lines; live places from the clock.
	sqlCounters = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS t),
lines AS (
  SELECT event_id, counter_id, sum(qty) FILTER (WHERE state = 1) AS held, sum(qty) FILTER (WHERE state = 2) AS sold,
         sum(qty) FILTER (WHERE state = 2 OR (state = 1 AND held_until > t)) AS live
    FROM hold_line, clock WHERE counter_id IS NOT NULL GROUP BY 1, 2)
SELECT c.event_id, c.id, c.name, c.capacity + c.overbook + c.excess, c.held, c.sold,
       coalesce(l.held, 0)::bigint, coalesce(l.sold, 0)::bigint, coalesce(l.live, 0)::bigint
  FROM counter c LEFT JOIN lines l ON l.event_id = c.event_id AND l.counter_id = c.id
 WHERE c.held <> coalesce(l.held, 0) OR c.sold <> coalesce(l.sold, 0) OR coalesce(l.live, 0) > c.capacity + c.overbook + c.excess
 ORDER BY 1, 2`

	sqlAccountLines = `
SELECT l.event_id, l.account_id, e.max_per_account, l.hold_id::text, l.line, l.qty, h.state, h.created_at, h.held_until
  FROM hold_line l
  JOIN hold h ON h.event_id = l.event_id AND h.id = l.hold_id
  JOIN event e ON e.id = l.event_id
 ORDER BY l.event_id, l.account_id, h.created_at, l.hold_id, l.line`

	sqlAccountTickets = `
SELECT o.hold_id::text, t.line, t.issued_at, t.revoked_at
  FROM ticket t JOIN orders o ON o.event_id = t.event_id AND o.id = t.order_id`

	sqlAccountSold = `
SELECT a.event_id, a.account_id, e.max_per_account, a.sold, coalesce(t.n, 0)::int
  FROM account_event a
  JOIN event e ON e.id = a.event_id
  LEFT JOIN (SELECT event_id, account_id, count(*) AS n FROM ticket WHERE revoked_at IS NULL GROUP BY 1, 2) t
         ON t.event_id = a.event_id AND t.account_id = a.account_id
 WHERE a.sold > e.max_per_account OR a.sold <> coalesce(t.n, 0)
 ORDER BY 1, 2`

	sqlJournals = `
SELECT j.event_id, j.id, coalesce(p.currency, ''), coalesce(sum(p.amount), 0)::bigint, count(p.line)::int
  FROM journal j LEFT JOIN posting p ON p.event_id = j.event_id AND p.journal_id = j.id
 GROUP BY 1, 2, p.currency
HAVING coalesce(sum(p.amount), 0) <> 0 OR count(p.line) = 0
 ORDER BY 1, 2, 3`

	sqlBalances = `SELECT split_part(account, ':', 1), currency, sum(amount)::bigint FROM posting GROUP BY 1, 2 ORDER BY 2, 1`

	sqlOwed = `
SELECT o.currency,
       coalesce(sum(o.amount) FILTER (WHERE o.state = 'confirmed'), 0)::bigint,
       coalesce(sum(l.value), 0)::bigint
  FROM orders o
  LEFT JOIN (SELECT event_id, hold_id, sum(price * qty) AS value FROM hold_line WHERE state = 2 GROUP BY 1, 2) l
         ON l.event_id = o.event_id AND l.hold_id = o.hold_id
 GROUP BY 1`

	sqlAttempts = `
SELECT a.id::text, a.event_id, o.id::text, o.state, o.amount, o.currency, a.want, a.phase
  FROM attempt a JOIN orders o ON o.event_id = a.event_id AND o.id = a.order_id
 ORDER BY a.event_id, o.id, a.created_at`

	sqlPaidSeats = `
SELECT o.event_id, o.id::text, o.hold_id::text, o.state, o.amount, o.currency,
       coalesce(l.sold, 0)::int, coalesce(l.value, 0)::bigint, coalesce(t.live, 0)::int
  FROM orders o
  LEFT JOIN (SELECT event_id, hold_id, sum(qty) AS sold, sum(price * qty) AS value FROM hold_line WHERE state = 2 GROUP BY 1, 2) l
         ON l.event_id = o.event_id AND l.hold_id = o.hold_id
  LEFT JOIN (SELECT event_id, order_id, count(*) AS live FROM ticket WHERE revoked_at IS NULL GROUP BY 1, 2) t
         ON t.event_id = o.event_id AND t.order_id = o.id
 ORDER BY 1, 2`

	sqlSoldWithoutOrder = `
SELECT l.event_id, l.hold_id::text, count(*)::int
  FROM hold_line l LEFT JOIN orders o ON o.event_id = l.event_id AND o.hold_id = l.hold_id
 WHERE l.state = 2 AND o.id IS NULL
 GROUP BY 1, 2 ORDER BY 1, 2`

	// What the loops still have to do; 0 is quiet. The conditions are those of
	// MONEY's facts and want, written down once more from the rows.
	sqlUnrest = `
SELECT (SELECT count(*) FROM attempt
         WHERE phase IN ('created', 'sent', 'unknown')
            OR (want = 'keep' AND authorized > 0 AND captured = 0 AND NOT voided)
            OR (want = 'give_back' AND authorized > 0 AND captured = 0 AND NOT voided)
            OR (want = 'give_back' AND captured > refunded))
     + (SELECT count(*) FROM refund WHERE state = 'reserved')
     + (SELECT count(*) FROM webhook_inbox WHERE state = 'new')`

	// A sold seat counts when the hold that sold it came after another person's
	// hold of the same seat which had ended by time: not released, not replaced,
	// not sold.
	sqlTakenOver = `
SELECT count(*)::int
  FROM seat s
  JOIN event e ON e.id = s.event_id
  JOIN hold_line l ON l.event_id = s.event_id AND l.seat_id = s.seat_id AND l.hold_id = s.hold_id AND l.state = 2
  JOIN hold h ON h.event_id = l.event_id AND h.id = l.hold_id
 WHERE s.state = 'sold' AND ($1 = '' OR e.slug = $1)
   AND EXISTS (SELECT FROM hold_line b JOIN hold p ON p.event_id = b.event_id AND p.id = b.hold_id
                WHERE b.event_id = s.event_id AND b.seat_id = s.seat_id AND b.hold_id <> s.hold_id
                  AND b.hold_version < l.hold_version AND p.account_id <> h.account_id
                  AND p.state IN (0, 1) AND p.held_until <= h.created_at)`

	sqlSold = `
SELECT count(*) FILTER (WHERE s.state = 'sold')::int, count(*) FILTER (WHERE s.state <> 'blocked')::int
  FROM seat s JOIN event e ON e.id = s.event_id
 WHERE $1 = '' OR e.slug = $1`
)
