package booking

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/pg"
)

// now is the database's.
func (x *sale) now() time.Time {
	x.t.Helper()
	now, err := pg.Now(x.t.Context(), x.db.Pool)
	if err != nil {
		x.t.Fatal(err)
	}
	return now
}

// written moves all keys to the day they would be of, had they been written so many days
// from now.
func (x *sale) written(days int64) {
	x.t.Helper()
	x.db.Owner(x.t, `UPDATE idempotency SET slot = $1`, slotOf(x.now(), days))
}

// A key is known, with the same bytes, for three whole days after the one it was used on,
// by whichever way the command goes; also where the clock of a new primary is behind.
func TestAKeyIsKnownAcrossMidnights(t *testing.T) {
	x := newShop(t, saleSpec{seats: 10})
	x.db.Owner(t, `INSERT INTO presale (event_id, id, name, starts_at) VALUES (1, 1, 'Members', now() - interval '1 minute')`)
	code := x.codes(1, 1)[0]
	redeem := Command{EventSlug: slug, AccountID: 1, Route: "redeem", Key: "r"}
	alone := func() (Answer, error) { return x.e.Redeem(t.Context(), redeem, RedeemRequest{Code: code}) }
	opened, err := alone()
	if err != nil {
		t.Fatal(err)
	}
	c, o := x.command(1), x.command(1)
	held, err := x.e.Hold(t.Context(), c, seats(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	v, err := viewOf(held, nil)
	if err != nil {
		t.Fatal(err)
	}
	ordered, err := x.e.PlaceOrder(t.Context(), o, OrderRequest{Hold: v.ID})
	if err != nil {
		t.Fatal(err)
	}
	for days := int64(1); days >= -keyDays; days-- {
		x.written(days)
		for way, again := range map[string]func() (Answer, error){
			"lane":   func() (Answer, error) { return x.e.Hold(t.Context(), c, seats(1, 2)) },
			"docket": func() (Answer, error) { return x.e.PlaceOrder(t.Context(), o, OrderRequest{Hold: v.ID}) },
			"alone":  alone,
		} {
			want := map[string]Answer{"lane": held, "docket": ordered, "alone": opened}[way]
			got, err := again()
			if err != nil || !got.Replayed || got.Status != want.Status || !bytes.Equal(got.Body, want.Body) {
				t.Errorf("%s, a key written %d days from now: %v, replayed %v\n%s\nwant\n%s", way, days, err, got.Replayed, got.Body, want.Body)
			}
		}
		if _, err := x.e.purge(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	x.written(-keyDays - 1)
	if _, err := x.e.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM idempotency`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d keys of four days ago are left, %v", left, err)
	}
}

// While a day's keys are being dropped, everything that buyers do goes on; and while
// buyers are in the middle of it, a day's keys are dropped.
func TestDroppingKeysAndBuyersDoNotWait(t *testing.T) {
	x := newShop(t, saleSpec{seats: 10})
	spare := fmt.Sprintf("idempotency_%d", slotOf(x.now(), 2))
	owner, err := pgx.Connect(t.Context(), x.db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.WithoutCancel(t.Context()))
	if _, err := owner.Exec(t.Context(), `BEGIN; LOCK TABLE `+spare+` IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	// A lock that was waited for would end each of these in busy or a time-out.
	c := x.command(1)
	v, err := x.holdWith(c, seats(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.holdWith(c, seats(1)); err != nil {
		t.Fatal("a replay:", err)
	}
	o := x.command(1)
	for range 2 {
		if _, err := x.e.PlaceOrder(t.Context(), o, OrderRequest{Hold: v.ID}); err != nil {
			t.Fatal("an order and its replay:", err)
		}
	}
	// The rest of the commands: one transaction each, with the statements of that way.
	for range 2 {
		_, err := x.e.once(t.Context(), Command{EventSlug: slug, AccountID: 1, Route: "alone", Key: "k"}, nil, between(nil, nil))
		if err != nil {
			t.Fatal("alone:", err)
		}
	}
	if _, err := owner.Exec(t.Context(), `COMMIT`); err != nil {
		t.Fatal(err)
	}

	// The other way round: a buyer's transaction is open, having read and written its keys.
	x.db.Owner(t, `INSERT INTO idempotency (slot, event_id, account_id, id, body_hash, status, body) VALUES ($1, 1, 1, gen_random_uuid(), '', 201, '')`, slotOf(x.now(), 2))
	inside, stop, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := x.e.once(context.Background(), Command{EventSlug: slug, AccountID: 2, Route: "alone", Key: "k"}, nil, between(inside, stop))
		done <- err
	}()
	<-inside
	if _, err := x.e.purge(t.Context()); err != nil {
		t.Error(err)
	}
	var left int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM `+spare).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d keys were not dropped, %v", left, err)
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// between is a command that does nothing, and says when it is at it and waits until it is
// let go on.
func between(inside chan<- struct{}, stop <-chan struct{}) effect {
	return func(context.Context, pgx.Tx, *hold.Event) (int, any, error) {
		if inside != nil {
			close(inside)
			<-stop
		}
		return 200, "done", nil
	}
}

// A command that goes alone and a batch, on two sides of midnight, under one key: the one
// that comes to its end second finds the other's answer, and has done nothing.
func TestAKeyTakenOnTwoDays(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	c := Command{EventSlug: slug, AccountID: 1, Route: "alone", Key: "k"}
	inside, stop, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := x.e.once(context.Background(), c, nil, between(inside, stop))
		done <- err
	}()
	<-inside
	row := key{x.id, c.AccountID, c.Route, c.Key}.row()
	x.db.Owner(t, `INSERT INTO idempotency (slot, event_id, account_id, id, body_hash, status, body) VALUES ($1, $2, $3, $4, $5, 201, 'the other''s')`,
		slotOf(x.now(), 1), row.event, row.account, row.id, c.fingerprint())
	close(stop)
	wantCode(t, <-done, "idempotency_in_progress")
	a, err := x.e.once(t.Context(), c, nil, between(nil, nil))
	if err != nil || !a.Replayed || string(a.Body) != "the other's" {
		t.Errorf("asked again: %+v, %v", a, err)
	}
}
