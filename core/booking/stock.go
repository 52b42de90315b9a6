package booking

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

const (
	// StockEvery is how often the stock is counted at most, whoever asks and however many.
	StockEvery = 2 * time.Second
	// ExpiryStep and ExpirySteps are the histogram of Stock.Expiring: ten minutes.
	ExpiryStep  = 5 * time.Second
	ExpirySteps = 120
	// stockShare bounds what counting costs: an arena that takes 40 ms is counted every 4 s.
	stockShare   = 100
	stockTimeout = 2 * time.Second
)

// Stock is what the events on sale have left, all together.
type Stock struct {
	At                           time.Time // when it was counted
	Available, Held, Sold, Total int64
	// Expiring counts the places whose hold ends within each of the next steps of ExpiryStep, if nobody pays.
	Expiring []int64
}

// stockCount is the last count.
type stockCount struct {
	mu    sync.Mutex
	last  Stock
	next  time.Time
	asked bool // a count is under way
}

// Stock is at most StockEvery old while somebody asks that often, older when counting is dear. Whoever asks while it is
// being counted gets the last one; only the very first waits. ok is false while it was never counted.
func (e *Engine) Stock(ctx context.Context) (s Stock, ok bool, err error) {
	st := &e.counted
	st.mu.Lock()
	if now := time.Now(); st.asked || now.Before(st.next) {
		defer st.mu.Unlock()
		return st.last, !st.last.At.IsZero(), nil
	}
	st.asked = true
	st.mu.Unlock()

	began := time.Now()
	ctx, cancel := context.WithTimeout(pg.Aside(ctx), stockTimeout)
	defer cancel()
	fresh, err := countStock(ctx, e.db.Pool)
	took := time.Since(began)

	st.mu.Lock()
	defer st.mu.Unlock()
	st.asked, st.next = false, began.Add(max(StockEvery, stockShare*took))
	if err == nil {
		fresh.At = began
		st.last = fresh
	}
	return st.last, !st.last.At.IsZero(), err
}

// What a row of sqlStock counts, where it is no step of expiry.
const (
	rowSold = -2
	rowFree = -1
)

func countStock(ctx context.Context, q pg.Querier) (s Stock, err error) {
	rows, err := q.Query(ctx, sqlStock, ExpiryStep.Seconds(), ExpirySteps)
	if err != nil {
		return s, fmt.Errorf("count the stock: %w", err)
	}
	var step int
	var n int64
	s.Expiring = make([]int64, ExpirySteps)
	_, err = pgx.ForEachRow(rows, []any{&step, &n}, func() error {
		s.Total += n
		switch {
		case step == rowSold:
			s.Sold += n
		case step == rowFree:
			s.Available += n
		default:
			if s.Held += n; step < ExpirySteps { // the last one is everything beyond
				s.Expiring[step] += n
			}
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("count the stock: %w", err)
	}
	return s, nil
}

// sqlStock counts free, sold and held places of the events on sale, the held ones by the end of their hold. A hold that is
// over holds nothing, whoever has not folded it in yet. Blocked seats are no part of the stock; a seat that counts in a class
// is counted there. Each seat is read once: an index by the end of the lease would be written at every hold.
const sqlStock = `
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
open AS (
  SELECT e.id AS event_id FROM event e, clock
   WHERE e.state = 'on_sale' AND (e.off_sale_at IS NULL OR e.off_sale_at > now)
     AND (e.on_sale_at IS NULL OR e.on_sale_at <= now
          OR EXISTS (SELECT 1 FROM presale p WHERE p.event_id = e.id AND p.starts_at <= now AND (p.ends_at IS NULL OR p.ends_at > now)))),
lines AS (
  SELECT l.event_id, l.counter_id, l.qty, l.held_until
    FROM hold_line l JOIN open USING (event_id) WHERE l.state = 1 AND l.counter_id IS NOT NULL),
due AS (
  SELECT event_id, counter_id, sum(qty) AS qty FROM lines, clock WHERE held_until <= now GROUP BY 1, 2)
SELECT CASE WHEN s.state = 'sold' THEN -2 WHEN s.state = 'held' AND s.held_until > now
            THEN least(floor(extract(epoch FROM s.held_until - now) / $1::float8), $2::int)::int ELSE -1 END, count(*)
  FROM seat s JOIN open USING (event_id), clock WHERE s.counter_id IS NULL AND s.state <> 'blocked' GROUP BY 1
 UNION ALL
SELECT least(floor(extract(epoch FROM held_until - now) / $1::float8), $2::int)::int, sum(qty)::bigint FROM lines, clock WHERE held_until > now GROUP BY 1
 UNION ALL
SELECT -2, coalesce(sum(c.sold), 0)::bigint FROM counter c JOIN open USING (event_id)
 UNION ALL
SELECT -1, coalesce(sum(greatest(c.capacity + c.overbook - c.sold - c.held + coalesce(due.qty, 0), 0)), 0)::bigint
  FROM counter c JOIN open USING (event_id) LEFT JOIN due ON due.event_id = c.event_id AND due.counter_id = c.id`
