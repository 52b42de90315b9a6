package money

import (
	"fmt"
	"math/bits"
	"slices"
)

// Split divides a by weights so that the parts sum to a exactly: each part gets
// its share rounded towards zero, and the cents left over go one by one to the
// largest remainders (equal ones: to the earlier part). Weights are not negative
// and not all zero.
func (a Amount) Split(weights ...int64) ([]Amount, error) {
	var total uint64
	for _, w := range weights {
		if w < 0 {
			return nil, fmt.Errorf("%w: weight %d", ErrOverflow, w)
		}
		var carry uint64
		if total, carry = bits.Add64(total, uint64(w), 0); carry != 0 {
			return nil, ErrOverflow
		}
	}
	if total == 0 {
		return nil, fmt.Errorf("%w: weights sum to zero", ErrOverflow)
	}
	parts := make([]Amount, len(weights))
	rest := make([]uint64, len(weights))
	order := make([]int, len(weights))
	left := abs(a.Minor)
	for i, w := range weights {
		hi, lo := bits.Mul64(abs(a.Minor), uint64(w))
		var q uint64
		q, rest[i] = bits.Div64(hi, lo, total) // w <= total, so q <= |a|
		left -= q
		parts[i], order[i] = Amount{int64(q), a.Currency}, i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case rest[i] > rest[j]:
			return -1
		case rest[i] < rest[j]:
			return 1
		}
		return 0
	})
	for _, i := range order[:left] {
		parts[i].Minor++
	}
	if a.Minor < 0 {
		for i := range parts {
			parts[i].Minor = -parts[i].Minor
		}
	}
	return parts, nil
}
