package main

import (
	"testing"
	"time"
)

func TestTheDoorIsAsWideAsTheMachineBears(t *testing.T) {
	for _, c := range []struct {
		share     float64
		rate, cap string
		opens     time.Duration
		limit     time.Duration
	}{
		{1, "80/s", "200", 8 * time.Second, 50 * time.Second},
		{0.5, "40/s", "145", 16 * time.Second, 100 * time.Second},
		{0.1, "20/s", "117", 16 * time.Second, 200 * time.Second},
		{0, "20/s", "117", 16 * time.Second, 200 * time.Second},
	} {
		if p := paceFor(c.share); p.rate != c.rate || p.cap != c.cap || p.opensIn != c.opens || p.limit != c.limit {
			t.Errorf("a share of %g: %+v, want %+v", c.share, p, c)
		}
	}
}

func TestAShareIsAShare(t *testing.T) {
	if s := share(); s <= 0 || s > 1 {
		t.Errorf("we got %g of the processors", s)
	}
}
