package sim

const (
	window  = 10 // seconds of the objective
	fine    = 100
	buckets = fine + 81
)

// latencies counts answers by latency over the last ten seconds: 20 ms apart up to 2 s, so that the objective of 1 s is a
// border, then 100 ms.
type latencies struct {
	now, sum          [buckets]uint32
	past              [window][buckets]uint32
	failedNow, failed uint32
	failedPast        [window]uint32
	recentP99         float64 // of the last three seconds
	recentFailed      float64
	slot              int
}

func (l *latencies) add(seconds float64, ok bool) {
	i := int(seconds * 50)
	if seconds >= 2 {
		i = min(buckets-1, fine+int((seconds-2)*10))
	}
	l.now[i]++
	if !ok {
		l.failedNow++
	}
}

// turn ends a second and gives the p99 and the share of failures of the last ten.
func (l *latencies) turn() (p99, failed float64, asked int64) {
	old := &l.past[l.slot]
	total := uint32(0)
	for i, n := range l.now {
		l.sum[i] += n - old[i]
		total += l.sum[i]
	}
	*old = l.now
	l.now = [buckets]uint32{}
	l.failed += l.failedNow - l.failedPast[l.slot]
	l.failedPast[l.slot], l.failedNow = l.failedNow, 0
	l.slot = (l.slot + 1) % window
	l.recent()
	if total == 0 {
		return 0, 0, 0
	}
	return quantile(&l.sum, total), float64(l.failed) / float64(total), int64(total)
}

func (l *latencies) recent() {
	var three [buckets]uint32
	total, failed := uint32(0), uint32(0)
	for back := 1; back <= 3; back++ {
		slot := (l.slot - back + window) % window
		failed += l.failedPast[slot]
		for i, n := range l.past[slot] {
			three[i] += n
			total += n
		}
	}
	l.recentP99, l.recentFailed = 0, 0
	if total > 0 {
		l.recentP99, l.recentFailed = quantile(&three, total), float64(failed)/float64(total)
	}
}

// quantile is the upper border of the bucket that 99 % of the answers do not exceed.
func quantile(counts *[buckets]uint32, total uint32) float64 {
	above := uint32(0)
	for i := buckets - 1; i >= 0; i-- {
		if above += counts[i]; float64(above) > 0.01*float64(total) {
			if i >= fine {
				return 2 + float64(i-fine+1)*0.1
			}
			return float64(i+1) * 0.02
		}
	}
	return 0
}

// Score is what one controller reached in one run.
type Score struct {
	Buyers    float64
	Work      float64 // useful, in seconds of a database server
	Over      float64 // share of the seconds over the objective
	Sway      float64 // variation of the 30 s means of work, over the last third
	Converged float64 // seconds until 90 % of the steady work
	Vain      float64 // share of those admitted who wanted a seat and found none
	Deferred  float64 // share of holds and confirmations that the inner gate sent away for a moment
	Disorder  float64 // releases out of order
	SoldLie   float64 // seconds in which "sold out" was not true
	Sold95    float64 // seconds until 95 % were sold
	Admitted  float64
	series    []float64 // useful work of each second
}
