package booking

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// waiters puts requests of the given accounts into one batch by hand.
func (x *sale) waiters(n int, of func(i int) HoldRequest) []*request {
	rs := make([]*request, n)
	for i := range rs {
		q := of(i)
		rs[i] = x.waiter(int64(i+1), q)
	}
	return rs
}

func (x *sale) waiter(account int64, q HoldRequest) *request {
	x.key++
	r := &request{
		key: key{1, account, "hold", fmt.Sprintf("b%d", x.key)}, print: []byte("print"), done: make(chan struct{}), queued: time.Now(),
		take: &hold.Request{EventID: 1, AccountID: account, ID: uuid.New(), Seats: q.Seats, Places: q.Places, Replace: q.Replace},
	}
	r.row = r.key.row()
	r.phase.Store(running)
	x.e.flight.enter(r.key)
	return r
}

func ended(r *request) bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// A batch in which one request breaks a constraint is halved until it stands alone:
// the others have their places, and it alone gets the blame.
func TestOneBadRequestDoesNotSpoilTheBatch(t *testing.T) {
	x := newSale(t, saleSpec{seats: 100, counters: []counterSpec{{"Standing", 10, 0}}})
	x.db.Owner(t, `ALTER TABLE hold ADD CONSTRAINT not_thirteen CHECK (account_id <> 13)`)
	rs := x.waiters(40, func(i int) HoldRequest { return seats(int32(i + 1)) })
	if skipped := x.e.settle(rs, hold.Skip); len(skipped) != 0 {
		t.Fatalf("%d skipped", len(skipped))
	}
	for _, r := range rs {
		switch bad := r.key.account == 13; {
		case !ended(r):
			t.Errorf("account %d has no answer", r.key.account)
		case bad && (r.err == nil || problem.As(r.err) != nil || !strings.Contains(r.err.Error(), "not_thirteen")):
			t.Errorf("the culprit got %v", r.err)
		case !bad && r.err != nil:
			t.Errorf("account %d: %v", r.key.account, r.err)
		}
	}
}

// The last line of defence has words of its own.
func TestANamedConstraintIsARefusal(t *testing.T) {
	x := newSale(t, saleSpec{seats: 1, counters: []counterSpec{{"Standing", 10, 0}}})
	x.db.Owner(t, `ALTER TABLE counter DROP CONSTRAINT never_over, ADD CONSTRAINT never_over CHECK (held < 2)`)
	_, err := x.hold(1, places(1, 3))
	wantCode(t, err, "not_enough_places")
}

// holdLocked opens a transaction that has a row locked, as another process's would.
func (x *sale) holdLocked(sql string) (release func()) {
	x.t.Helper()
	tx, err := x.db.Pool.Begin(x.t.Context())
	if err != nil {
		x.t.Fatal(err)
	}
	if _, err := tx.Exec(x.t.Context(), sql); err != nil {
		x.t.Fatal(err)
	}
	return func() { _ = tx.Rollback(withoutCancel(x.t)) }
}

// A request whose seat or account another process has locked is not told "taken":
// it leaves the batch, and the others are decided without it.
func TestALockedRowPostponesItsRequestOnly(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	for what, lock := range map[string]string{
		"seat":    `SELECT FROM seat WHERE seat_id = 2 FOR NO KEY UPDATE`,
		"account": `SELECT FROM account_event WHERE account_id = 2 FOR NO KEY UPDATE`,
	} {
		x.db.Owner(t, `INSERT INTO account_event (event_id, account_id) VALUES (1, 2) ON CONFLICT DO NOTHING`)
		release := x.holdLocked(lock)
		rs := x.waiters(3, func(i int) HoldRequest { return seats(int32(i + 1)) })
		skipped := x.e.settle(rs, hold.Skip)
		if len(skipped) != 1 || skipped[0] != rs[1] || ended(rs[1]) || rs[0].err != nil || rs[2].err != nil {
			t.Fatalf("%s: skipped %v; %v, %v", what, skipped, rs[0].err, rs[2].err)
		}
		release()
		if skipped := x.e.settle(skipped, hold.Skip); len(skipped) != 0 || rs[1].err != nil {
			t.Fatalf("%s, unlocked: %v", what, rs[1].err)
		}
		x.db.Owner(t, `UPDATE seat SET state = 'available', hold_id = NULL, held_until = NULL`)
		x.db.Owner(t, `UPDATE hold_line SET state = 0`)
	}
}

// Through the lane: the request comes back to the head of the queue, then goes to
// the slow lane, and there is told "busy", never "taken".
func TestALockThatStaysEndsInBusy(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	release := x.holdLocked(`SELECT FROM seat WHERE seat_id = 2 FOR NO KEY UPDATE`)
	_, err := x.hold(1, seats(1, 2))
	if p := wantCode(t, err, "busy"); p.RetryAfter <= 0 || p.Status != 503 {
		t.Errorf("%+v", p)
	}
	release()
	x.mustHold(1, seats(1, 2))
}

// The lane keeps the order of arrival and gives one account two requests a batch.
func TestTheNextBatch(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	l := &lane{e: x.e}
	for i := range 5 {
		r := x.waiter(int64(1+i/4), seats(int32(i+1))) // four of account 1, one of account 2
		r.phase.Store(waiting)
		l.queue = append(l.queue, r)
	}
	all := append([]*request(nil), l.queue...)
	l.queue[1].phase.Store(abandoned)
	batch := l.next()
	if len(batch) != 3 || batch[0] != all[0] || batch[1] != all[2] || batch[2] != all[4] {
		t.Errorf("batch of %d", len(batch))
	}
	if len(l.queue) != 1 || l.queue[0] != all[3] {
		t.Errorf("%d are left", len(l.queue))
	}
	batch[2].skips = maxSkips - 1
	l.finish([]*request{batch[2]}, time.Millisecond)
	if len(l.queue) != 2 || l.queue[0] != all[4] {
		t.Error("the skipped request is not first")
	}
	many := &lane{e: x.e}
	for i := range maxBatch + 10 {
		r := x.waiter(int64(i+1), seats(1))
		r.phase.Store(waiting)
		many.queue = append(many.queue, r)
	}
	if n := len(many.next()); n != maxBatch || len(many.queue) != 10 {
		t.Errorf("a batch of %d leaves %d", n, len(many.queue))
	}
}

func TestAFullLaneRefusesBeforeAnyWork(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, config: Config{QueueLimit: 2}})
	l := x.e.laneOf(x.waiter(3, seats(1)))
	l.busy = true // as if a batch were under way
	for i := range 2 {
		if err := l.submit(&request{key: key{1, int64(i), "r", "k"}, take: &hold.Request{}}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := x.hold(3, seats(1))
	if p := wantCode(t, err, "overloaded"); p.RetryAfter <= 0 {
		t.Error("no Retry-After")
	}
	// A key that was refused is not left behind as "in progress".
	l.queue, l.busy = nil, false
	x.key--
	x.mustHold(3, seats(1))
}

// While a lane's batch waits for a row that somebody else has, and its queue is full, who
// comes is told to come again and joins no queue: the lock is let go only after a thousand
// have been told, so none of them can have waited for it.
func TestABlockedLaneRefusesAtOnce(t *testing.T) {
	long := pg.Options{LockTimeout: time.Minute, StatementTimeout: time.Minute}
	const waits, told = 3, 1000
	x := newSale(t, saleSpec{seats: 1, counters: []counterSpec{{"Standing", 20, 0}}, config: Config{QueueLimit: waits}, pool: long})
	l := x.e.laneOf(x.waiter(1, places(1, 1)))
	queued := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.queue)
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("never: ", what)
			}
		}
	}
	letGo := x.holdLocked(`SELECT FROM counter FOR UPDATE`)
	ends := make(chan error, waits+1)
	send := func(account int64) {
		c := x.command(account)
		go func() {
			_, err := x.e.Hold(context.Background(), c, places(1, 1))
			ends <- err
		}()
	}
	send(1)
	until("the batch waits for the lock", func() bool {
		var n int
		err := x.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
		return err == nil && n == 1
	})
	for i := range int64(waits) {
		send(i + 2)
	}
	until("the queue is full", func() bool { return queued() == waits })
	for range told {
		_, err := x.hold(9, places(1, 1))
		if p := wantCode(t, err, "overloaded"); p.Status != 503 || p.RetryAfter <= 0 {
			t.Fatalf("%+v", p)
		}
	}
	if n := queued(); n != waits || len(ends) != 0 {
		t.Errorf("%d wait and %d are done; those who were refused have queued, or the lane was not blocked", n, len(ends))
	}
	letGo()
	for range waits + 1 {
		if err := <-ends; err != nil {
			t.Errorf("who waited: %v", err)
		}
	}
	x.mustHold(9, places(1, 1))
}

func TestALongEstimatedWaitRefuses(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, config: Config{QueueWait: time.Second}})
	l := x.e.laneOf(x.waiter(1, seats(1)))
	l.busy, l.average = true, 2*time.Second
	_, err := x.hold(3, seats(1))
	wantCode(t, err, "overloaded")
	l.busy = false // an idle lane never refuses
	x.mustHold(3, seats(1))
}

// A caller who goes away while waiting leaves nothing behind.
func TestACallerWhoLeavesTheQueue(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	l := x.e.laneOf(x.waiter(1, seats(1)))
	l.mu.Lock()
	l.busy = true
	l.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := x.command(1)
	if _, err := x.e.Hold(ctx, c, seats(1)); err == nil {
		t.Fatal("no error")
	}
	l.run()
	var n int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM hold`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d holds, %v", n, err)
	}
	if _, err := x.holdWith(c, seats(1)); err != nil {
		t.Errorf("the same key later: %v", err)
	}
}

// A COMMIT that fails after it was done: the rerun finds its own keys and gives the
// answers that were stored. Nobody holds twice.
func TestACommitWhoseAnswerIsLost(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	rs := x.waiters(3, func(i int) HoldRequest { return seats(int32(i + 1)) })
	d := &decision{e: x.e, batch: rs, out: make(map[*request]outcome)}
	if err := x.e.db.Once(t.Context(), d.run); err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		r.rerun = true // what settle does after pg.ErrCommitUnknown
		r.take.ID = uuid.New()
	}
	x.e.settle(rs, hold.Skip)
	for _, r := range rs {
		if r.err != nil || r.answer.Replayed || string(r.answer.Body) != string(d.out[r].answer.Body) {
			t.Errorf("%v %+v", r.err, r.answer)
		}
	}
}

// Orders of different events in one lane are one transaction, and a stranger event
// among them spoils nothing.
func TestABatchOfSeveralEvents(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	x.db.Owner(t, `INSERT INTO event (slug, organiser, title, place, starts_at, time_zone, currency) VALUES ('trip', 'o', 't', 'p', now(), 'UTC', 'EUR')`)
	x.db.Owner(t, `INSERT INTO price_level VALUES (2, 'G', 'Seat', 700)`)
	x.db.Owner(t, `INSERT INTO counter (event_id, id, kind, name, class, capacity) VALUES (2, 1, 'class', 'Coach', 'G', 5)`)
	a, b := x.waiter(1, seats(1)), x.waiter(1, places(1, 2))
	b.key.event, b.take.EventID = 2, 2
	before := x.commits()
	x.e.settle([]*request{a, b}, hold.Skip)
	if a.err != nil || b.err != nil {
		t.Fatal(a.err, b.err)
	}
	if n := x.commits() - before; n != 1 {
		t.Errorf("%d transactions wrote to the outbox", n)
	}
	if v, err := viewOf(b.answer, nil); err != nil || v.Event != "trip" || v.Amount != 1400 || v.Lines[0].Label != "Coach" {
		t.Errorf("%+v, %v", v, err)
	}
}

// commits counts the transactions that wrote to the outbox.
func (x *sale) commits() (n int) {
	x.t.Helper()
	if err := x.db.Pool.QueryRow(x.t.Context(), `SELECT count(DISTINCT xid::text) FROM outbox`).Scan(&n); err != nil {
		x.t.Fatal(err)
	}
	return n
}

// A stranger who asks for a hold by its id is told that there is none, and neither
// waits for its rows nor touches them, though its time is over: its owner's payment
// may be confirming it at this moment.
func TestAStrangersReleaseTouchesNothing(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	v := x.mustHold(1, seats(1))
	x.age(v.ID, 8*time.Minute)
	release := x.holdLocked(`SELECT FROM hold_line FOR NO KEY UPDATE`)
	_, err := x.e.Release(t.Context(), x.command(2), ReleaseRequest{v.ID})
	wantCode(t, err, "not_found")
	release()
	var state int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT state FROM hold_line`).Scan(&state); err != nil || state != 1 {
		t.Errorf("the line is in state %d, %v", state, err)
	}
}

func TestAPanicIsAnErrorOfItsBatch(t *testing.T) {
	err := guard(func() error { panic("boom") })
	if err == nil || !strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "batch_test.go") {
		t.Errorf("got %v", err)
	}
}

// Who is likely to want the same rows is in one lane, and an event of many seats is on
// more than one.
func TestALaneForThoseWhoMeet(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	of := func(account int64, q HoldRequest) *lane {
		return x.e.laneOf(&request{key: key{event: 1, account: account}, take: &hold.Request{Seats: q.Seats, Places: q.Places, Best: q.Best}})
	}
	used := make(map[*lane]bool)
	for i := range int32(60_000 / laneSeats) {
		first := i * laneSeats
		used[of(1, seats(first+1))] = true
		if of(1, seats(first+1)) != of(2, seats(first+2, first+laneSeats)) {
			t.Fatalf("neighbours from %d on are apart", first+1)
		}
	}
	if len(used) != eventLanes {
		t.Errorf("%d lanes are used", len(used))
	}
	if of(1, places(7, 2)) != of(2, places(7, 1)) {
		t.Error("an area is in two lanes")
	}
	best := HoldRequest{Best: &hold.Best{Quantity: 2}}
	if of(1, best) != of(2, best) {
		t.Error("who asks for the best seats is in two lanes")
	}
}
