package booking

// Statements of the webhook inbox.
const (
	// A duplicate does not touch the row that is there: it may be locked by those who read it,
	// and the whole batch, and every provider in it, would wait until they have.
	sqlStoreWebhooks = `
INSERT INTO webhook_inbox (provider, id, body)
SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) AS k(provider, id, body) ORDER BY 1, 2
ON CONFLICT (provider, id) DO NOTHING`

	// But it writes: a transaction that has written nothing would not wait for the standby,
	// and its 2xx would promise what might be lost. The message is for nobody.
	sqlSayDuplicate = `SELECT pg_logical_emit_message(true, 'ropeline webhook', '')`

	sqlClaimWebhooks = `
UPDATE webhook_inbox t SET next_at = now() + make_interval(secs => $2)
  FROM (SELECT provider, id FROM webhook_inbox
         WHERE state IN ('new', 'unmatched') AND next_at <= now()
         ORDER BY next_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED) due
 WHERE t.provider = due.provider AND t.id = due.id
RETURNING t.provider, t.id, t.body, t.tries`

	sqlOrderOfAttempt = `SELECT order_id FROM attempt WHERE event_id = $1 AND id = $2 AND provider = $3`

	sqlAttemptByPayment = `SELECT event_id, order_id, id FROM attempt WHERE provider = $1 AND payment_ref = $2`

	sqlWebhookDone = `UPDATE webhook_inbox SET state = 'done', tries = tries + 1, error = '' WHERE provider = $1 AND id = $2`

	sqlOddWebhooks = `
SELECT provider, id, state, error, tries, received_at FROM webhook_inbox
 WHERE state IN ('unmatched', 'quarantined') ORDER BY received_at LIMIT $1`

	sqlResendWebhook = `
UPDATE webhook_inbox SET state = 'new', tries = 0, next_at = now(), error = '' WHERE provider = $1 AND id = $2`

	sqlPurgeWebhooks = `
DELETE FROM webhook_inbox w
 USING (SELECT ctid FROM webhook_inbox WHERE received_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED) AS old
 WHERE w.ctid = old.ctid`

	sqlShelveWebhook = `
UPDATE webhook_inbox SET state = $3, tries = tries + 1, next_at = now() + make_interval(secs => $4), error = left($5, 500)
 WHERE provider = $1 AND id = $2`
)
