package booking

// Claims of the payment loops. now() and not clock_timestamp(): it is stable
// within the statement, so the partial indexes can be used, and it is not older
// than the statement by more than its own begin.
const (
	// attempt_due covers captured money that is to be given back as well; that part
	// belongs to the refund rows.
	sqlClaimAttempts = `
UPDATE attempt t SET next_at = now() + make_interval(secs => $2)
  FROM (SELECT event_id, id FROM attempt
         WHERE next_at <= now()
           AND (phase IN ('created', 'sent', 'unknown')
             OR (want = 'keep' AND authorized > 0 AND captured = 0 AND NOT voided)
             OR (want = 'give_back' AND authorized > 0 AND NOT voided AND captured = 0))
         ORDER BY next_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED) due
 WHERE t.event_id = due.event_id AND t.id = due.id
RETURNING t.event_id, t.order_id, t.id`

	sqlClaimRefunds = `
UPDATE refund t SET next_at = now() + make_interval(secs => $2)
  FROM (SELECT event_id, id FROM refund
         WHERE state = 'reserved' AND next_at <= now()
         ORDER BY next_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED) due
 WHERE t.event_id = due.event_id AND t.id = due.id
RETURNING t.event_id, t.order_id, t.id`

	sqlRefundTried = `UPDATE refund SET tries = tries + 1 WHERE event_id = $1 AND id = $2 RETURNING tries`
	sqlRefundLater = `UPDATE refund SET next_at = now() + make_interval(secs => $3) WHERE event_id = $1 AND id = $2`
)
