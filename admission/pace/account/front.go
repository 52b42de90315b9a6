package account

// frontStep is how many seconds one entry of the line's history covers, and frontMost how many there are: a day.
const (
	frontStep = 5
	frontMost = 24 * 3600 / frontStep
)

// front follows the first in line, to know how long anybody waited: it remembers how far the line reached and when.
type front struct {
	reached []int64 // end of the line at the end of each step
	at      int     // step in which the first in line joined
	longest int     // seconds
}

// see takes the line from x to end at a second.
func (f *front) see(second int, x, end int64) {
	step := second / frontStep
	if step < 0 || step >= frontMost {
		return
	}
	for len(f.reached) <= step {
		last := int64(0)
		if n := len(f.reached); n > 0 {
			last = f.reached[n-1]
		}
		f.reached = append(f.reached, last)
	}
	f.reached[step] = max(f.reached[step], end)
	for f.at < step && f.reached[f.at] <= x {
		f.at++
	}
	if end > x {
		f.longest = max(f.longest, (step-f.at)*frontStep)
	}
}

const (
	fastestStep = 60 // seconds
	fastestOf   = 10 // steps
)

// fastest is the pace of an event's best minutes: what it could do when nothing held it back.
type fastest struct {
	sum  float64
	n    int
	best [fastestOf]float64 // falling
	full int
}

func (f *fastest) add(rate float64) float64 {
	f.sum, f.n = f.sum+rate, f.n+1
	if f.n == fastestStep {
		f.put(f.sum / fastestStep)
		f.sum, f.n = 0, 0
	}
	if f.full == 0 {
		return f.sum / float64(f.n)
	}
	mean := 0.0
	for _, v := range f.best[:f.full] {
		mean += v / float64(f.full)
	}
	return mean
}

func (f *fastest) put(v float64) {
	f.full = min(fastestOf, f.full+1)
	for i := range f.best[:f.full] {
		if v > f.best[i] {
			v, f.best[i] = f.best[i], v
		}
	}
}
