package hold

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Wait says what Load does about a row that somebody else has locked.
type Wait bool

const (
	// Skip leaves it out of the World: the request that needs it has its turn later.
	Skip Wait = false
	// Block waits for it, as long as lock_timeout.
	Block Wait = true
)

// LockEvents reads events and keeps their states as they are until the transaction
// ends: the first lock of every transaction that sells. Unknown ids are left out.
func LockEvents(ctx context.Context, tx pgx.Tx, ids []int64) (map[int64]*Event, error) {
	rows, err := tx.Query(ctx, sqlLockEvents, ids)
	if err != nil {
		return nil, fmt.Errorf("lock events: %w", err)
	}
	out := make(map[int64]*Event, len(ids))
	ev := Event{}
	var ttl, by, cap int64
	_, err = pgx.ForEachRow(rows, []any{&ev.ID, &ev.Slug, &ev.Title, &ev.Organiser, &ev.State, &ev.Currency, &ev.OnSaleAt, &ev.OffSaleAt,
		&ev.MaxPerAccount, &ttl, &ev.Extend, &by, &cap, &ev.LatePolicy, &ev.FeeBP,
		&ev.OrphanRule, &ev.AccessUntil, &ev.Budget, &ev.SeatsCounted, &ev.PresaleAt}, func() error {
		e := ev
		e.TTL, e.ExtendBy, e.Cap = micros(ttl), micros(by), micros(cap)
		out[e.ID] = &e
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock events: %w", err)
	}
	return out, nil
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// Load locks the scope's rows in the order of the house (accounts, counters,
// seats), reads the clock, reclaims the counters, and reads everything the rules
// need. The events are locked already.
func Load(ctx context.Context, tx pgx.Tx, events map[int64]*Event, s *Scope, wait Wait) (*World, error) {
	w := newWorld(time.Time{})
	w.events, w.plans = events, s.plans
	if err := s.addRowsOfHolds(ctx, tx); err != nil {
		return nil, err
	}
	if err := s.addCountersOfSeats(ctx, tx, events); err != nil {
		return nil, err
	}
	if err := w.lock(ctx, tx, s, wait); err != nil {
		return nil, err
	}
	if err := w.read(ctx, tx, s); err != nil {
		return nil, err
	}
	if err := w.findUnknown(ctx, tx, s); err != nil {
		return nil, err
	}
	w.endLooseLines()
	return w, nil
}

// addRowsOfHolds completes the scope with the rows its holds are about.
func (s *Scope) addRowsOfHolds(ctx context.Context, tx pgx.Tx) error {
	if len(s.holds) == 0 {
		return nil
	}
	events, ids := s.holdArrays()
	rows, err := tx.Query(ctx, sqlHoldRows, events, ids)
	if err != nil {
		return fmt.Errorf("rows of holds: %w", err)
	}
	var (
		k       holdKey
		account int64
		counter *int64
		seat    *int32
	)
	_, err = pgx.ForEachRow(rows, []any{&k.event, &k.hold, &account, &counter, &seat}, func() error {
		if _, ours := s.accounts[accountKey{k.event, account}]; !ours {
			return nil // another account's hold: its rows are none of our business
		}
		if counter != nil {
			s.counters[counterKey{k.event, *counter}] = struct{}{}
		}
		if seat != nil {
			s.seats[seatKey{k.event, *seat}] = struct{}{}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("rows of holds: %w", err)
	}
	return nil
}

// addCountersOfSeats completes the scope with the fare classes its seats count in,
// where an event has such, which is seldom. Which class a seat counts in never changes.
func (s *Scope) addCountersOfSeats(ctx context.Context, tx pgx.Tx, events map[int64]*Event) error {
	counted := make(map[seatKey]struct{})
	for k := range s.seats {
		if ev := events[k.event]; ev != nil && ev.SeatsCounted {
			counted[k] = struct{}{}
		}
	}
	b := new(batch)
	var k counterKey
	for id := range s.choices {
		if ev := events[id]; ev != nil && ev.SeatsCounted { // the choice may end in any class
			b.each(sqlClasses, []any{id}, []any{&k.event, &k.counter}, func() { s.counters[k] = struct{}{} })
		}
	}
	if len(counted) > 0 {
		ids, seats := seatArrays(counted)
		b.each(sqlSeatCounters, []any{ids, seats}, []any{&k.event, &k.counter}, func() { s.counters[k] = struct{}{} })
	}
	return b.send(ctx, tx, "classes of seats")
}

// lock is one round trip: the server runs its statements one after the other, and
// the clock's is the last.
func (w *World) lock(ctx context.Context, tx pgx.Tx, s *Scope, wait Wait) error {
	accounts, seats := sqlLockAccounts, sqlLockSeats
	if wait == Skip {
		accounts, seats = sqlLockAccountsSkip, sqlLockSeatsSkip
	}
	b := new(batch)
	if len(s.accounts) > 0 {
		ae, ai := s.accountArrays()
		var k accountKey
		var sold, budget pgtype.Int4
		var since pgtype.Timestamptz
		var busy bool
		b.each(accounts, []any{ae, ai}, []any{&k.event, &k.account, &sold, &budget, &since, &busy}, func() {
			switch {
			case sold.Valid:
				row := &Account{EventID: k.event, ID: k.account, Sold: int(sold.Int32), Budget: int(budget.Int32)}
				if since.Valid {
					row.Since = since.Time.UTC()
				}
				w.accounts[k] = row
			case !busy:
				w.accounts[k] = &Account{EventID: k.event, ID: k.account, Budget: -1, New: true}
			}
		})
	}
	if len(s.counters) > 0 {
		ce, ci := s.counterArrays()
		var c Counter
		var types []string
		b.each(sqlLockCounters, []any{ce, ci}, []any{&c.EventID, &c.ID, &c.Name, &c.Class, &c.Capacity, &c.Overbook, &c.Excess, &c.Held, &c.Sold, &types}, func() {
			row := c
			w.counters[counterKey{c.EventID, c.ID}] = &row
			if len(types) > 0 {
				w.types[counterKey{c.EventID, c.ID}] = slices.Clone(types)
			}
		})
	}
	learn := func() {}
	if len(s.seats) > 0 {
		se, si := s.seatArrays()
		w.lockSeats(b, seats, se, si)
		learn = w.label(b, s.labels, se, si)
	}
	b.each(sqlNow, nil, []any{&w.Now}, func() { w.Now = w.Now.UTC() })
	if err := b.send(ctx, tx, "lock places"); err != nil {
		return err
	}
	learn()
	return nil
}

func (w *World) lockSeats(b *batch, sql string, events []int64, ids []int32) {
	of, first, last := runs(events, ids)
	var (
		s     Seat
		held  pgtype.UUID
		until pgtype.Timestamptz
	)
	b.each(sql, []any{of, first, last}, []any{&s.EventID, &s.ID, &s.Class, &s.Kind, &s.Counter, &s.State, &held, &s.Version, &until}, func() {
		row := s
		row.HoldID = held.Bytes
		if until.Valid {
			row.HeldUntil = until.Time.UTC()
		}
		w.seats[seatKey{s.EventID, s.ID}] = &row
	})
}

// runs are sorted seats as runs of neighbours.
func runs(events []int64, ids []int32) (of []int64, first, last []int32) {
	for i, id := range ids {
		if n := len(of); n > 0 && of[n-1] == events[i] && last[n-1] == id-1 {
			last[n-1] = id
			continue
		}
		of, first, last = append(of, events[i]), append(first, id), append(last, id)
	}
	return of, first, last
}

// label asks for the names of those seats that are not known yet, and returns what
// keeps the answer.
func (w *World) label(b *batch, known *Labels, events []int64, ids []int32) (learn func()) {
	events, ids = known.fill(w.labels, events, ids)
	if len(ids) == 0 {
		return func() {}
	}
	var section, line, number string
	var k seatKey
	b.each(sqlLabels, []any{events, ids}, []any{&k.event, &k.seat, &section, &line, &number}, func() {
		w.labels[k] = Label(section, line, number)
	})
	return func() { known.learn(w.labels, events, ids) }
}

// read reclaims and then reads what the locks protect.
func (w *World) read(ctx context.Context, tx pgx.Tx, s *Scope) error {
	b := new(batch)
	if len(s.counters) > 0 {
		ce, ci := s.counterArrays()
		var k counterKey
		var held, excess, n int
		b.each(sqlReclaim, []any{ce, ci, w.Now, nil}, []any{&k.event, &k.counter, &held, &excess, &n}, func() {
			c := w.counters[k]
			c.Held, c.Excess = held, excess
			w.Reclaimed = true
		})
	}
	if ae, ai := w.oldAccounts(s); len(ae) > 0 {
		var k accountKey
		var live int
		b.each(sqlLiveHolds, []any{ae, ai, w.Now}, []any{&k.event, &k.account, &live}, func() {
			if a := w.accounts[k]; a != nil {
				a.Live = live
			}
		})
	}
	if len(s.holds) > 0 {
		he, hi := s.holdArrays()
		w.readHolds(b, he, hi)
	}
	ids := make([]int64, 0, len(w.events))
	presale := false
	for id, ev := range w.events {
		ids = append(ids, id)
		presale = presale || ev.InPresale(w.Now)
	}
	if presale && len(s.accounts) > 0 {
		w.readGrants(b, s)
	}
	var p priceKey
	var level string
	var amount int64
	b.each(sqlPrices, []any{ids}, []any{&p.event, &p.class, &level, &amount}, func() { w.prices[p], w.levels[p] = amount, level })
	return b.send(ctx, tx, "read places")
}

// oldAccounts are those that may have holds.
func (w *World) oldAccounts(s *Scope) (events, ids []int64) {
	ae, ai := s.accountArrays()
	for i := range ae {
		if a := w.accounts[accountKey{ae[i], ai[i]}]; a != nil && !a.New {
			events, ids = append(events, ae[i]), append(ids, ai[i])
		}
	}
	return events, ids
}

// readGrants tells which accounts may buy in a presale that is open now.
func (w *World) readGrants(b *batch, s *Scope) {
	events, ids := s.accountArrays()
	var k accountKey
	b.each(sqlPresaleGrants, []any{events, ids, w.Now}, []any{&k.event, &k.account}, func() {
		if a := w.accounts[k]; a != nil {
			a.Presale = true
		}
	})
}

func (w *World) readHolds(b *batch, events []int64, ids [][16]byte) {
	var h Hold
	b.each(sqlHolds, []any{events, ids}, []any{&h.EventID, &h.ID, &h.AccountID, &h.State, &h.CreatedAt, &h.FirstHeldAt, &h.HeldUntil,
		&h.Extended, &h.Amount, &h.Currency}, func() {
		// The account's lock guards its holds. A hold whose account is not locked here
		// (a stranger's, asked for by id) is not even read: its owner may be buying it.
		if w.accounts[accountKey{h.EventID, h.AccountID}] == nil {
			return
		}
		row := h
		row.CreatedAt, row.FirstHeldAt, row.HeldUntil = h.CreatedAt.UTC(), h.FirstHeldAt.UTC(), h.HeldUntil.UTC()
		w.addHold(&row)
	})
	var (
		k holdKey
		l Line
	)
	b.each(sqlLines, []any{events, ids}, []any{&k.event, &k.hold, &l.N, &l.Seat, &l.Counter, &l.Class, &l.Version, &l.Qty, &l.Price, &l.State, &l.HeldUntil}, func() {
		h := w.holds[k]
		if h == nil {
			return
		}
		row := l
		row.HeldUntil = l.HeldUntil.UTC()
		h.Lines = append(h.Lines, &row)
		w.owner[&row] = h
	})
}

// findUnknown tells seats that do not exist from seats that were skipped. Nearly
// always nothing is missing, and nothing is asked.
func (w *World) findUnknown(ctx context.Context, tx pgx.Tx, s *Scope) error {
	missing := make(map[seatKey]struct{})
	for k := range s.seats {
		if w.seats[k] == nil {
			missing[k] = struct{}{}
			w.unknown[k] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	events, ids := seatArrays(missing)
	b := new(batch)
	var k seatKey
	b.each(sqlSeatsThere, []any{events, ids}, []any{&k.event, &k.seat}, func() { delete(w.unknown, k) })
	return b.send(ctx, tx, "find seats")
}

// endLooseLines closes due lines that count in no counter; the reclaim has done
// the others.
func (w *World) endLooseLines() {
	for _, h := range w.holds {
		for _, l := range h.Lines {
			if l.State == LineHeld && l.Counter == 0 && !l.HeldUntil.After(w.Now) {
				w.touchLine(l)
				l.State = LineNone
			}
		}
	}
}

// CounterLabel is what places of a counter are called when they were taken as a
// ticket type.
func CounterLabel(counter, level string) string { return counter + ", " + level }

// Label is what a seat is called everywhere.
func Label(section, row, number string) string {
	return section + ", row " + row + ", seat " + number
}
