package booking

// Statements of the spine. Those of orders and payments have their own file.
const (
	sqlEventID = `SELECT id FROM event WHERE slug = $1`

	// The advisory lock answers "in progress" at once where the INSERT of the key
	// would wait for the other transaction.
	sqlTryKey = `SELECT pg_try_advisory_xact_lock($1), clock_timestamp()`

	// Where a key may be is said in each statement ($1): what is not named is neither read
	// nor locked.
	sqlTakeKey = `
INSERT INTO idempotency (slot, event_id, account_id, id, body_hash, status, body)
SELECT $6, $2, $3, $4, $5, 0, ''
 WHERE NOT EXISTS (SELECT FROM idempotency i WHERE i.slot = ANY($1::smallint[]) AND i.event_id = $2 AND i.account_id = $3 AND i.id = $4)
ON CONFLICT DO NOTHING`

	// The key is unique in its partition alone. A batch, which has its account's row locked as
	// this has by now, may have written it in another one since it was taken here.
	sqlStoreAnswer = `
UPDATE idempotency k SET status = $6, body = $7
 WHERE k.slot = ANY($1::smallint[]) AND k.slot = $5 AND k.event_id = $2 AND k.account_id = $3 AND k.id = $4
   AND NOT EXISTS (SELECT FROM idempotency i WHERE i.slot = ANY($1::smallint[]) AND i.slot <> $5 AND i.event_id = $2 AND i.account_id = $3 AND i.id = $4)`

	sqlReplay = `
UPDATE idempotency SET replays = replays + 1
 WHERE slot = ANY($1::smallint[]) AND event_id = $2 AND account_id = $3 AND id = $4
RETURNING body_hash = $5, status, body`

	// The keys of a batch in one partition: see keysThereText.
	sqlKeysThere = `
SELECT i.event_id, i.account_id, i.id
  FROM unnest($1::bigint[], $2::bigint[], $3::uuid[]) AS k(event_id, account_id, id)
  JOIN idempotency_%d i ON i.event_id = k.event_id AND i.account_id = k.account_id AND i.id = k.id`

	sqlCopyKeys = `
COPY idempotency (slot, event_id, account_id, id, body_hash, status, body) FROM STDIN BINARY`

	sqlReplays = `
WITH k AS (
  SELECT i.slot, i.event_id, i.account_id, i.id, k.print
    FROM unnest($2::bigint[], $3::bigint[], $4::uuid[], $5::bytea[]) AS k(event_id, account_id, id, print)
    JOIN idempotency i ON i.slot = ANY($1::smallint[]) AND i.event_id = k.event_id AND i.account_id = k.account_id AND i.id = k.id
   ORDER BY 1, 2, 3, 4 FOR NO KEY UPDATE OF i)
UPDATE idempotency i SET replays = replays + 1 FROM k
 WHERE i.slot = ANY($1::smallint[]) AND i.slot = k.slot AND i.event_id = k.event_id AND i.account_id = k.account_id AND i.id = k.id
RETURNING i.event_id, i.account_id, i.id, i.body_hash = k.print, i.status, i.body`

	sqlHoldView = `
SELECT h.state, h.held_until, h.amount, h.currency, clock_timestamp(), coalesce(v.v, 0)
  FROM hold h LEFT JOIN event_version v ON v.event_id = h.event_id
 WHERE h.event_id = $1 AND h.id = $2 AND h.account_id = $3`

	sqlHoldViewLines = `
SELECT l.line, coalesce(l.seat_id, 0), coalesce(l.counter_id, 0), coalesce(l.class, ''), l.qty, l.price,
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
	"keys there": keysThereText[0], "replays": sqlReplays,
	"trace seat": sqlTraceSeat, "trace lines": sqlTraceLines, "hold view": sqlHoldView, "stock": sqlStock, "lines of hold view": sqlHoldViewLines,
}
