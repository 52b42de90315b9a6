package booking

// The story of a seat, from rows that are never deleted.
const (
	sqlTraceSeat = `
SELECT e.id, s.seat_id, v.section, v.row_name, v.number, s.class,
       CASE WHEN s.state = 'held' AND s.held_until <= now() THEN 'available' ELSE s.state END, s.hold_version, e.currency, now()
  FROM event e JOIN seat s ON s.event_id = e.id
  JOIN venue_seat v ON v.venue_id = e.venue_id AND v.seat_id = s.seat_id
 WHERE e.slug = $1 AND (s.seat_id::text = $2 OR v.section || '/' || v.row_name || '/' || v.number = $2)`

	// A hold that began for the same account in the moment in which this line was given
	// back is what it was replaced by: both carry the clock of one transaction.
	sqlTraceLines = `
SELECT l.hold_id, l.hold_version, h.account_id, coalesce(a.email, ''), h.created_at, l.held_until, h.extended, l.price, l.state, l.ended_at,
       (SELECT r.id FROM hold r WHERE r.event_id = h.event_id AND r.account_id = h.account_id AND r.created_at = l.ended_at AND r.id <> h.id LIMIT 1),
       o.id, coalesce(o.state, ''), coalesce(o.reason, ''), o.created_at, t.id, t.issued_at, t.revoked_at
  FROM hold_line l JOIN hold h ON h.event_id = l.event_id AND h.id = l.hold_id
  LEFT JOIN account a ON a.id = h.account_id
  LEFT JOIN orders o ON o.event_id = h.event_id AND o.hold_id = h.id
  LEFT JOIN ticket t ON t.event_id = l.event_id AND t.order_id = o.id AND t.line = l.line
 WHERE l.event_id = $1 AND l.seat_id = $2 ORDER BY h.created_at, l.hold_version, t.issued_at`
)
