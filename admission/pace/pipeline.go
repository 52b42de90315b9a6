package pace

import "math"

const (
	// Horizon is how far ahead load is predicted, in buckets of AgeBucket seconds: 300 s.
	Horizon  = 60
	seconds  = Ages * AgeBucket
	lagSteps = Lags / AgeBucket
)

// crowd is who is inside and who is on the way, from claims alone: people who left silently are part of what a person of
// that age does on average.
type crowd struct {
	Claims  [seconds]float64 // by age in seconds
	Exposed exposure
	Seen    float64 // claims ever
}

// exposure is how many persons have been through each age bucket, forgetting: what the work seen there is divided by.
type exposure struct {
	Long, Fast         [Ages]float64
	KeepLong, KeepFast float64
}

func (c *crowd) tick(claims float64) {
	copy(c.Claims[1:], c.Claims[:seconds-1])
	c.Claims[0] = claims
	c.Seen += claims
}

// tick counts one tick of everybody inside towards what the kernels have seen.
func (e *exposure) tick(ages *[Ages]float64, dt float64) {
	entering := ages[0] / AgeBucket
	e.KeepLong = math.Exp(-dt / kernelMemory)
	e.KeepFast = math.Exp(-dt / min(kernelMemory, max(kernelQuick, kernelPeople/max(1e-9, entering))))
	for a, n := range ages {
		e.Long[a] = e.Long[a]*e.KeepLong + n/AgeBucket
		e.Fast[a] = e.Fast[a]*e.KeepFast + n/AgeBucket
	}
}

func (c *crowd) ages() (n [Ages]float64) {
	for i, v := range c.Claims {
		n[i/AgeBucket] += v
	}
	return n
}

// arrivals is when those who are released will claim: expected claims in each coming bucket, and the same for a single
// release from now on that shows up (sums to 1).
func (s *show) arrivals() (pending, fresh [lagSteps]float64) {
	for l, n := range s.Open {
		if n < 1e-9 || s.F[l] > 1-1e-9 {
			continue
		}
		n /= 1 - s.F[l]
		from := s.F[l]
		for j := 0; j < lagSteps; j++ {
			to := s.F[min(Lags-1, l+(j+1)*AgeBucket)]
			pending[j] += n * (to - from)
			from = to
		}
	}
	from := 0.0
	for j := range fresh {
		to := s.F[j*AgeBucket+AgeBucket-1]
		fresh[j] = (to - from) / s.F[Lags-1]
		from = to
	}
	return pending, fresh
}

// forecast is the work of one resource in the coming buckets, per second.
type forecast struct {
	Base [Horizon]float64 // that comes whatever is decided
	Unit [Horizon]float64 // that one entry per second, from now on, adds
}

// predict convolves ages and claims with the kernel. A bucket of people is spread over its five seconds, so in the next
// five seconds half of them are one bucket older: hence the mean of two neighbours.
func (f *forecast) predict(h *[Ages]float64, ages *[Ages]float64, pending, fresh *[lagSteps]float64) {
	var hh [Ages + 1]float64
	hh[0] = h[0] / 2
	for k := 1; k < Ages; k++ {
		hh[k] = (h[k-1] + h[k]) / 2
	}
	hh[Ages] = h[Ages-1] / 2
	sum := 0.0
	for t := range f.Base {
		base := 0.0
		for a := 0; a+t+1 <= Ages; a++ {
			base += ages[a] * hh[a+t+1]
		}
		unit := 0.0
		for j := 0; j < lagSteps && j <= t; j++ {
			base += pending[j] * hh[t-j]
			unit += fresh[j] * hh[t-j]
		}
		sum += unit
		f.Base[t] = base / AgeBucket
		f.Unit[t] = sum
	}
}
