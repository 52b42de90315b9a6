// Package money counts in minor units: an int64 and a currency that knows its
// exponent. There are no floats, no rounding that loses a cent, and no arithmetic
// across currencies.
package money

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Amount is a sum in minor units: 1250 EUR is 12.50 euros, 500 JPY is 500 yen.
type Amount struct {
	Minor    int64
	Currency Currency
}

// What arithmetic and parsing refuse.
var (
	ErrOverflow = errors.New("amount out of range")
	ErrCurrency = errors.New("amounts of different currencies")
	ErrSyntax   = errors.New("not an amount")
)

// Of returns an amount.
func Of(minor int64, c Currency) Amount { return Amount{Minor: minor, Currency: c} }

// Add returns a + b.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.Currency != b.Currency {
		return Amount{}, fmt.Errorf("%w: %s and %s", ErrCurrency, a.Currency, b.Currency)
	}
	s := a.Minor + b.Minor
	if (s > a.Minor) != (b.Minor > 0) {
		return Amount{}, ErrOverflow
	}
	return Amount{s, a.Currency}, nil
}

// Times returns n times a.
func (a Amount) Times(n int64) (Amount, error) {
	hi, lo := bits.Mul64(abs(a.Minor), abs(n))
	if hi != 0 || lo > math.MaxInt64 {
		return Amount{}, ErrOverflow
	}
	m := int64(lo)
	if (a.Minor < 0) != (n < 0) {
		m = -m
	}
	return Amount{m, a.Currency}, nil
}

// BasisPoints returns the share bp/10000 of a, the half rounded away from zero.
// a - share is the rest, so the two always sum to a.
func (a Amount) BasisPoints(bp int) (Amount, error) {
	const whole = 10_000
	if bp < 0 || bp > whole {
		return Amount{}, fmt.Errorf("%w: %d basis points", ErrOverflow, bp)
	}
	hi, lo := bits.Mul64(abs(a.Minor), uint64(bp))
	lo, carry := bits.Add64(lo, whole/2, 0)
	q, _ := bits.Div64(hi+carry, lo, whole) // hi < whole, since bp <= whole
	m := int64(q)
	if a.Minor < 0 {
		m = -m
	}
	return Amount{m, a.Currency}, nil
}

// Sub returns a - b.
func (a Amount) Sub(b Amount) (Amount, error) {
	if b.Minor == math.MinInt64 {
		return Amount{}, ErrOverflow
	}
	b.Minor = -b.Minor
	return a.Add(b)
}

func abs(n int64) uint64 {
	if n < 0 {
		return uint64(-(n + 1)) + 1 // also right for MinInt64
	}
	return uint64(n)
}

// String is the amount for people and logs: "12.50 EUR", "500 JPY", "18.600 KWD".
func (a Amount) String() string { return a.Decimal() + " " + string(a.Currency) }

// Decimal is the amount with the currency's digits and nothing else.
func (a Amount) Decimal() string {
	exp := a.Currency.Exponent()
	s := strconv.FormatUint(abs(a.Minor), 10)
	if exp > 0 {
		if len(s) <= exp {
			s = strings.Repeat("0", exp+1-len(s)) + s
		}
		s = s[:len(s)-exp] + "." + s[len(s)-exp:]
	}
	if a.Minor < 0 {
		s = "-" + s
	}
	return s
}

// Parse reads what Decimal writes: exactly the currency's digits, no thousands
// separators. "12.5" is refused for EUR: half a notation hides a mistake.
func Parse(s string, c Currency) (Amount, error) {
	if !c.Known() {
		return Amount{}, fmt.Errorf("%w: unknown currency %q", ErrSyntax, string(c))
	}
	exp := c.Exponent()
	whole, frac, dot := strings.Cut(s, ".")
	digits := strings.TrimPrefix(whole, "-") + frac
	if dot != (exp > 0) || len(frac) != exp || len(digits) <= exp || strings.Trim(digits, "0123456789") != "" {
		return Amount{}, fmt.Errorf("%w: %q (%s has %d digits after the point)", ErrSyntax, s, c, exp)
	}
	n, err := strconv.ParseInt(strings.Replace(s, ".", "", 1), 10, 64)
	if err != nil {
		return Amount{}, fmt.Errorf("%w: %q", ErrOverflow, s)
	}
	return Amount{n, c}, nil
}

type wire struct {
	Amount   *int64    `json:"amount"`
	Currency *Currency `json:"currency"`
}

// MarshalJSON writes {"amount":1250,"currency":"EUR"}.
func (a Amount) MarshalJSON() ([]byte, error) {
	return json.Marshal(wire{&a.Minor, &a.Currency})
}

// UnmarshalJSON refuses floats, a missing member and an unknown currency.
func (a *Amount) UnmarshalJSON(b []byte) error {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	if w.Amount == nil || w.Currency == nil {
		return fmt.Errorf("%w: amount and currency are both needed", ErrSyntax)
	}
	if !w.Currency.Known() {
		return fmt.Errorf("%w: unknown currency %q", ErrSyntax, string(*w.Currency))
	}
	a.Minor, a.Currency = *w.Amount, *w.Currency
	return nil
}
