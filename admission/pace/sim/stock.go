package sim

import "github.com/ropeline/ropeline/admission/pace"

// endsFor is more seconds than any hold lasts.
const endsFor = 8192

// stock is the seats. Without a total there are always enough; holds are kept all the same.
type stock struct {
	total, held, sold int
	ends              [endsFor]int32 // holds by the second they end, modulo its length
}

func (s *stock) open(total int) { s.total = total }

func (s *stock) end(at float64, by int32) { s.ends[int(at)%endsFor] += by }

func (s *stock) available() int { return s.total - s.held - s.sold }

// holds is what happens when the hold was answered: a seat, or none and another look later.
func (p *plant) holds(id int32) {
	who := &p.people[id]
	if p.stock.total > 0 && p.stock.available() <= 0 {
		who.looked++
		if who.looked >= triesForSeat {
			p.vain++
			p.gone(id)
			return
		}
		p.events.push(event{p.now + seatPause, evSeatAgain, id, 0})
		return
	}
	p.stock.held++
	p.stock.end(p.now+p.habits.HoldFor, 1)
	who.holding, who.heldAt = true, p.now
	who.hold++
	p.events.push(event{p.now + p.habits.HoldFor, evHoldEnds, id, int32(who.hold)})
	form := p.fates.lognormal(who.place, formTime, p.habits.Form, formSigma)
	if p.fates.uniform(who.place, walksOff) < p.habits.WalksAway {
		p.gone(id)
		return
	}
	p.events.push(event{p.now + form, evFormed, id, 0})
}

// holdEnds frees the seat of one who did not buy, and the record of one who left.
func (p *plant) holdEnds(id int32, hold uint16) {
	who := &p.people[id]
	if !who.holding || who.hold != hold {
		return
	}
	who.holding = false
	p.stock.held--
	p.stock.end(who.heldAt+p.habits.HoldFor, -1)
	if who.away {
		p.free = append(p.free, id)
	}
}

func (p *plant) confirmed(id int32) {
	who := &p.people[id]
	if who.holding {
		p.stock.sold++
		p.stock.held--
		p.stock.end(who.heldAt+p.habits.HoldFor, -1)
		p.score.Buyers++
		who.holding = false
	}
	p.inside-- // the origin ends the session of one who has bought
	p.leave(id)
}

// ending is the histogram of what may come back.
func (s *stock) ending(now float64, into *[pace.Expiries]float64) {
	for i := range into {
		into[i] = 0
		for k := range pace.AgeBucket {
			into[i] += float64(s.ends[(int(now)+i*pace.AgeBucket+k)%endsFor])
		}
	}
}
