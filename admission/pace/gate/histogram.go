package gate

import "math/bits"

const (
	octaves   = 17 // from 1 ms to 2 min
	perOctave = 8  // buckets: a boundary is 9 to 12 % above the one before
	buckets   = octaves * perOctave
	lowest    = 20 // 2^20 ns is 1.05 ms
)

// histogram counts durations in buckets of equal ratio, so that its quantiles are as exact at 10 ms as at 10 s.
type histogram [buckets]uint32

// bucket of a duration in nanoseconds, from its leading bits: no logarithm on the way of a request.
func bucket(ns int64) int {
	if ns < 1<<lowest {
		return 0
	}
	octave := bits.Len64(uint64(ns)) - 1
	if octave >= lowest+octaves {
		return buckets - 1
	}
	return (octave-lowest)*perOctave + int(ns>>(octave-3))&(perOctave-1)
}

// edgeOf is where a bucket begins, in seconds.
func edgeOf(b int) float64 {
	octave, part := b/perOctave, b%perOctave
	return float64(uint64(1)<<(lowest+octave)) * (1 + float64(part)/perOctave) / 1e9
}

func (h *histogram) add(other *histogram) {
	for i, n := range other {
		h[i] += n
	}
}

func (h *histogram) count() (n uint64) {
	for _, c := range h {
		n += uint64(c)
	}
	return n
}

// quantile in seconds, placed within its bucket by the rank; 0 of nothing.
func (h *histogram) quantile(q float64) float64 {
	n := h.count()
	if n == 0 {
		return 0
	}
	rank := q * float64(n)
	before := 0.0
	for b, c := range h {
		if after := before + float64(c); c > 0 && after >= rank {
			from, to := edgeOf(b), edgeOf(b+1)
			return from + (to-from)*(rank-before)/float64(c)
		} else {
			before = after
		}
	}
	return edgeOf(buckets)
}
