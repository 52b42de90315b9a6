package seatmap

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestVersionHasOneName(t *testing.T) {
	for _, s := range []string{"", "1", "1.", ".1", "01.1", "1.01", "+1.1", "1.-1", "-1.1", "1.1.1", " 1.1", "1.9223372036854775808", "1e3.0"} {
		if v, err := ParseVersion(s); err == nil {
			t.Errorf("%q is accepted as %s", s, v)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := anyVersion().Draw(t, "version")
		if got := must(ParseVersion(v.String())); got != v {
			t.Fatalf("%s is read as %s", v, got)
		}
		var back Version
		if err := json.Unmarshal(must(json.Marshal(v)), &back); err != nil || back != v {
			t.Fatalf("in JSON %s becomes %s, %v", v, back, err)
		}
	})
}

func TestVersionsAreOrderedCommitsFirst(t *testing.T) {
	order := []Version{{0, 0}, {0, 5}, {1, 0}, {1, 4}, {2, 1}}
	for i := range order {
		for j := range order {
			want := min(1, max(-1, i-j))
			if got := order[i].Compare(order[j]); got != want {
				t.Errorf("%s compared with %s: %d, want %d", order[i], order[j], got, want)
			}
		}
	}
}

func TestLevels(t *testing.T) {
	for n, want := range map[int64]string{-1: "0", 0: "0", 1: "1", 19: "19", 20: "20+", 24: "20+", 25: "25+", 99: "95+", 100: "100+", 149: "100+", 150: "150+", 999: "950+", 1000: "1000+", 1499: "1000+", 7777: "7500+"} {
		if got := LevelOf(n).String(); got != want {
			t.Errorf("%d left is %q, want %q", n, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<40).Draw(t, "n")
		l := int64(LevelOf(n))
		if l > n || LevelOf(l) != LevelOf(n) || n <= 1<<30 && float64(l) < 0.66*float64(n) {
			t.Fatalf("%d left is level %d", n, l)
		}
		if l > int64(LevelOf(n+1)) {
			t.Fatalf("one more left lowers the level of %d", n)
		}
	})
}
