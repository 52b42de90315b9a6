package sim

import "github.com/ropeline/ropeline/admission/pace"

// request is one that the database has; its client may be gone.
type request struct {
	who    int32
	serial uint16
	kind   uint8
	at     float64
}

// database is a pool of servers with one queue, slower the more waits, and with clients that lose patience. The servers
// do not know that a client is gone: that work is wasted, and it is why an overload can outlive its cause.
type database struct {
	queue   ring[request]
	patient ring[request] // all that were sent, in order of their timeouts
	gated   ring[request]
	since   float64
	counts  counters
	stalled []event
	running int
}

// counters are what an origin's telemetry is made of.
type counters struct {
	busy float64
	done [pace.MaxKinds]float64
}

// admit gives a request to the database, or to the inner gate when holds and confirmations have to wait for room.
func (p *plant) admit(id int32) {
	who := &p.people[id]
	who.serial++
	r := request{id, who.serial, who.kind, p.now}
	if p.story.Gate && who.kind != pace.Page && (p.db.gated.len() > 0 || p.crowded()) {
		p.db.gated.push(r)
		return
	}
	p.enter(r)
}

func (p *plant) crowded() bool { return float64(p.db.queue.len()) >= max(1, p.world.Servers/2) }

func (p *plant) enter(r request) {
	p.people[r.who].asked = p.now
	r.at = p.now
	p.fly(1)
	p.db.queue.push(r)
	p.db.patient.push(r)
	p.serve()
}

// serve starts what can be started.
func (p *plant) serve() {
	db := &p.db
	p.feed()
	for !p.world.Down && float64(db.running) < p.world.Servers && db.queue.len() > 0 {
		r := db.queue.pop()
		backlog := float64(db.queue.len()) / (backlogFull * max(1, p.world.Servers))
		slow := p.world.Slow * (1 + backlogSlow*min(1, backlog))
		place := p.people[r.who].place
		span := slow * p.fates.lognormal(place, service+int(r.serial), p.habits.Cost[r.kind], costSigma)
		p.occupy(1)
		p.events.push(event{p.now + span, evAnswer, r.who, int32(r.serial)<<8 | int32(r.kind)})
		p.feed()
	}
	if p.world.Down || len(db.stalled) == 0 {
		return
	}
	for _, e := range db.stalled {
		e.at = p.now + 0.1*p.fates.uniform(int64(e.who), someMore)
		p.events.push(e)
	}
	db.stalled = db.stalled[:0]
}

// feed feeds what waits at the inner gate as long as the queue behind it is short.
func (p *plant) feed() {
	for p.db.gated.len() > 0 && !p.crowded() {
		r := p.db.gated.pop()
		who := &p.people[r.who]
		if who.serial != r.serial {
			continue
		}
		who.asked, r.at = p.now, p.now
		p.fly(1)
		p.db.queue.push(r)
		p.db.patient.push(r)
	}
}

func (p *plant) occupy(by int) {
	p.db.counts.busy += float64(p.db.running) * (p.now - p.db.since)
	p.db.since = p.now
	p.db.running += by
}

func (p *plant) answered(e event) {
	if p.world.Down {
		p.db.stalled = append(p.db.stalled, e)
		return
	}
	serial, kind := uint16(e.n>>8), uint8(e.n)
	p.occupy(-1)
	p.db.counts.done[kind]++
	if who := &p.people[e.who]; who.serial == serial {
		who.serial++
		p.fly(-1)
		p.seen.add(p.now-who.asked, true)
		p.succeeded(e.who)
	}
	p.serve()
}

// expire ends the patience of clients and the waits at the inner gate up to a time.
func (p *plant) expire(t float64) {
	for p.db.patient.len() > 0 && p.db.patient.first().at+timeout <= t {
		r := p.db.patient.pop()
		if p.people[r.who].serial != r.serial {
			continue
		}
		p.now = max(p.now, r.at+timeout)
		p.fly(-1)
		p.seen.add(timeout, false)
		p.failed(r.who, p.now)
	}
	for p.db.gated.len() > 0 && p.db.gated.first().at+gateWait <= t {
		r := p.db.gated.pop()
		who := &p.people[r.who]
		if who.serial != r.serial {
			continue
		}
		// The page says that it is busy and asks again by itself: a wait, not an error.
		p.late++
		p.failed(r.who, t+seatPause)
	}
}
