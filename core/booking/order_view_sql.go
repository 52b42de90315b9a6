package booking

// Statements that show orders and tickets.
const (
	sqlOrdersOfAccount = `
SELECT event_id, id FROM orders WHERE account_id = $1 ORDER BY created_at DESC LIMIT $2`

	occasionColumns = `e.slug, e.title, e.starts_at, e.time_zone, e.place, v.name, v.city, e.route_from, e.route_to`
	occasionJoin    = `
  LEFT JOIN venue v ON v.id = e.venue_id`

	sqlOrderView = `
SELECT ` + occasionColumns + `, o.hold_id, o.state, o.reason, o.disputed, o.amount, o.currency, o.current_attempt, o.attempts, h.held_until, h.state
  FROM orders o JOIN event e ON e.id = o.event_id` + occasionJoin + `
  JOIN hold h ON h.event_id = o.event_id AND h.id = o.hold_id
 WHERE o.event_id = $1 AND o.id = $2 AND o.account_id = $3`

	sqlAttempt = `SELECT ` + attemptColumns + ` FROM attempt WHERE event_id = $1 AND id = $2`

	// The names of a place: of the seat in its venue, or of the counter and, where its
	// line (l) was taken as one, the ticket type; and of the price it was sold at.
	placeJoins = `
  LEFT JOIN venue_seat s ON s.venue_id = e.venue_id AND s.seat_id = x.seat_id
  LEFT JOIN counter c ON c.event_id = x.event_id AND c.id = x.counter_id
  LEFT JOIN price_level p ON p.event_id = x.event_id AND p.class = l.class
  LEFT JOIN seat z ON z.event_id = x.event_id AND z.seat_id = x.seat_id
  LEFT JOIN price_level f ON f.event_id = x.event_id AND f.class = coalesce(l.class, z.class, c.class)`
	placeColumns = `s.section, s.row_name, s.number, c.name || coalesce(', ' || p.name, ''), coalesce(f.name, '')`

	sqlLineViews = `
SELECT x.line, x.seat_id, x.counter_id, coalesce(x.class, ''), x.qty, x.price, x.state = 0, ` + placeColumns + `
  FROM hold_line x JOIN event e ON e.id = x.event_id
  JOIN hold_line l USING (event_id, hold_id, line)` + placeJoins + `
 WHERE x.event_id = $1 AND x.hold_id = $2 ORDER BY x.line`

	ticketColumns = `
SELECT ` + occasionColumns + `, x.event_id, x.id, x.unit, x.hold_version, x.revoked_at, ` + placeColumns + `
  FROM ticket x JOIN event e ON e.id = x.event_id` + occasionJoin + `
  LEFT JOIN orders o ON o.event_id = x.event_id AND o.id = x.order_id
  LEFT JOIN hold_line l ON l.event_id = x.event_id AND l.hold_id = o.hold_id AND l.line = x.line` + placeJoins

	sqlTicketsOfOrder   = ticketColumns + ` WHERE x.event_id = $1 AND x.order_id = $2 ORDER BY x.line, x.unit`
	sqlTicketsOfAccount = ticketColumns + ` WHERE x.account_id = $1 ORDER BY x.issued_at DESC, x.event_id, x.order_id, x.line, x.unit LIMIT $2`
	sqlTicket           = ticketColumns + ` WHERE x.event_id = $1 AND x.id = $2 AND x.account_id = $3`
)
