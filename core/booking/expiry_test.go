package booking

import (
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/pg"
)

// B04, B06: with the sweeper off, everything held and all expired, the same places
// can be held again, under a new version, and the counters are right.
func TestWhatExpiredCanBeHeldAgainWithoutASweeper(t *testing.T) {
	x := newSale(t, saleSpec{seats: 2, counters: []counterSpec{{"Standing", 3, 0}}, config: Config{SweepOff: true}})
	all := seats(1, 2)
	all.Places = places(1, 3).Places
	first := x.mustHold(1, all)
	_, err := x.hold(2, all)
	wantCode(t, err, "seat_taken")
	x.age(first.ID, 8*time.Minute)
	second := x.mustHold(2, all)
	if second.Version != first.Version+1 {
		t.Errorf("versions %d, then %d", first.Version, second.Version)
	}
	var versions, lines []int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT (SELECT array_agg(hold_version ORDER BY seat_id) FROM seat),
		(SELECT array_agg(state ORDER BY line) FROM hold_line WHERE hold_id = $1)`, first.ID).Scan(&versions, &lines); err != nil {
		t.Fatal(err)
	}
	if versions[0] != 2 || versions[1] != 2 {
		t.Errorf("seats were taken over under versions %v", versions)
	}
	if lines[2] != 0 { // the seats' lines are ended by their time, and count nowhere
		t.Errorf("the old hold's places still count: %v", lines)
	}
	if v, err := x.e.HoldView(t.Context(), 1, slug, first.ID); err != nil || v.State != "expired" {
		t.Errorf("the old hold is %q, %v", v.State, err)
	}
	if held, _ := x.counterSums(1); held != 3 {
		t.Errorf("%d held", held)
	}
}

// A hold over a seat and an area whose seat alone is taken over: the area's part
// waits for the reclaim under its own lock, and is not lost.
func TestTakingOverASeatLeavesTheRestOfTheOldHoldAlone(t *testing.T) {
	x := newSale(t, saleSpec{seats: 2, counters: []counterSpec{{"Standing", 3, 0}}})
	r := seats(1, 2)
	r.Places = places(1, 3).Places
	old := x.mustHold(1, r)
	x.age(old.ID, 8*time.Minute)
	x.mustHold(2, seats(1))
	if held, _ := x.counterSums(1); held != 3 {
		t.Errorf("the area counts %d held before anybody looked at it", held)
	}
	x.mustHold(3, places(1, 2))
	if held, _ := x.counterSums(1); held != 2 {
		t.Errorf("the area counts %d held", held)
	}
	x.mustHold(4, seats(2))
}

// Expired holds count against nobody's limit.
func TestExpiredHoldsDoNotCountAgainstTheLimit(t *testing.T) {
	x := newSale(t, saleSpec{seats: 20, counters: []counterSpec{{"Standing", 100, 0}}})
	r := seats(1, 2, 3)
	r.Places = places(1, 3).Places
	v := x.mustHold(1, r)
	_, err := x.hold(1, seats(4))
	wantCode(t, err, "limit_exceeded")
	x.age(v.ID, 8*time.Minute)
	x.mustHold(1, seats(4, 5, 6, 7, 8, 9))
}

// B53: the server's zone at +13, the program's at -11, a night with a clock change:
// a hold lasts 480 s by the database's clock, and nothing else is asked.
func TestAHoldLastsItsSecondsInAnyTimeZone(t *testing.T) {
	local := time.Local
	time.Local = time.FixedZone("far west", -11*3600)
	t.Cleanup(func() { time.Local = local })
	x := newSale(t, saleSpec{seats: 3, counters: []counterSpec{{"Standing", 5, 0}}})
	for i, zone := range []string{"Pacific/Tongatapu", "Europe/Brussels"} {
		x.db.Owner(t, `ALTER ROLE ropeline_app IN DATABASE `+x.database()+` SET timezone = '`+zone+`'`)
		x.db.Owner(t, `UPDATE event SET hold_ttl = '480 seconds', time_zone = $1`, zone)
		x.e = x.engine(x.db.Open(t, pg.Options{}), Config{})
		r := seats(int32(i + 1))
		r.Places = places(1, 1).Places
		v := x.mustHold(int64(i+1), r)
		var line, seat, head float64
		if err := x.db.Pool.QueryRow(t.Context(), `SELECT extract(epoch FROM l.held_until - h.created_at), extract(epoch FROM s.held_until - h.created_at), extract(epoch FROM h.held_until - h.created_at)
			FROM hold h JOIN hold_line l ON l.hold_id = h.id AND l.seat_id IS NULL JOIN seat s ON s.hold_id = h.id WHERE h.id = $1`, v.ID).Scan(&line, &seat, &head); err != nil {
			t.Fatal(err)
		}
		if line != 480 || seat != 480 || head != 480 {
			t.Errorf("%s: line %v, seat %v, hold %v seconds", zone, line, seat, head)
		}
		if n := time.Time(v.ExpiresAt).Sub(time.Time(v.ServerTime)); n != 480*time.Second {
			t.Errorf("%s: answered %s", zone, n)
		}
	}
}

func TestTheSweeperGivesBackInBoundedSteps(t *testing.T) {
	x := newSale(t, saleSpec{seats: 10, counters: []counterSpec{{"Standing", 2000, 0}, {"Balcony", 10, 0}}, limit: 1000})
	v := x.mustHold(1, seats(1, 2))
	w := x.mustHold(2, places(2, 5))
	live := x.mustHold(3, places(2, 4))
	for account := range int64(3) {
		for range 10 {
			h := x.mustHold(10+account, places(1, 20))
			x.age(h.ID, 8*time.Minute)
		}
	}
	x.age(v.ID, 8*time.Minute)
	x.age(w.ID, 8*time.Minute)
	steps := 0
	for again := true; again; steps++ {
		var err error
		if again, err = x.e.sweep(t.Context()); err != nil || steps > 100 {
			t.Fatalf("step %d: %v", steps, err)
		}
	}
	var due int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM hold_line WHERE state = 1 AND counter_id IS NOT NULL AND held_until <= now()`).Scan(&due); err != nil || due != 0 {
		t.Errorf("%d lines are still due, %v", due, err)
	}
	if held, _ := x.counterSums(1); held != 0 {
		t.Errorf("standing: %d held", held)
	}
	if held, _ := x.counterSums(2); held != 4 {
		t.Errorf("balcony: %d held, want the live 4 of %s", held, live.ID)
	}
}

// B57: a limit lowered below what is held has an excess that only shrinks, and
// nothing is held until it fits.
func TestALoweredLimitIsReachedFromAboveOnly(t *testing.T) {
	x := newSale(t, saleSpec{seats: 1, counters: []counterSpec{{"Standing", 10, 0}}})
	a, b := x.mustHold(1, places(1, 6)), x.mustHold(2, places(1, 4))
	x.db.Owner(t, `UPDATE counter SET capacity = 5, excess = 5`)
	_, err := x.hold(3, places(1, 1))
	wantCode(t, err, "not_enough_places")
	x.age(b.ID, 8*time.Minute) // 6 held of 5 + 1
	_, err = x.hold(3, places(1, 1))
	wantCode(t, err, "not_enough_places")
	if _, err := x.e.Release(t.Context(), x.command(1), ReleaseRequest{a.ID}); err != nil {
		t.Fatal(err)
	}
	var excess int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT excess FROM counter`).Scan(&excess); err != nil || excess != 0 {
		t.Errorf("excess %d, %v", excess, err)
	}
	x.mustHold(3, places(1, 5))
	_, err = x.hold(4, places(1, 1))
	wantCode(t, err, "not_enough_places")
}
