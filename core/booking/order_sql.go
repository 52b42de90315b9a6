package booking

// Statements of orders, attempts, refunds and tickets.
const (
	sqlEventSlug = `SELECT slug FROM event WHERE id = $1`

	sqlOrderHold = `SELECT hold_id FROM orders WHERE event_id = $1 AND id = $2`

	sqlLockOrder = `
SELECT id, account_id, hold_id, state, reason, disputed, amount, currency, fee, current_attempt, attempts, version, created_at
  FROM orders WHERE event_id = $1 AND id = $2 FOR NO KEY UPDATE`

	attemptColumns = `id, provider, phase, want, card_token, payment_ref, amount, currency,
       authorized, captured, refunded, declined, voided, dispute, reason, sent_at, checks, not_found, asked_at, quiet_ms, watch_until`

	sqlLockAttempts = `
SELECT ` + attemptColumns + `
  FROM attempt WHERE event_id = $1 AND order_id = $2 ORDER BY created_at, id FOR NO KEY UPDATE`

	sqlRefunds = `
SELECT id, attempt_id, amount, state = 'done', reason, sent_at, kept, refusals
  FROM refund WHERE event_id = $1 AND order_id = $2 ORDER BY created_at, id`

	sqlDisputed = `SELECT amount FROM posting WHERE event_id = $1 AND journal_id = $2 AND account = $3`

	sqlInsertOrder = `
INSERT INTO orders (event_id, id, account_id, hold_id, state, amount, currency, fee, version, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $9)`

	sqlOrderOfHold = `SELECT id FROM orders WHERE event_id = $1 AND hold_id = $2`

	sqlWriteOrder = `
UPDATE orders SET state = $3, reason = $4, disputed = $5, current_attempt = $6, attempts = $7, version = $8, updated_at = $9
 WHERE event_id = $1 AND id = $2`

	sqlInsertAttempt = `
INSERT INTO attempt (event_id, id, order_id, provider, phase, card_token, amount, currency, created_at, next_at)
VALUES ($1, $2, $3, $4, 'created', $5, $6, $7, $8, $8)`

	sqlWriteAttempt = `
UPDATE attempt SET phase = $3, want = $4, payment_ref = $5, authorized = $6, captured = $7, refunded = $8, declined = $9,
       voided = $10, dispute = $11, reason = $12, sent_at = $13, checks = $14, not_found = $15, asked_at = $16, quiet_ms = $17,
       watch_until = $18, next_at = $19
 WHERE event_id = $1 AND id = $2`

	sqlInsertRefund = `
INSERT INTO refund (event_id, id, order_id, attempt_id, amount, currency, state, reason, created_at, done_at, next_at,
       kept, lines, asked_by, request_id, free_limit)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, CASE WHEN $7 = 'done' THEN $9::timestamptz END, $9, $10, $11, $12, $13, $14)`

	sqlWriteRefund = `
UPDATE refund SET state = $3, done_at = CASE WHEN $3 = 'done' THEN coalesce(done_at, $4::timestamptz) END, sent_at = $5
 WHERE event_id = $1 AND id = $2`

	sqlIssueTickets = `
INSERT INTO ticket (event_id, id, order_id, line, unit, seat_id, counter_id, hold_version, account_id, issued_at)
SELECT $1, t.id, $2, t.line, t.unit, nullif(t.seat, 0), nullif(t.counter, 0), t.version, $3, $4
  FROM unnest($5::uuid[], $6::smallint[], $7::smallint[], $8::int[], $9::bigint[], $10::int[])
       AS t(id, line, unit, seat, counter, version)`

	sqlRevokeTickets = `
UPDATE ticket SET revoked_at = $3
 WHERE event_id = $1 AND order_id = $2 AND revoked_at IS NULL AND ($4::smallint[] IS NULL OR line = ANY($4))`

	sqlOverdueOrders = `
SELECT o.event_id, o.id FROM orders o JOIN hold h ON h.event_id = o.event_id AND h.id = o.hold_id
 WHERE o.state = 'pending_payment' AND (h.state <> 1 OR h.held_until <= now())
 ORDER BY o.updated_at LIMIT $1`
)
