package money_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/ropeline/ropeline/core/money"
)

var codes = rapid.SampledFrom([]money.Currency{"EUR", "JPY", "KWD"})

func TestDecimalAndParseAreInverse(t *testing.T) {
	for _, c := range []struct {
		minor int64
		cur   money.Currency
		want  string
	}{
		{500, "JPY", "500"}, {18600, "KWD", "18.600"}, {1, "EUR", "0.01"}, {-5, "EUR", "-0.05"}, {0, "KWD", "0.000"},
	} {
		if got := money.Of(c.minor, c.cur).Decimal(); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.minor, c.cur, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := money.Of(rapid.Int64().Draw(t, "minor"), codes.Draw(t, "currency"))
		b, err := money.Parse(a.Decimal(), a.Currency)
		if err != nil || a != b {
			t.Fatalf("%v became %v, %v", a, b, err)
		}
	})
}

func TestParseRefusesHalfNotations(t *testing.T) {
	for _, s := range []string{"", "1", "1.2", "1.234", ".50", "1.2.3", "1,20", "+1.00", "--1.00", "1.0-", " 1.00", "1e2"} {
		if a, err := money.Parse(s, "EUR"); !errors.Is(err, money.ErrSyntax) {
			t.Errorf("%q: %v, %v", s, a, err)
		}
	}
	if _, err := money.Parse("5.0", "JPY"); !errors.Is(err, money.ErrSyntax) {
		t.Errorf("decimals of a currency without: %v", err)
	}
	if _, err := money.Parse("92233720368547758.08", "EUR"); !errors.Is(err, money.ErrOverflow) {
		t.Errorf("overflow: %v", err)
	}
}

// B42: parts always sum to the total, and none is off its exact share by a cent.
func TestSplitSumsToTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := money.Of(rapid.Int64().Draw(t, "minor"), codes.Draw(t, "currency"))
		weights := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64/64), 1, 20).Draw(t, "weights")
		total := new(big.Int)
		for _, w := range weights {
			total.Add(total, big.NewInt(w))
		}
		parts, err := a.Split(weights...)
		if total.Sign() == 0 {
			if err == nil {
				t.Fatal("weights of zero were accepted")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		sum := new(big.Int)
		for i, p := range parts {
			sum.Add(sum, big.NewInt(p.Minor))
			// |part * total - a * weight| < total
			d := new(big.Int).Mul(big.NewInt(p.Minor), total)
			d.Sub(d, new(big.Int).Mul(big.NewInt(a.Minor), big.NewInt(weights[i])))
			if d.CmpAbs(total) >= 0 {
				t.Fatalf("part %d of %v by %v is %d", i, a, weights, p.Minor)
			}
		}
		if sum.Cmp(big.NewInt(a.Minor)) != 0 {
			t.Fatalf("parts of %v sum to %v", a, sum)
		}
	})
}

func TestArithmeticRefusesOverflowAndMixedCurrencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Int64().Draw(t, "x"), rapid.Int64().Draw(t, "y")
		a, b := money.Of(x, "EUR"), money.Of(y, "EUR")
		check := func(op string, got money.Amount, err error, want *big.Int) {
			if want.IsInt64() && want.Int64() != math.MinInt64 {
				if err != nil || got.Minor != want.Int64() {
					t.Fatalf("%d %s %d = %v, %v", x, op, y, got, err)
				}
			} else if err == nil && (!want.IsInt64() || got.Minor != want.Int64()) {
				t.Fatalf("%d %s %d = %v without an error", x, op, y, got)
			}
		}
		bx, by := big.NewInt(x), big.NewInt(y)
		s, err := a.Add(b)
		check("+", s, err, new(big.Int).Add(bx, by))
		if y != math.MinInt64 {
			s, err = a.Sub(b)
			check("-", s, err, new(big.Int).Sub(bx, by))
		}
		s, err = a.Times(y)
		check("*", s, err, new(big.Int).Mul(bx, by))
	})
	if _, err := money.Of(1, "EUR").Add(money.Of(1, "USD")); !errors.Is(err, money.ErrCurrency) {
		t.Errorf("EUR + USD: %v", err)
	}
}

func TestBasisPointsRoundHalfAwayFromZero(t *testing.T) {
	for _, c := range []struct {
		minor int64
		bp    int
		want  int64
	}{{1000, 500, 50}, {1010, 500, 51}, {1009, 500, 50}, {-1010, 500, -51}, {1, 10000, 1}, {7, 0, 0}, {math.MaxInt64, 10000, math.MaxInt64}} {
		got, err := money.Of(c.minor, "EUR").BasisPoints(c.bp)
		if err != nil || got.Minor != c.want {
			t.Errorf("%d bp of %d: %v, %v, want %d", c.bp, c.minor, got, err, c.want)
		}
	}
	if _, err := money.Of(1, "EUR").BasisPoints(10001); err == nil {
		t.Error("more than the whole was accepted")
	}
}

// AB5: integers only, a known currency, both members.
func TestJSONRefusesWhatIsNotAnAmount(t *testing.T) {
	b, err := json.Marshal(money.Of(1250, "EUR"))
	if err != nil || string(b) != `{"amount":1250,"currency":"EUR"}` {
		t.Fatalf("%s, %v", b, err)
	}
	for _, s := range []string{`{"amount":12.5,"currency":"EUR"}`, `{"amount":"1","currency":"EUR"}`, `{"amount":1}`,
		`{"currency":"EUR"}`, `{"amount":1,"currency":"XXX"}`, `{"amount":9223372036854775808,"currency":"EUR"}`} {
		var a money.Amount
		if err := json.Unmarshal([]byte(s), &a); !errors.Is(err, money.ErrSyntax) {
			t.Errorf("%s: %v, %v", s, a, err)
		}
	}
}
