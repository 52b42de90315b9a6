package throttle

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBurstThenRate(t *testing.T) {
	table, l, now := New(100), Limit{PerMinute: 60, Burst: 3}, time.Now()
	for i := range 3 {
		if w := Try(table, "ada", l, now); w != 0 {
			t.Fatalf("try %d: wait %s", i+1, w)
		}
	}
	if w := Try(table, "ada", l, now); w != time.Second {
		t.Errorf("the fourth waits %s, want 1 s", w)
	}
	if w := Try(table, "bob", l, now); w != 0 {
		t.Errorf("another caller waits %s", w)
	}
	if w := Try(table, "ada", l, now.Add(time.Second)); w != 0 {
		t.Errorf("after the wait: %s more", w)
	}
	if w := Try(table, "ada", l, now.Add(time.Second)); w != time.Second {
		t.Errorf("and then %s, want 1 s", w)
	}
	if w := Try(table, "ada", Limit{}, now); w != 0 {
		t.Errorf("no limit: %s", w)
	}
}

// In any window a caller gets no more than burst and rate allow, and whoever waits as
// long as told is served.
func TestNeverMoreThanAllowed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Limit{PerMinute: rapid.IntRange(1, 6000).Draw(t, "rate"), Burst: rapid.IntRange(1, 50).Draw(t, "burst")}
		table, begin := New(16), time.Now()
		now, served := begin, 0
		for range rapid.IntRange(1, 300).Draw(t, "tries") {
			now = now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond)
			wait := Try(table, 7, l, now)
			if wait == 0 {
				served++
			} else if again := Try(table, 7, l, now.Add(wait)); again != 0 {
				t.Fatalf("told to wait %s, then %s more", wait, again)
			} else {
				now, served = now.Add(wait), served+1
			}
			if most := float64(l.Burst) + now.Sub(begin).Minutes()*float64(l.PerMinute); float64(served) > most+1e-6 {
				t.Fatalf("%d served in %s, at most %.1f", served, now.Sub(begin), most)
			}
		}
	})
}

// A flood of callers costs no memory, and forgets those first who owe least.
func TestTheTableDoesNotGrow(t *testing.T) {
	table, l, now := New(64), Limit{PerMinute: 1, Burst: 1}, time.Now()
	cells := len(table.buckets) * ways
	refused := 0
	for i := range 10_000 {
		if Try(table, i, l, now) != 0 {
			refused++
		}
	}
	if refused > 0 || cells != 64 || len(table.buckets)*ways != cells {
		t.Errorf("%d strangers refused, %d cells", refused, cells)
	}
}

func TestWaitDoesNotCount(t *testing.T) {
	table, l, now := New(100), Limit{PerMinute: 60, Burst: 1}, time.Now()
	for range 3 {
		if w := Wait(table, "ada", l, now); w != 0 {
			t.Fatalf("asked only: %s", w)
		}
	}
	Try(table, "ada", l, now)
	if w := Wait(table, "ada", l, now); w != time.Second {
		t.Errorf("after a try: %s, want 1 s", w)
	}
}
