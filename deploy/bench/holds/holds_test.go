package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// A walk asks for every pair of a hall before it asks for one again: else what is
// measured is how fast taken seats are refused.
func TestAWalkVisitsEveryPairOnce(t *testing.T) {
	for _, size := range []int64{arenaSeats, clubSeats} {
		w, seen := walk("hall", size), map[int32]bool{}
		for n := range size / 2 {
			_, seats, _ := w(n + 12345)
			if seats[1] != seats[0]+1 || seats[0]%2 != 1 || int64(seats[1]) > size || seen[seats[0]] {
				t.Fatalf("%d seats: request %d asks for %v", size, n, seats)
			}
			seen[seats[0]] = true
		}
	}
	w, seen := overTrips(tripSlugs()), map[string]bool{}
	for n := range int64(trips * tripSeats / 2) {
		slug, seats, _ := w(n)
		if k := slug + string(rune(seats[0])); seen[k] || seats[1] > tripSeats {
			t.Fatalf("request %d asks for %s %v again", n, slug, seats)
		} else {
			seen[k] = true
		}
	}
}

// What is wrong is counted apart and fails the measurement; waits count from when a
// request was due.
func TestDriveCounts(t *testing.T) {
	n := 0
	one := func(int64) (verdict, error) {
		n++
		time.Sleep(time.Millisecond) // the work; only the counts are looked at
		return []verdict{committed, refused}[n%2], nil
	}
	got := drive(context.Background(), load{window: 50 * time.Millisecond, rate: 200}, []shooter{one})
	if got.committed == 0 || got.refused == 0 || int64(len(got.latencies)) != got.committed+got.refused || got.sound("x") != nil || got.percentile(0.99) < time.Millisecond {
		t.Errorf("%+v", got)
	}
	bad := drive(context.Background(), load{window: 20 * time.Millisecond}, []shooter{func(int64) (verdict, error) {
		time.Sleep(time.Millisecond)
		return failed, errors.New("no")
	}})
	if err := bad.sound("x"); bad.committed != 0 || err == nil || !strings.Contains(err.Error(), "no") {
		t.Errorf("%+v, %v", bad, err)
	}
	if (tally{}).sound("nothing") == nil {
		t.Error("a measurement of nothing is sound")
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-clients 0": "count from 1", "-clients x": "count from 1", "-only holds": "not one of", "-seconds 0": "positive", "more": "no other words", "-set x": "name=value",
	} {
		if _, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	if o, err := parse(strings.Fields("-only ga,scale -clients 4 -set a=b")); err != nil || !o.only["ga"] || len(o.clients) != 1 || o.settings["a"] != "b" {
		t.Errorf("%+v %v", o, err)
	}
}
