package sim

import (
	"sync"

	"github.com/ropeline/ropeline/admission/pace"
)

const truthPeople = 60_000

// truth is what a person really brings, by session age, when nothing is slow: server seconds, payments and seats wanted.
type truth struct {
	db, pay, seats [pace.Ages]float64
	came           [pace.Lags]float64 // share of those who come that has come by this lag
}

type truthKey struct{ think, bots, payTime float64 }

var truths sync.Map // truthKey -> *truth; the same for every seed, for it is an expectation

func known(w *World) *truth {
	key := truthKey{w.Think, w.Bots, w.PayTime}
	if t, ok := truths.Load(key); ok {
		return t.(*truth)
	}
	t := &truth{}
	f := chance(mix(42))
	for k := range int64(truthPeople) {
		t.live(f, k, w)
	}
	for a := range t.db {
		t.db[a] *= (1 - w.Bots) / truthPeople
		t.pay[a] *= (1 - w.Bots) / truthPeople
		t.seats[a] *= (1 - w.Bots) / truthPeople
	}
	sum := 0.0
	for l := range t.came {
		sum += t.came[l] / truthPeople
		t.came[l] = sum
	}
	truths.Store(key, t)
	return t
}

func (t *truth) live(f chance, k int64, w *World) {
	if l := int(usual.delay(f, k)); l < pace.Lags {
		t.came[l]++
	}
	age := 0.0
	add := func(to *[pace.Ages]float64, v float64) {
		if a := int(age / pace.AgeBucket); a < pace.Ages {
			to[a] += v
		}
	}
	for n := uint8(1); n <= usual.pages(f, k); n++ {
		add(&t.db, costPage)
		age += costPage + w.Think*usual.thinking(f, k, n)
	}
	if f.uniform(k, wants) >= wantsSeat {
		return
	}
	add(&t.db, costHold)
	add(&t.seats, 1)
	age += costHold
	if f.uniform(k, walksOff) < walksAway {
		return
	}
	age += f.lognormal(k, formTime, formMean, formSigma)
	add(&t.pay, 1)
	age += w.PayTime
	add(&t.db, costConfirm)
}

// sums of a kernel from each age on.
func tail(h *[pace.Ages]float64) (sum [pace.Ages + 1]float64) {
	for a := pace.Ages - 1; a >= 0; a-- {
		sum[a] = sum[a+1] + h[a]
	}
	return sum
}
