package booking

// bookInvariants are what the ledger, refunds and approvals promise about each order.
var bookInvariants = []invariant{
	{"L5", "the journals of an order, replayed, give its state and its places", `
WITH b AS (
  SELECT j.event_id, j.order_id,
         coalesce(sum(p.amount) FILTER (WHERE p.account LIKE 'receivable:%'), 0) AS receivable,
         coalesce(-sum(p.amount) FILTER (WHERE p.account LIKE 'payable:%' OR p.account = 'revenue'), 0) AS sale
    FROM journal j JOIN posting p ON p.event_id = j.event_id AND p.journal_id = j.id
   WHERE j.order_id <> '00000000-0000-0000-0000-000000000000' GROUP BY 1, 2),
l AS (
  SELECT o.event_id, o.id, coalesce(sum(l.qty * l.price) FILTER (WHERE l.state = 2), 0) AS sold
    FROM orders o LEFT JOIN hold_line l ON l.event_id = o.event_id AND l.hold_id = o.hold_id GROUP BY 1, 2)
SELECT format('event %s order %s is %s: receivable %s, sale in the books %s, places sold for %s', o.event_id, o.id, o.state, b.receivable, b.sale, l.sold)
  FROM orders o JOIN l ON l.event_id = o.event_id AND l.id = o.id
  LEFT JOIN b ON b.event_id = o.event_id AND b.order_id = o.id
 WHERE coalesce(b.receivable, 0) <> CASE WHEN o.state = 'confirmed' THEN o.amount ELSE 0 END
    OR coalesce(b.sale, 0) <> l.sold AND NOT EXISTS (SELECT FROM refund r WHERE r.event_id = o.event_id AND r.order_id = o.id AND r.reason = 'elsewhere')
 LIMIT ` + maxFindings},
	{"P6", "refunds of a payment never exceed what was captured", `
SELECT format('event %s payment %s: %s reserved and returned of %s', a.event_id, a.id, sum(r.amount), a.captured)
  FROM attempt a JOIN refund r ON r.event_id = a.event_id AND r.attempt_id = a.id
 GROUP BY a.event_id, a.id HAVING sum(r.amount) > a.captured LIMIT ` + maxFindings},
	{"P6", "what staff give back over the limit has two approvers, neither of whom asked, of exactly its amount", `
SELECT format('event %s refund %s of %s by %s: %s approvers', r.event_id, r.id, r.amount, r.asked_by, x.n)
  FROM refund r
 CROSS JOIN LATERAL (
       SELECT count(DISTINCT a.approver) AS n FROM refund_request q JOIN refund_approval a ON a.event_id = q.event_id AND a.request_id = q.id
        WHERE q.event_id = r.event_id AND q.id = r.request_id AND q.order_id = r.order_id AND q.amount = r.amount AND q.kept = r.kept
          AND q.lines = r.lines AND a.amount = r.amount AND a.approver <> q.requested_by AND q.requested_by = r.asked_by) x
 CROSS JOIN LATERAL (
       SELECT sum(o.amount) AS given FROM refund o WHERE o.event_id = r.event_id AND o.order_id = r.order_id AND o.free_limit IS NOT NULL
          AND (o.created_at, o.id) <= (r.created_at, r.id)) g
 WHERE r.free_limit IS NOT NULL AND g.given > r.free_limit AND x.n < 2 LIMIT ` + maxFindings},
	{"P3", "a line that was given back is not sold, and has no valid ticket", `
SELECT format('event %s order %s line %s was given back and is in state %s with %s valid tickets', r.event_id, r.order_id, n.line, l.state, count(t.id))
  FROM refund r JOIN orders o ON o.event_id = r.event_id AND o.id = r.order_id
 CROSS JOIN LATERAL unnest(r.lines) AS n(line)
  JOIN hold_line l ON l.event_id = o.event_id AND l.hold_id = o.hold_id AND l.line = n.line
  LEFT JOIN ticket t ON t.event_id = o.event_id AND t.order_id = o.id AND t.line = n.line AND t.revoked_at IS NULL
 GROUP BY r.event_id, r.order_id, n.line, l.state HAVING l.state = 2 OR count(t.id) > 0 LIMIT ` + maxFindings},
}
