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
)
