package pace

import "math"

const (
	kernelMemory = 400.0  // seconds
	kernelQuick  = 100.0  // of the quick estimate, on a busy line
	kernelPeople = 3000.0 // that are enough for it: more of them would be the crowd of before
	priorWeight  = 150.0  // person-buckets a bucket of the prior is worth
	priorMass    = 1.4    // an unknown crowd is assumed to be heavier than guessed
	scaleDoubt   = 10.0   // requests after which the mass that was seen counts as much as the guess
	priorShape   = 1.0    // gamma: the first page is loaded at once; a shape that says later takes it for a heavy person
	lateShape    = 4.0    // work that comes late (payment) does not start at age 0
	lateAge      = 120.0
	fallPerTick  = 1.0 / 3000 // of the total, once whole visits were seen
	wholeVisit   = 60         // bucket: 300 s
)

// kernel is what a person of each session age brings to one resource. It is estimated with a long and with a short
// memory, and the heavier estimate counts: a crowd that became heavier is believed quickly, one that seems lighter slowly,
// for people who only take longer look lighter at first, and bring all the rest later.
type kernel struct {
	Prior      [Ages]float64 // expected work per person-bucket
	Long, Fast sight
	H          [Ages]float64 // the estimate in use
	Total      float64       // of H
}

// sight is the work seen at each age, forgetting.
type sight struct {
	Seen  [Ages]float64
	Total float64
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

// learn adds the work of one tick; exposure is that of the crowd, this tick included.
func (k *kernel) learn(cost *[MaxKinds]float64, work *[MaxKinds][Ages]uint32, exposed *exposure, trust bool) {
	if trust {
		for a := range k.Long.Seen {
			k.Long.Seen[a] *= exposed.KeepLong
			k.Fast.Seen[a] *= exposed.KeepFast
		}
		for kind, c := range cost {
			if c == 0 {
				continue
			}
			row := &work[kind]
			for a, n := range row {
				if n != 0 {
					k.Long.Seen[a] += c * float64(n)
					k.Fast.Seen[a] += c * float64(n)
				}
			}
		}
	}
	scale := k.scale(&exposed.Long, meanCost(cost))
	k.Long.sum(&k.Prior, &exposed.Long, scale)
	k.Fast.sum(&k.Prior, &exposed.Fast, scale)
	use, over := &k.Long, &exposed.Long
	if k.Fast.Total > k.Long.Total {
		use, over = &k.Fast, &exposed.Fast
	}
	for a, p := range k.Prior {
		k.H[a] = (use.Seen[a] + priorWeight*scale*p) / (over[a] + priorWeight)
	}
	before := k.Total
	k.Total = use.Total
	if least := before * (1 - fallPerTick); over[wholeVisit] > priorWeight && k.Total < least {
		// Work that is late looks like work that does not come. Only whole visits tell, and they take minutes.
		for a := range k.H {
			k.H[a] *= least / k.Total
		}
		k.Total = least
	}
}

// scale is by how much the guess was wrong. The prior gives the shape where few have been; how heavy a person is, is seen
// at all ages at once, so a guess that is wrong a hundredfold costs a minute and not the event. Hence the mean of
// logarithms: an arithmetic one would keep a hundredth of a guess that is a hundred times too high, which is all of it.
func (k *kernel) scale(exposed *[Ages]float64, unit float64) float64 {
	seen, expected := 0.0, 0.0
	for a, p := range k.Prior {
		seen += k.Long.Seen[a]
		expected += exposed[a] * p
	}
	n := max(seen, expected) / unit
	return math.Exp(n / (n + scaleDoubt) * math.Log((seen+unit/2)/(expected+unit/2)))
}

func (s *sight) sum(prior, exposed *[Ages]float64, scale float64) {
	s.Total = 0
	for a, p := range prior {
		s.Total += (s.Seen[a] + priorWeight*scale*p) / (exposed[a] + priorWeight)
	}
}

// after is the work that a person of age bucket a still brings.
func (k *kernel) after(a int) (sum float64) {
	for ; a < Ages; a++ {
		sum += k.H[a]
	}
	return sum
}
