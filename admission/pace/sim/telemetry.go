package sim

import (
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

const (
	sampleEvery = 2 // seconds
	leastDelay  = 2.0
	mostDelay   = 10.0
)

// answer is one of the origin's, on its way.
type answer struct {
	due   float64
	db    pace.Reading
	pay   pace.Reading
	stock pace.Stock
}

// telemetry is what the origin tells, every two seconds and two to ten seconds late.
type telemetry struct {
	fates  chance
	onWay  ring[answer]
	db     counters
	pay    counters
	at     float64
	number int64
}

var epoch = time.Unix(1_800_000_000, 0).UTC()

func clock(t float64) time.Time { return epoch.Add(time.Duration(t * float64(time.Second))) }

func (s *telemetry) sample(p *plant, second int) {
	if second%sampleEvery != 0 || second == 0 || !p.world.Telemetry {
		return
	}
	s.number++
	p.occupy(0)
	p.charge(0)
	if s.fates.uniform(-s.number, 1) < p.world.Missing {
		return // counters only grow, so the next answer covers this interval too
	}
	w := &p.world
	at := clock(p.now + w.Skew)
	a := answer{due: p.now + leastDelay + (mostDelay-leastDelay)*s.slowly(p.now)}
	noise := func(n int) float64 { return w.Lie * (1 + w.Noise*(2*s.fates.uniform(-s.number, n)-1)) }
	a.db = reading(at, p.now-s.at, w.Servers, noise(2), &p.db.counts, &s.db, float64(p.db.queue.len()))
	a.pay = reading(at, p.now-s.at, w.Slots, 1+w.Noise*(2*s.fates.uniform(-s.number, 3)-1), &p.pay.counts, &s.pay, float64(p.pay.queue.len()))
	if p.stock.total > 0 {
		a.stock = pace.Stock{At: at, Available: float64(p.stock.available()), Held: float64(p.stock.held), Sold: float64(p.stock.sold), Total: float64(p.stock.total)}
		p.stock.ending(p.now, &a.stock.Expiring)
	}
	s.at = p.now
	s.onWay.push(a)
}

// slowly varies the delay over tens of seconds, so that answers keep their order.
func (s *telemetry) slowly(t float64) float64 {
	i := int64(t) / 20
	f := t/20 - float64(i)
	return (1-f)*s.fates.uniform(-i-1, 7) + f*s.fates.uniform(-i-2, 7)
}

func reading(at time.Time, seconds, capacity, factor float64, now, last *counters, waiting float64) pace.Reading {
	r := pace.Reading{At: at, Seconds: seconds, Busy: (now.busy - last.busy) * factor, Capacity: capacity, Waiting: waiting}
	for k := range now.done {
		r.Done[k] = now.done[k] - last.done[k]
	}
	*last = *now
	return r
}

// deliver hands over the newest answer that has arrived. An interval that comes with a later one is added to it.
func (s *telemetry) deliver(p *plant) {
	var db, pay pace.Reading
	for s.onWay.len() > 0 && s.onWay.first().due <= p.now {
		a := s.onWay.pop()
		db, pay = join(db, a.db), join(pay, a.pay)
		p.in.Stock = a.stock
	}
	p.in.Resources[0], p.in.Resources[1] = db, pay
}

func join(a, b pace.Reading) pace.Reading {
	if a.At.IsZero() {
		return b
	}
	b.Seconds += a.Seconds
	b.Busy += a.Busy
	for k := range a.Done {
		b.Done[k] += a.Done[k]
	}
	return b
}
