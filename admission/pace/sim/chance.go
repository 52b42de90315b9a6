package sim

import "math"

// chance is what the fates of one run are drawn from: a hash of seed, person and purpose, so that a person meets the same
// luck whoever decides when it enters (common random numbers).
type chance uint64

// The purposes that one person draws for. Thoughts and answers have many.
const (
	showsUp = iota
	delay
	delayLong
	delayTail
	pageCount
	wants
	walksOff
	formTime
	payTime
	isBot
	retryPause
	thought  = 1 << 10
	service  = 1 << 11
	someMore = 1 << 12
)

func mix(z uint64) uint64 {
	z ^= z >> 30
	z *= 0xbf58476d1ce4e5b9
	z ^= z >> 27
	z *= 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform is in [0, 1).
func (c chance) uniform(who int64, what int) float64 {
	z := mix(uint64(c) + mix(uint64(who)*0x9e3779b97f4a7c15+uint64(what)*0xd1342543de82ef95+1))
	return float64(z>>11) / (1 << 53)
}

func (c chance) normal(who int64, what int) float64 {
	u := 1 - c.uniform(who, what)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*c.uniform(who, what+someMore))
}

// lognormal has the given mean.
func (c chance) lognormal(who int64, what int, mean, sigma float64) float64 {
	return mean * math.Exp(sigma*c.normal(who, what)-sigma*sigma/2)
}
