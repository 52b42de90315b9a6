package seatmap

import "strconv"

// Level is how much is left of a counter (an area without seats, a fare class),
// as coarse as a visitor needs it. An exact number would make a new map of
// every single ticket sold, and tell a competitor how sales go.
type Level uint32

// exactUpTo is the number up to which a level is exact: "the last few" is where
// one more or less decides whether a group of friends tries.
const exactUpTo = 20

// LevelOf rounds n down to 20, 25, 30 ... 95, 100, 150, 200 ... 950, 1000, 1500
// and so on. Rounding down promises less than there is, never more.
func LevelOf(n int64) Level {
	if n <= 0 {
		return 0
	}
	n = min(n, 1<<30)
	if n <= exactUpTo {
		return Level(n)
	}
	step := int64(5)
	for n >= step*20 {
		step *= 10
	}
	return Level(n - n%step)
}

// Exact says whether the level is the very number.
func (l Level) Exact() bool { return l < exactUpTo }

// String gives "7" or "150+".
func (l Level) String() string {
	s := strconv.FormatUint(uint64(l), 10)
	if !l.Exact() {
		s += "+"
	}
	return s
}

// Counter is what is left of one counter.
type Counter struct {
	ID    int64 `json:"id"` // from 1
	Level Level `json:"level"`
}
