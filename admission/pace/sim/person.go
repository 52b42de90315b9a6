package sim

import "github.com/ropeline/ropeline/admission/pace"

// person is somebody who will claim or has.
type person struct {
	place   int64
	claimed float64
	asked   float64 // when the answer that is awaited was asked for
	serial  uint16  // of the request: an answer to an older one is waste
	pages   uint8
	left    uint8 // pages still to load
	tried   uint8 // times this request was repeated
	looked  uint8 // times no seat was found
	kind    uint8 // of the request under way
	holding bool
	away    bool
	heldAt  float64
	hold    uint16 // serial of the hold
}

func (p *plant) born(place int64) int32 {
	if n := len(p.free); n > 0 {
		id := p.free[n-1]
		p.free = p.free[:n-1]
		serial, hold := p.people[id].serial, p.people[id].hold
		p.people[id] = person{place: place, serial: serial, hold: hold}
		return id
	}
	p.people = append(p.people, person{place: place})
	return int32(len(p.people) - 1)
}

// gone forgets a person; a hold that is left behind ends by itself. Nobody says goodbye: the gate keeps the session until
// it has been idle for long enough.
func (p *plant) gone(id int32) {
	p.idle[int(p.now+idleLease)%len(p.idle)]++
	p.leave(id)
}

func (p *plant) leave(id int32) {
	who := &p.people[id]
	who.serial++
	if who.away = who.holding; !who.away { // else the end of the hold frees the record
		p.free = append(p.free, id)
	}
}

func (p *plant) happen(e event) {
	switch e.kind {
	case evClaim:
		p.claim(e)
	case evThought:
		p.think(e.who)
	case evAnswer:
		p.answered(e)
	case evPaid:
		p.paid(e)
	case evAgain:
		if uint16(e.n) == p.people[e.who].serial {
			p.send(e.who)
		}
	case evFormed:
		p.askPayment(e.who)
	case evHoldEnds:
		p.holdEnds(e.who, uint16(e.n))
	case evSeatAgain:
		p.ask(e.who, pace.Hold)
	}
}

func (p *plant) claim(e event) {
	who := &p.people[e.who]
	lag := int(p.now) - int(e.n)
	if lag < pace.Lags {
		p.open[lag]--
	}
	p.ages[0]++
	p.inside++
	p.score.Admitted++
	who.claimed = p.now
	if p.fates.uniform(who.place, isBot) < p.world.Bots {
		p.gone(e.who)
		return
	}
	if lag < pace.Lags {
		p.in.Gate.Claims[lag]++
	}
	who.left = p.habits.pages(p.fates, who.place)
	p.ask(e.who, pace.Page)
}

func (p *plant) think(id int32) {
	who := &p.people[id]
	switch {
	case who.left > 0:
		p.ask(id, pace.Page)
	case p.fates.uniform(who.place, wants) < p.habits.Wants:
		p.wish++
		p.ask(id, pace.Hold)
	default:
		p.gone(id)
	}
}

// ask sends a request for the first time.
func (p *plant) ask(id int32, kind uint8) {
	who := &p.people[id]
	who.kind, who.tried = kind, 0
	p.send(id)
}

// send is a request as the gate sees it: a repetition is one more.
func (p *plant) send(id int32) {
	who := &p.people[id]
	if age := int(p.now-who.claimed) / pace.AgeBucket; age < pace.Ages {
		p.in.Gate.Work[who.kind][age]++
	}
	p.admit(id)
}

// succeeded is what a person does after an answer in time.
func (p *plant) succeeded(id int32) {
	who := &p.people[id]
	switch who.kind {
	case pace.Page:
		p.useful(p.habits.Cost[pace.Page])
		who.left--
		who.pages++
		p.events.push(event{p.now + p.world.Think*p.habits.thinking(p.fates, who.place, who.pages), evThought, id, 0})
	case pace.Hold:
		p.useful(p.habits.Cost[pace.Hold])
		p.holds(id)
	case pace.Confirm:
		p.useful(p.habits.Cost[pace.Confirm])
		p.confirmed(id)
	}
}

// failed is a request that got no answer in time: three more tries, then the person goes.
func (p *plant) failed(id int32, at float64) {
	who := &p.people[id]
	who.serial++
	if who.tried >= retries {
		p.gone(id)
		return
	}
	who.tried++
	pause := 1 + 2*p.fates.uniform(who.place, retryPause+int(who.tried)*someMore)
	p.events.push(event{at + pause, evAgain, id, int32(who.serial)})
}

func (p *plant) useful(cost float64) { p.work += cost }

// fly keeps the number of requests under way, as the gate sees it.
func (p *plant) fly(by float64) {
	p.flights += p.flying * (p.now - p.flownAt)
	p.flownAt = p.now
	p.flying += by
}
