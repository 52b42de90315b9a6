package payment

import (
	"testing"

	"pgregory.net/rapid"
)

const price = 4200

func drawFacts(t *rapid.T, name string) Facts {
	amount := rapid.SampledFrom([]int64{0, 0, 1000, price})
	return Facts{
		Authorized: amount.Draw(t, name+" authorized"),
		Captured:   amount.Draw(t, name+" captured"),
		Refunded:   amount.Draw(t, name+" refunded"),
		Declined:   rapid.Bool().Draw(t, name+" declined"),
		Voided:     rapid.Bool().Draw(t, name+" voided"),
		Dispute:    rapid.SampledFrom([]Dispute{NoDispute, DisputeOpen, DisputeWon, DisputeLost}).Draw(t, name+" dispute"),
	}
}

// TestMergeConverges (P4): any order, any repetition, one result; nothing is
// ever taken back.
func TestMergeConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawFacts(t, "a"), drawFacts(t, "b"), drawFacts(t, "c")
		merge := func(fs ...Facts) (m Facts) {
			for _, f := range fs {
				m = m.Merge(f, price)
			}
			return m
		}
		one := merge(a, b, c)
		for _, other := range []Facts{merge(c, b, a), merge(b, a, c), merge(a, a, b, c, b), merge(c, a, b, a)} {
			if other != one {
				t.Fatalf("%+v and %+v", one, other)
			}
		}
		if grown := merge(a, b); grown.Merge(grown, price) != grown || merge(a).Authorized > grown.Authorized {
			t.Fatalf("merging shrank: %+v", grown)
		}
	})
}

func TestImplications(t *testing.T) {
	for _, tc := range []struct{ in, want Facts }{
		{Facts{Captured: 10}, Facts{Authorized: 10, Captured: 10}},
		{Facts{Refunded: 10}, Facts{Authorized: 10, Captured: 10, Refunded: 10}},
		{Facts{Voided: true}, Facts{Authorized: price, Voided: true}},
		{Facts{Dispute: DisputeOpen}, Facts{Authorized: price, Captured: price, Dispute: DisputeOpen}},
		{Facts{Declined: true}, Facts{Declined: true}},
	} {
		if got := (Facts{}).Merge(tc.in, price); got != tc.want {
			t.Errorf("%+v implies %+v, want %+v", tc.in, got, tc.want)
		}
	}
}

func TestWantNeverGoesBack(t *testing.T) {
	for _, tc := range []struct{ from, to, want Want }{
		{Undecided, Undecided, Undecided}, {Undecided, Keep, Keep}, {Undecided, GiveBack, GiveBack},
		{Keep, Undecided, Keep}, {Keep, Keep, Keep}, {Keep, GiveBack, GiveBack},
		{GiveBack, Undecided, GiveBack}, {GiveBack, Keep, GiveBack}, {GiveBack, GiveBack, GiveBack},
	} {
		if got := tc.from.Then(tc.to); got != tc.want {
			t.Errorf("%s then %s = %s, want %s", tc.from, tc.to, got, tc.want)
		}
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	for _, f := range []Facts{
		{Authorized: -1}, {Authorized: 5, Captured: 6}, {Authorized: 5, Captured: 5, Refunded: 6}, {Dispute: "maybe"},
	} {
		if f.Check() == nil {
			t.Errorf("%+v passed", f)
		}
	}
	if err := (Facts{Authorized: 5, Captured: 5, Refunded: 5}).Check(); err != nil {
		t.Error(err)
	}
}
