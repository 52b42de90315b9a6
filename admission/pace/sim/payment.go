package sim

import "github.com/ropeline/ropeline/admission/pace"

// payment is the provider: slots, a queue and people who do not wait for ever.
type payment struct {
	queue   ring[request]
	running int
	since   float64
	counts  counters
}

func (p *plant) askPayment(id int32) {
	who := &p.people[id]
	who.kind = pace.Pay
	if age := int(p.now-who.claimed) / pace.AgeBucket; age < pace.Ages {
		p.in.Gate.Work[pace.Pay][age]++
	}
	who.serial++
	p.pay.queue.push(request{id, who.serial, pace.Pay, p.now})
	p.cash()
}

func (p *plant) cash() {
	for float64(p.pay.running) < p.world.Slots && p.pay.queue.len() > 0 {
		r := p.pay.queue.pop()
		if r.at+payPatience < p.now {
			if p.people[r.who].serial == r.serial {
				p.gone(r.who)
			}
			continue
		}
		span := p.fates.lognormal(p.people[r.who].place, payTime, p.world.PayTime, paySigma)
		p.charge(1)
		p.events.push(event{p.now + span, evPaid, r.who, int32(r.serial)})
	}
}

func (p *plant) charge(by int) {
	p.pay.counts.busy += float64(p.pay.running) * (p.now - p.pay.since)
	p.pay.since = p.now
	p.pay.running += by
}

func (p *plant) paid(e event) {
	p.charge(-1)
	p.pay.counts.done[pace.Pay]++
	if p.people[e.who].serial == uint16(e.n) {
		p.ask(e.who, pace.Confirm)
	}
	p.cash()
}
