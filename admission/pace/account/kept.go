package account

import "math"

const (
	keptBins  = 48
	keptLeast = 0.01 // people a second; half as much again for each bin: the last begins at some millions
	keptStep  = 1.5
)

// kept is what a limit kept waiting, sorted by what would have been without it: what of that is believed is known only when
// the event is over.
type kept [keptBins]struct {
	seconds, instead, rate float64
}

func (k *kept) add(instead, rate float64) {
	bin := keptBins - 1
	if !math.IsInf(instead, 1) {
		bin = int(math.Log(max(keptLeast, instead)/keptLeast) / math.Log(keptStep))
		bin = min(max(0, bin), keptBins-2)
	}
	b := &k[bin]
	b.seconds, b.instead, b.rate = b.seconds+1, b.instead+instead, b.rate+rate
}

// people is how many they were, if nothing could have gone faster than best.
func (k *kept) people(best float64) (sum float64) {
	for i := range k {
		b := &k[i]
		sum += max(0, min(b.instead, best*b.seconds)-b.rate)
	}
	return sum
}
