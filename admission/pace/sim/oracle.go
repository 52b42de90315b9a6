package sim

import (
	"math"

	"github.com/ropeline/ropeline/admission/pace"
)

// oracle decides with the truth: what people bring, who comes, what the resources can do, who is inside. It follows the
// same policy as the controller (the same headroom, the same horizon), so the difference is what knowledge is worth. With
// foresight it also knows what the resources will be able to do, and who will come, at every later time.
type oracle struct {
	foresight bool
	expiry    bool // anticipates the return of holds
	credit    float64
}

const oracleHorizon = pace.Horizon

func (o *oracle) Tick(p *plant, in *pace.Inputs) int64 {
	w := &p.world
	t := known(w)
	rate := math.Inf(1)
	var coming float64
	pending, fresh := claimsToCome(p, t)
	for _, c := range pending {
		coming += c
	}
	ages := p.crowd()
	head := pace.Headroom(w.Servers)
	rate = min(rate, o.bear(p, &t.db, &ages, &pending, &fresh, func(w *World) float64 { return p.able(w, head) }))
	rate = min(rate, o.bear(p, &t.pay, &ages, &pending, &fresh, func(w *World) float64 {
		return max(0, 0.85*w.Slots/w.PayTime-max(0, float64(p.pay.queue.len())/30-0.02*w.Slots/w.PayTime))
	}))
	if p.stock.total > 0 {
		rate = min(rate, o.stock(p, t, &ages, coming))
	}
	if w.Down && !o.foresight {
		rate = 0
	}
	if p.pinned() {
		rate = p.nominal() / 2
	}
	x := p.x
	if w.Store && w.Leader {
		o.credit = min(o.credit+rate/w.Show, max(1, 2*rate/w.Show))
		n := math.Floor(o.credit)
		o.credit -= n
		x += int64(n)
	}
	return x
}

// able is the database's capacity in server seconds a second, less what already waits.
func (p *plant) able(w *World, head float64) float64 {
	if w.Down {
		return 0
	}
	full := w.Servers / w.Slow
	waiting := float64(p.db.queue.len()+p.db.gated.len()) * 0.064
	return max(0, head*full-max(0, waiting/30-0.02*full))
}

func (p *plant) crowd() (n [pace.Ages]float64) {
	for i, v := range p.ages {
		n[i/pace.AgeBucket] += v
	}
	return n
}

const lagBuckets = pace.Lags / pace.AgeBucket

// claimsToCome are the exact expectations for those released, and the spread of one release who will come.
func claimsToCome(p *plant, t *truth) (pending, fresh [lagBuckets]float64) {
	show := p.world.Show
	for l, n := range p.open {
		if left := 1 - show*t.came[l]; n > 0 && left > 1e-9 {
			from := t.came[l]
			for j := range pending {
				to := t.came[min(pace.Lags-1, l+(j+1)*pace.AgeBucket)]
				pending[j] += n * show * (to - from) / left
				from = to
			}
		}
	}
	from := 0.0
	for j := range fresh {
		to := t.came[j*pace.AgeBucket+pace.AgeBucket-1]
		fresh[j] = to - from
		from = to
	}
	return pending, fresh
}

// bear is the rate that one resource allows now, written anew and not borrowed from the controller, so that a mistake
// there shows as a difference here.
func (o *oracle) bear(p *plant, h *[pace.Ages]float64, ages *[pace.Ages]float64, pending, fresh *[lagBuckets]float64, able func(*World) float64) float64 {
	const b = pace.AgeBucket
	at := func(k int) float64 { // mean of a bucket of people over the k-th bucket of time after they came
		switch {
		case k < 0 || k > pace.Ages:
			return 0
		case k == 0:
			return h[0] / 2
		case k == pace.Ages:
			return h[k-1] / 2
		}
		return (h[k-1] + h[k]) / 2
	}
	total := tail(h)[0]
	if total == 0 {
		return math.Inf(1)
	}
	w := able(&p.world)
	rate, unit := w/total, 0.0
	for t := range oracleHorizon {
		if o.foresight {
			future := p.story.at(p.now + float64(t)*b)
			w = able(&future)
		}
		base := 0.0
		for a, n := range ages {
			if n > 0 {
				base += n * at(a+t+1)
			}
		}
		for j := range fresh {
			base += pending[j] * at(t-j)
			unit += fresh[j] * at(t-j)
		}
		if unit >= 0.25*total {
			rate = min(rate, (1.03*w-base/b)/unit)
		}
	}
	return max(0, rate)
}

// stock lets in as many as there are seats that nobody inside will want.
func (o *oracle) stock(p *plant, t *truth, ages *[pace.Ages]float64, coming float64) float64 {
	left := tail(&t.seats)
	need := coming * left[0]
	for a, n := range ages {
		need += n * left[a]
	}
	room := float64(p.stock.available()) - need
	if o.expiry {
		room += p.stock.returning(p.now, t)
	}
	return max(0, room) / 10 / left[0]
}

// returning counts the seats that come back within one lead; the holder's intent is known to nobody, so by age.
func (s *stock) returning(now float64, t *truth) (n float64) {
	lead, sum := 0.0, 0.0
	for a, h := range t.seats {
		lead += h * (float64(a) + 0.5) * pace.AgeBucket
		sum += h
	}
	for at := int(now); at < int(now+lead/sum+7); at++ {
		n += float64(s.ends[at%endsFor])
	}
	return n
}
