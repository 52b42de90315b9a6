package refund

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const day = 24 * time.Hour

var start = time.Date(2027, 3, 1, 19, 0, 0, 0, time.UTC)

// In any order: which tier holds is a matter of the time, not of the list.
var tiered = Policy{StartsAt: start, Tiers: []Tier{{2 * day, 5000, 0}, {30 * day, 0, 0}, {7 * day, 1000, 250}}}

func TestTiersByTimeToTheEvent(t *testing.T) {
	for _, tc := range []struct {
		left  time.Duration
		bp    int
		until time.Duration // before the start
		err   error
	}{
		{40 * day, 0, 30 * day, nil}, {30 * day, 0, 30 * day, nil}, {30*day - 1, 1000, 7 * day, nil}, {7 * day, 1000, 7 * day, nil},
		{7*day - 1, 5000, 2 * day, nil}, {2 * day, 5000, 2 * day, nil}, {2*day - 1, 0, 0, ErrClosed}, {0, 0, 0, ErrClosed}, {-time.Hour, 0, 0, ErrClosed},
	} {
		got, until, err := tiered.At(start.Add(-tc.left))
		if !errors.Is(err, tc.err) || err == nil && (got.FeeBP != tc.bp || !until.Equal(start.Add(-tc.until))) {
			t.Errorf("%s before: %+v until %s, %v", tc.left, got, until, err)
		}
	}
	open := Policy{StartsAt: start}
	if tier, until, err := open.At(start.Add(-1)); err != nil || tier != (Tier{}) || !until.Equal(start) {
		t.Errorf("without tiers just before the start: %+v until %s, %v", tier, until, err)
	}
	if _, _, err := open.At(start); !errors.Is(err, ErrClosed) {
		t.Errorf("at the start: %v", err)
	}
}

func TestQuotes(t *testing.T) {
	parts := []Part{{1, 1, 4500}, {2, 3, 1001}}
	q, err := Tier{FeeBP: 1000, FeePerPlace: 250}.Quote("EUR", parts)
	// 450 + 250, and 10 % of 3003 (half away from zero: 300) + 750.
	if err != nil || q.Kept != 700+1050 || q.Back != 4500+3003-1750 {
		t.Errorf("%+v %v", q, err)
	}
	if q, err := (Tier{FeeBP: 10_000}).Quote("EUR", parts); !errors.Is(err, ErrNothing) {
		t.Errorf("all is kept: %+v %v", q, err)
	}
	if q, err := (Tier{FeePerPlace: 9999}).Quote("EUR", parts); !errors.Is(err, ErrNothing) || q.Kept != 7503 {
		t.Errorf("a fee above the price: %+v %v", q, err)
	}
	for _, amount := range []int64{0, -1, 7504} { // B40
		if _, err := Exactly(amount, parts); !errors.Is(err, ErrAmount) {
			t.Errorf("exactly %d: %v", amount, err)
		}
	}
	if q, err := Exactly(7503, parts); err != nil || q.Kept != 0 {
		t.Errorf("%+v %v", q, err)
	}
}

func TestChoosing(t *testing.T) {
	parts := []Part{{1, 1, 1}, {3, 1, 1}}
	if got, missing := Choose(parts, nil); len(got) != 2 || missing != nil {
		t.Errorf("all: %v %v", got, missing)
	}
	if got, missing := Choose(parts, []int16{3, 2, 3}); len(got) != 1 || len(missing) != 2 {
		t.Errorf("3, 2 and 3 again: %v, missing %v", got, missing)
	}
}

// B42: whatever is given back in whatever order, what goes back and what is kept sum to
// the price, and the order of giving back changes nothing.
func TestPartsSumToTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Part {
			return Part{Places: rapid.IntRange(1, 9).Draw(t, "places"), Price: rapid.Int64Range(1, 1_000_000).Draw(t, "price")}
		}), 1, 8).Draw(t, "parts")
		tier := Tier{FeeBP: rapid.IntRange(0, 9000).Draw(t, "bp"), FeePerPlace: rapid.Int64Range(0, 300).Draw(t, "per place")}
		var value int64
		for i := range parts {
			parts[i].Line = int16(i + 1)
			value += parts[i].Value()
		}
		whole, _ := tier.Quote("KWD", parts)
		if whole.Value() != value {
			t.Fatalf("%d of %d", whole.Value(), value)
		}
		var back int64
		for _, i := range rapid.Permutation(parts).Draw(t, "order") {
			one, _ := tier.Quote("KWD", []Part{i})
			back += one.Back
		}
		if back != whole.Back {
			t.Fatalf("one by one %d goes back, together %d", back, whole.Back)
		}
	})
}
