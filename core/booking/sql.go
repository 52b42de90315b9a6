package booking

// Statements of the spine. Those of orders and payments have their own file.
const (
	sqlEventID = `SELECT id FROM event WHERE slug = $1`

	// The advisory lock answers "in progress" at once where the INSERT of the key
	// would wait for the other transaction.
	sqlTryKey = `SELECT pg_try_advisory_xact_lock($1)`

	sqlTakeKey = `
INSERT INTO idempotency (event_id, account_id, route, key, body_hash, status, body)
VALUES ($1, $2, $3, $4, $5, 0, '') ON CONFLICT DO NOTHING`

	sqlStoreAnswer = `
UPDATE idempotency SET status = $5, body = $6
 WHERE event_id = $1 AND account_id = $2 AND route = $3 AND key = $4`

	sqlReplay = `
UPDATE idempotency SET replays = replays + 1
 WHERE event_id = $1 AND account_id = $2 AND route = $3 AND key = $4
RETURNING body_hash = $5, status, body`

	// The keys of a batch: see readKeys.
	sqlKeysThere = `
SELECT i.event_id, i.account_id, i.route, i.key
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) AS k(event_id, account_id, route, key)
  JOIN idempotency i ON i.event_id = k.event_id AND i.account_id = k.account_id AND i.route = k.route AND i.key = k.key`

	sqlCopyKeys = `
COPY idempotency (event_id, account_id, route, key, body_hash, status, body) FROM STDIN BINARY`

	sqlReplays = `
WITH k AS (
  SELECT i.event_id, i.account_id, i.route, i.key, k.print
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bytea[]) AS k(event_id, account_id, route, key, print)
    JOIN idempotency i ON i.event_id = k.event_id AND i.account_id = k.account_id AND i.route = k.route AND i.key = k.key
   ORDER BY 1, 2, 3, 4 FOR NO KEY UPDATE OF i)
UPDATE idempotency i SET replays = replays + 1 FROM k
 WHERE i.event_id = k.event_id AND i.account_id = k.account_id AND i.route = k.route AND i.key = k.key
RETURNING i.event_id, i.account_id, i.route, i.key, i.body_hash = k.print, i.status, i.body`

	// Three days are far beyond any client's patience; a key that is being replayed at
	// this moment is left for the next time.
	sqlPurgeKeys = `
DELETE FROM idempotency i
 USING (SELECT ctid FROM idempotency WHERE created_at < now() - interval '3 days' LIMIT $1 FOR UPDATE SKIP LOCKED) AS old
 WHERE i.ctid = old.ctid`

	sqlHoldView = `
SELECT h.state, h.held_until, h.amount, h.currency, clock_timestamp(), coalesce(v.v, 0)
  FROM hold h LEFT JOIN event_version v ON v.event_id = h.event_id
 WHERE h.event_id = $1 AND h.id = $2 AND h.account_id = $3`

	sqlHoldViewLines = `
SELECT l.line, coalesce(l.seat_id, 0), coalesce(l.counter_id, 0), l.qty, l.price,
       coalesce(s.section, ''), coalesce(s.row_name, ''), coalesce(s.number, ''), coalesce(c.name || coalesce(', ' || p.name, ''), '')
  FROM hold_line l JOIN event e ON e.id = l.event_id
  LEFT JOIN venue_seat s ON s.venue_id = e.venue_id AND s.seat_id = l.seat_id
  LEFT JOIN counter c ON c.event_id = l.event_id AND c.id = l.counter_id
  LEFT JOIN price_level p ON p.event_id = l.event_id AND p.class = l.class
 WHERE l.event_id = $1 AND l.hold_id = $2 ORDER BY l.line`
)

// statements are all statements of the spine, for the test that prepares them.
var statements = map[string]string{
	"event id": sqlEventID, "try key": sqlTryKey, "take key": sqlTakeKey, "store answer": sqlStoreAnswer, "replay": sqlReplay,
	"keys there": sqlKeysThere, "replays": sqlReplays,
	"trace seat": sqlTraceSeat, "trace lines": sqlTraceLines, "purge keys": sqlPurgeKeys, "hold view": sqlHoldView, "lines of hold view": sqlHoldViewLines,
}
