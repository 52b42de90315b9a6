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

	// Given up, but an authorization may still show up.
	sqlClaimWatched = `
UPDATE attempt t SET next_at = now() + make_interval(secs => $2)
  FROM (SELECT event_id, id FROM attempt WHERE watch_until IS NOT NULL AND next_at <= now()
         ORDER BY next_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED) due
 WHERE t.event_id = due.event_id AND t.id = due.id
RETURNING t.event_id, t.order_id, t.id`

	sqlAttemptSoon = `
UPDATE attempt SET next_at = least(next_at, now() + interval '1 second') WHERE event_id = $1 AND id = $2`

	sqlClaimRefunds = `
UPDATE refund t SET next_at = now() + make_interval(secs => $2)
  FROM (SELECT event_id, id FROM refund
         WHERE state = 'reserved' AND next_at <= now()
         ORDER BY next_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED) due
 WHERE t.event_id = due.event_id AND t.id = due.id
RETURNING t.event_id, t.order_id, t.id`

	sqlRefundTried = `
UPDATE refund r SET tries = least(tries + 1, 30000) FROM attempt a
 WHERE r.event_id = $1 AND r.id = $2 AND a.event_id = r.event_id AND a.id = r.attempt_id RETURNING r.tries, r.amount, r.currency, a.provider`
	sqlRefundRefused = `UPDATE refund SET refusals = least(refusals + 1, 30000) WHERE event_id = $1 AND id = $2`
	sqlRefundLater   = `UPDATE refund SET next_at = now() + make_interval(secs => $3) WHERE event_id = $1 AND id = $2`

	// Both counts read the small indexes of what is under way, never the whole table.
	sqlUnderWay = `
SELECT count(*) FILTER (WHERE phase IN ('sent', 'unknown')),
       coalesce(extract(epoch FROM clock_timestamp() - min(sent_at) FILTER (WHERE phase IN ('sent', 'unknown'))), 0)::float8,
       count(*) FILTER (WHERE phase = 'answered' AND want = 'keep'),
       count(*) FILTER (WHERE phase = 'answered' AND want = 'give_back' AND captured = 0)
  FROM attempt
 WHERE phase IN ('created', 'sent', 'unknown')
    OR (want = 'keep' AND authorized > 0 AND captured = 0 AND NOT voided)
    OR (want = 'give_back' AND authorized > 0 AND NOT voided AND captured = 0)`

	sqlRefundsUnderWay = `
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 FROM refund WHERE state = 'reserved'`

	sqlInboxUnread = `
SELECT count(*) FILTER (WHERE state = 'new'), count(*) FILTER (WHERE state = 'unmatched'),
       coalesce(extract(epoch FROM clock_timestamp() - min(received_at) FILTER (WHERE state = 'new')), 0)::float8
  FROM webhook_inbox WHERE state IN ('new', 'unmatched')`
)

// moneyStatements are the statements of orders and payments, for the test that
// prepares them.
var moneyStatements = map[string]string{
	"event slug": sqlEventSlug, "order's hold": sqlOrderHold, "lock order": sqlLockOrder, "lock attempts": sqlLockAttempts,
	"refunds": sqlRefunds, "disputed": sqlDisputed, "insert order": sqlInsertOrder, "order of hold": sqlOrderOfHold,
	"write order": sqlWriteOrder, "insert attempt": sqlInsertAttempt, "write attempt": sqlWriteAttempt,
	"insert refund": sqlInsertRefund, "write refund": sqlWriteRefund, "issue tickets": sqlIssueTickets,
	"revoke tickets": sqlRevokeTickets, "overdue orders": sqlOverdueOrders,
	"orders of account": sqlOrdersOfAccount, "order view": sqlOrderView, "attempt": sqlAttempt, "line views": sqlLineViews,
	"tickets of order": sqlTicketsOfOrder, "tickets of account": sqlTicketsOfAccount, "ticket": sqlTicket,
	"claim attempts": sqlClaimAttempts, "claim watched": sqlClaimWatched, "attempt soon": sqlAttemptSoon, "claim refunds": sqlClaimRefunds,
	"refund tried": sqlRefundTried, "refund refused": sqlRefundRefused, "refund later": sqlRefundLater,
	"under way": sqlUnderWay, "refunds under way": sqlRefundsUnderWay, "inbox unread": sqlInboxUnread,
	"store webhooks": sqlStoreWebhooks, "say duplicate": sqlSayDuplicate, "claim webhooks": sqlClaimWebhooks, "order of attempt": sqlOrderOfAttempt, "attempt by payment": sqlAttemptByPayment,
	"webhook done": sqlWebhookDone, "odd webhooks": sqlOddWebhooks, "resend webhook": sqlResendWebhook, "purge webhooks": sqlPurgeWebhooks, "payout": sqlPayout, "shelve webhook": sqlShelveWebhook,
}
