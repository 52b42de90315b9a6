package booking

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/ropeline/ropeline/core/problem"
)

// B27: the same key and body twenty times at once, in two processes: one execution,
// and every answer is the same bytes.
func TestTheSameKeyTwentyTimesAtOnce(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	es := x.twoProcesses()
	c := x.command(1)
	var (
		mu     sync.Mutex
		bodies [][]byte
		first  int
	)
	got := together(20, func(i int) error {
		for {
			a, err := es[i%2].Hold(t.Context(), c, seats(1, 2))
			if p := problem.As(err); p != nil && p.Code == "idempotency_in_progress" {
				continue // what a client does
			}
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				bodies = append(bodies, a.Body)
				if !a.Replayed {
					first++
				}
			}
			return err
		}
	})
	if got["ok"] != 20 || first != 1 {
		t.Errorf("%v, %d of them first", got, first)
	}
	for _, b := range bodies {
		if !bytes.Equal(b, bodies[0]) {
			t.Errorf("answers differ:\n%s\n%s", b, bodies[0])
		}
	}
	var holds, replays int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM hold), (SELECT replays FROM idempotency)`).Scan(&holds, &replays); err != nil || holds != 1 || replays != 19 {
		t.Errorf("%d holds, %d replays counted, %v", holds, replays, err)
	}
}

// A replay writes: its transaction has WAL, so its COMMIT waits for the standby.
func TestAReplayWrites(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	c := x.command(1)
	if _, err := x.holdWith(c, seats(1)); err != nil {
		t.Fatal(err)
	}
	var before, after string
	const row = `SELECT xmin::text FROM idempotency`
	if err := x.db.Pool.QueryRow(t.Context(), row).Scan(&before); err != nil {
		t.Fatal(err)
	}
	a, err := x.e.Hold(t.Context(), c, seats(1))
	if err != nil || !a.Replayed || a.Status != 201 {
		t.Fatalf("%+v, %v", a, err)
	}
	if err := x.db.Pool.QueryRow(t.Context(), row).Scan(&after); err != nil || before == after {
		t.Errorf("the row was not written: %s, %v", after, err)
	}
}

// AB11, AB13: another body, another route, another account.
func TestTheScopeOfAKey(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	c := Command{EventSlug: slug, AccountID: 1, Route: "holds", Key: "mine", BodyHash: [32]byte{1}}
	v, err := x.holdWith(c, seats(1))
	if err != nil {
		t.Fatal(err)
	}
	other := c
	other.BodyHash = [32]byte{2}
	_, err = x.holdWith(other, seats(2))
	if p := wantCode(t, err, "idempotency_mismatch"); p.Status != 422 {
		t.Errorf("status %d", p.Status)
	}
	other = c
	other.AccountID = 2
	if _, err = x.holdWith(other, seats(2)); err != nil {
		t.Errorf("another account's key: %v", err)
	}
	// What the path names is part of the request.
	c.Route = "release"
	if _, err := x.e.Release(t.Context(), c, ReleaseRequest{v.ID}); err != nil {
		t.Errorf("another route's key: %v", err)
	}
	w := x.mustHold(1, seats(3))
	_, err = x.e.Release(t.Context(), c, ReleaseRequest{w.ID})
	wantCode(t, err, "idempotency_mismatch")
}

// A refusal has no effect and is decided anew under the same key.
func TestARefusalIsNotStored(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	v := x.mustHold(1, seats(1))
	c := x.command(2)
	_, err := x.holdWith(c, seats(1))
	wantCode(t, err, "seat_taken")
	if _, err := x.e.Release(t.Context(), x.command(1), ReleaseRequest{v.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := x.holdWith(c, seats(1)); err != nil {
		t.Errorf("asked again: %v", err)
	}
}

// AB10: no key, a key too long, control characters.
func TestKeysThatAreNone(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10})
	for key, code := range map[string]string{
		"": "idempotency_key_required", strings.Repeat("k", 256): "idempotency_key_invalid",
		"a\nb": "idempotency_key_invalid", "a\x00": "idempotency_key_invalid", "ключ": "idempotency_key_invalid",
	} {
		c := x.command(1)
		c.Key = key
		_, err := x.e.Hold(t.Context(), c, seats(1))
		if p := wantCode(t, err, code); p.Status != 400 {
			t.Errorf("%q: status %d", key, p.Status)
		}
	}
	c := x.command(1)
	c.Key = strings.Repeat("k", 255)
	if _, err := x.holdWith(c, seats(1)); err != nil {
		t.Errorf("a key of 255: %v", err)
	}
}
