package pace

import "math"

const (
	kernelMemory = 400.0 // seconds
	priorWeight  = 150.0 // person-buckets a bucket of the prior is worth
	priorMass    = 1.4   // an unknown crowd is assumed to be heavier than guessed
	scaleWeight  = 20.0  // persons the prior's mass is worth
	priorShape   = 2.0
	lateShape    = 6.0 // work that comes late (payment) does not start at age 0
	lateAge      = 120.0
)

// kernel is what a person of each session age brings to one resource.
type kernel struct {
	Seen  [Ages]float64 // work seen at each age, forgetting
	Prior [Ages]float64 // expected work per person-bucket
	H     [Ages]float64 // the estimate
	Total float64       // of H
}

func newKernel(work, meanAge float64) (k kernel) {
	shape := priorShape
	if meanAge >= lateAge {
		shape = lateShape
	}
	sum := 0.0
	for a := range k.Prior {
		x := (float64(a) + 0.5) * AgeBucket / (meanAge / shape)
		k.Prior[a] = math.Pow(x, shape-1) * math.Exp(-x)
		sum += k.Prior[a]
	}
	for a := range k.Prior {
		k.Prior[a] *= priorMass * work / sum
	}
	k.H = k.Prior
	k.Total = priorMass * work
	return k
}

// learn adds the work of one tick. exposed is the forgetting count of person-buckets at each age, this tick included.
// The prior gives the shape where few have been; how heavy a person is, is learned much faster and from all ages at once,
// so a guess that is wrong a hundredfold costs a minute, not the event.
func (k *kernel) learn(cost *[MaxKinds]float64, work *[MaxKinds][Ages]uint32, exposed *[Ages]float64, keep float64, trust bool) {
	for a := range k.Seen {
		k.Seen[a] *= keep
	}
	if trust {
		for kind, c := range cost {
			if c == 0 {
				continue
			}
			row := &work[kind]
			for a, n := range row {
				if n != 0 {
					k.Seen[a] += c * float64(n)
				}
			}
		}
	}
	seen, expected, mass := 0.0, 0.0, 0.0
	for a, p := range k.Prior {
		seen += k.Seen[a]
		expected += exposed[a] * p
		mass += p
	}
	scale := (seen + scaleWeight*mass) / (expected + scaleWeight*mass)
	k.Total = 0
	for a, p := range k.Prior {
		k.H[a] = (k.Seen[a] + priorWeight*scale*p) / (exposed[a] + priorWeight)
		k.Total += k.H[a]
	}
}

// after is the work that a person of age bucket a still brings.
func (k *kernel) after(a int) (sum float64) {
	for ; a < Ages; a++ {
		sum += k.H[a]
	}
	return sum
}
