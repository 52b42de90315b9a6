package booking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ropeline/ropeline/core/pg"
)

// Finding is a broken promise: which one, where, and the numbers.
type Finding struct {
	Invariant string // B1, B2, B4, B6, L1, L2, L5, P1, P3, P6
	Rule      string
	Detail    string
}

func (f Finding) String() string { return f.Invariant + " " + f.Rule + ": " + f.Detail }

// CheckInvariants recomputes every promise from the rows alone, in one snapshot, so
// that a sale under way is no excuse. The auditor runs it in production once a
// minute, and every test that sells ends with it.
func CheckInvariants(ctx context.Context, pool *pgxpool.Pool) ([]Finding, error) {
	return checkInvariants(ctx, pool)
}

// checkInvariants checks some of them, or without names all.
func checkInvariants(ctx context.Context, pool *pgxpool.Pool, ids ...string) ([]Finding, error) {
	var out []Finding
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, pool, opts, func(tx pgx.Tx) error {
		// The first statement takes the snapshot and then reads the clock. A lease that
		// ends after this moment was seen alive by every transaction in the snapshot; with
		// now(), which is earlier, one that ended in between would be a false alarm.
		now, err := pg.Now(ctx, tx)
		if err != nil {
			return err
		}
		for _, inv := range promises {
			if len(ids) > 0 && !slices.Contains(ids, inv.id) {
				continue
			}
			var args []any
			if strings.Contains(inv.sql, "$1") {
				args = append(args, now)
			}
			rows, err := tx.Query(ctx, inv.sql, args...)
			if err != nil {
				return fmt.Errorf("%s %s: %w", inv.id, inv.rule, err)
			}
			details, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return fmt.Errorf("%s %s: %w", inv.id, inv.rule, err)
			}
			for _, d := range details {
				out = append(out, Finding{inv.id, inv.rule, d})
			}
		}
		return nil
	})
	return out, err
}

// maxFindings of one rule are told; one is enough to wake somebody up.
const maxFindings = "20"

type invariant struct{ id, rule, sql string }

// promises are all of them.
var promises = slices.Concat(invariants, bookInvariants)

// invariants are the promises as queries that find who breaks them. They use no
// column that the code under test could have kept equal by mistake: sums are summed
// anew from the lines.
var invariants = []invariant{
	{"B1", "a seat is sold once", `
SELECT format('event %s seat %s has %s sold lines', event_id, seat_id, count(*)) FROM hold_line
 WHERE state = 2 AND seat_id IS NOT NULL GROUP BY event_id, seat_id HAVING count(*) > 1 LIMIT ` + maxFindings},
	{"B1", "a sold line has its seat, a sold seat its line", `
SELECT format('event %s seat %s: seat is %s of hold %s version %s, line is of hold %s version %s',
              coalesce(s.event_id, l.event_id), coalesce(s.seat_id, l.seat_id), s.state, s.hold_id, s.hold_version, l.hold_id, l.hold_version)
  FROM (SELECT * FROM seat WHERE state = 'sold') s
  FULL JOIN (SELECT * FROM hold_line WHERE state = 2 AND seat_id IS NOT NULL) l
    ON l.event_id = s.event_id AND l.seat_id = s.seat_id AND l.hold_id = s.hold_id AND l.hold_version = s.hold_version
 WHERE s.seat_id IS NULL OR l.seat_id IS NULL LIMIT ` + maxFindings},
	{"B1", "a live hold has its seats", `
SELECT format('event %s seat %s: hold %s is live, the seat is %s of %s', l.event_id, l.seat_id, l.hold_id, s.state, s.hold_id)
  FROM hold_line l JOIN seat s ON s.event_id = l.event_id AND s.seat_id = l.seat_id
 WHERE l.state = 1 AND l.held_until > $1::timestamptz
   AND (s.state <> 'held' OR s.hold_id <> l.hold_id OR s.hold_version <> l.hold_version OR s.held_until <> l.held_until) LIMIT ` + maxFindings},
	{"B1", "places sold and held fit", `
SELECT format('event %s counter %s: %s live of %s', c.event_id, c.id, x.n, c.capacity + c.overbook + c.excess)
  FROM counter c JOIN (SELECT event_id, counter_id, sum(qty) AS n FROM hold_line
                        WHERE state = 2 OR (state = 1 AND held_until > $1::timestamptz) GROUP BY 1, 2) x
    ON x.event_id = c.event_id AND x.counter_id = c.id
 WHERE x.n > c.capacity + c.overbook + c.excess LIMIT ` + maxFindings},
	{"B2", "a ticket carries the version its line was sold under", `
SELECT format('event %s ticket %s: version %s, line has %s', t.event_id, t.id, t.hold_version, l.hold_version)
  FROM ticket t JOIN orders o ON o.event_id = t.event_id AND o.id = t.order_id
  LEFT JOIN hold_line l ON l.event_id = o.event_id AND l.hold_id = o.hold_id AND l.line = t.line
 WHERE t.revoked_at IS NULL AND (l.state IS DISTINCT FROM 2 OR l.hold_version <> t.hold_version) LIMIT ` + maxFindings},
	{"B4", "counters are the sums of their lines", `
SELECT format('event %s counter %s: held %s sold %s, lines say %s and %s', c.event_id, c.id, c.held, c.sold, coalesce(x.held, 0), coalesce(x.sold, 0))
  FROM counter c LEFT JOIN (SELECT event_id, counter_id, sum(qty) FILTER (WHERE state = 1) AS held, sum(qty) FILTER (WHERE state = 2) AS sold
                              FROM hold_line WHERE counter_id IS NOT NULL GROUP BY 1, 2) x
    ON x.event_id = c.event_id AND x.counter_id = c.id
 WHERE c.held <> coalesce(x.held, 0) OR c.sold <> coalesce(x.sold, 0) LIMIT ` + maxFindings},
	{"B4", "an account's sold places are the sum of its lines", `
SELECT format('event %s account %s: sold %s, lines say %s', a.event_id, a.account_id, a.sold, coalesce(x.n, 0))
  FROM account_event a LEFT JOIN (SELECT event_id, account_id, sum(qty) AS n FROM hold_line WHERE state = 2 GROUP BY 1, 2) x
    ON x.event_id = a.event_id AND x.account_id = a.account_id
 WHERE a.sold <> coalesce(x.n, 0) LIMIT ` + maxFindings},
	{"B6", "no account is over its limit", `
SELECT format('event %s account %s has %s of %s', e.id, x.account_id, x.n, e.max_per_account)
  FROM event e JOIN (SELECT event_id, account_id, sum(qty) AS n FROM hold_line
                      WHERE state = 2 OR (state = 1 AND held_until > $1::timestamptz) GROUP BY 1, 2) x ON x.event_id = e.id
 WHERE x.n > e.max_per_account LIMIT ` + maxFindings},
	{"B4", "a hold has as many places as its lines", `
SELECT format('event %s hold %s: %s places, lines say %s', h.event_id, h.id, h.places, coalesce(x.n, 0))
  FROM hold h LEFT JOIN (SELECT event_id, hold_id, sum(qty) AS n FROM hold_line GROUP BY 1, 2) x ON x.event_id = h.event_id AND x.hold_id = h.id
 WHERE h.places <> coalesce(x.n, 0) LIMIT ` + maxFindings},
	{"B6", "a presale code has let in as many accounts as it counts", `
SELECT format('event %s, a code of presale %s: used %s times of %s, %s accounts came in by it', c.event_id, c.presale, c.used, c.uses, coalesce(g.n, 0))
  FROM presale_code c LEFT JOIN (SELECT event_id, code_hash, count(*) AS n FROM presale_grant GROUP BY 1, 2) g ON g.event_id = c.event_id AND g.code_hash = c.code_hash
 WHERE c.used <> coalesce(g.n, 0) LIMIT ` + maxFindings},
	{"B6", "nobody came into a presale without a code", `
SELECT format('event %s account %s: came into presale %s by no code of it', g.event_id, g.account_id, g.presale)
  FROM presale_grant g LEFT JOIN presale_code c ON c.event_id = g.event_id AND c.code_hash = g.code_hash AND c.presale = g.presale
 WHERE c.event_id IS NULL LIMIT ` + maxFindings},
	{"L1", "a journal sums to zero in each currency", `
SELECT format('event %s journal %s is off by %s %s', event_id, journal_id, sum(amount), currency)
  FROM posting GROUP BY event_id, journal_id, currency HAVING sum(amount) <> 0 LIMIT ` + maxFindings},
	{"L2", "receivable is the price of orders confirmed and not captured", `
SELECT format('event %s: receivable %s, orders say %s', coalesce(p.event_id, o.event_id), coalesce(p.n, 0), coalesce(o.n, 0))
  FROM (SELECT event_id, sum(amount) AS n FROM posting WHERE account LIKE 'receivable:%' GROUP BY 1) p
  FULL JOIN (SELECT event_id, sum(amount) AS n FROM orders WHERE state = 'confirmed' GROUP BY 1) o ON o.event_id = p.event_id
 WHERE coalesce(p.n, 0) <> coalesce(o.n, 0) LIMIT ` + maxFindings},
	{"L2", "clearing, disputes and the provider's fees are what was captured and not refunded", `
SELECT format('event %s: clearing, disputes and fees %s, attempts say %s', coalesce(p.event_id, a.event_id), coalesce(p.n, 0), coalesce(a.n, 0))
  FROM (SELECT event_id, sum(amount) AS n FROM posting
         WHERE (account LIKE 'clearing:%' OR account LIKE 'dispute:%' OR account LIKE 'provider_fees:%') AND event_id <> 0 GROUP BY 1) p
  FULL JOIN (SELECT event_id, sum(captured - refunded) FILTER (WHERE dispute <> 'lost') AS n FROM attempt GROUP BY 1) a ON a.event_id = p.event_id
 WHERE coalesce(p.n, 0) <> coalesce(a.n, 0) LIMIT ` + maxFindings},
	{"P1", "one attempt of an order at most is kept, and takes no more than the price", `
SELECT format('event %s order %s: %s kept attempts, %s captured of %s', o.event_id, o.id, count(a.id), coalesce(sum(a.captured), 0), o.amount)
  FROM orders o JOIN attempt a ON a.event_id = o.event_id AND a.order_id = o.id AND a.want = 'keep'
 GROUP BY o.event_id, o.id HAVING count(*) > 1 OR sum(a.captured) > o.amount LIMIT ` + maxFindings},
	// From the moment a refund is reserved its lines are free, while the order keeps
	// its state until the provider has returned the money.
	{"P3", "a confirmed order has every line sold", `
SELECT format('event %s order %s is %s, line %s is in state %s', o.event_id, o.id, o.state, l.line, l.state)
  FROM orders o LEFT JOIN hold_line l ON l.event_id = o.event_id AND l.hold_id = o.hold_id
 WHERE o.state IN ('confirmed', 'captured') AND l.state IS DISTINCT FROM 2
   AND NOT EXISTS (SELECT FROM refund r JOIN attempt a ON a.event_id = r.event_id AND a.id = r.attempt_id
                    WHERE r.event_id = o.event_id AND r.order_id = o.id AND r.state = 'reserved' AND a.want = 'keep') LIMIT ` + maxFindings},
	{"P3", "a sold line has an order and a live ticket for each place", `
SELECT format('event %s hold %s line %s: order %s is %s, %s tickets for %s places', l.event_id, l.hold_id, l.line, o.id, o.state, count(t.id), l.qty)
  FROM hold_line l
  LEFT JOIN orders o ON o.event_id = l.event_id AND o.hold_id = l.hold_id AND o.state IN ('confirmed', 'captured', 'partly_refunded')
  LEFT JOIN ticket t ON t.event_id = o.event_id AND t.order_id = o.id AND t.line = l.line AND t.revoked_at IS NULL
 WHERE l.state = 2 GROUP BY l.event_id, l.hold_id, l.line, l.qty, o.id, o.state HAVING count(t.id) <> l.qty LIMIT ` + maxFindings},
	{"P3", "money that is kept has a confirmed order", `
SELECT format('event %s attempt %s is kept, order %s is %s', a.event_id, a.id, a.order_id, o.state)
  FROM attempt a LEFT JOIN orders o ON o.event_id = a.event_id AND o.id = a.order_id
 WHERE a.want = 'keep' AND a.captured > 0 AND coalesce(o.state, '') NOT IN ('captured', 'partly_refunded', 'refunded') LIMIT ` + maxFindings},
	{"P3", "nothing is owed to buyers beside what is reserved or on its way back", `
SELECT format('event %s: refunds due %s, attempts and refunds say %s', p.event_id, -p.n, coalesce(g.n, 0) + coalesce(r.n, 0))
  FROM (SELECT event_id, sum(amount) AS n FROM posting WHERE account = 'refunds_due' GROUP BY 1) p
  LEFT JOIN (SELECT event_id, sum(captured - refunded) AS n FROM attempt WHERE want = 'give_back' AND captured > 0 AND dispute <> 'lost' GROUP BY 1) g ON g.event_id = p.event_id
  LEFT JOIN (SELECT r.event_id, sum(r.amount) AS n FROM refund r JOIN attempt a ON a.event_id = r.event_id AND a.id = r.attempt_id AND a.want = 'keep'
              WHERE r.state = 'reserved' GROUP BY 1) r ON r.event_id = p.event_id
 WHERE -p.n <> coalesce(g.n, 0) + coalesce(r.n, 0) LIMIT ` + maxFindings},
}
