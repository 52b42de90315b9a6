package booking

import (
	"errors"
	"fmt"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/refund"
)

// hall are the places of an exploration: seats with their leases, and the holds of
// buyers on them. It is a second, smaller statement of what package hold does with
// rows; orders and payments above it are the real thing.
type hall struct {
	seats []seatModel
	holds []*holdModel
	limit int // places of one account
}

type seatModel struct {
	state   byte // 'a' available, 'h' held, 's' sold
	holder  int
	version int
}

// holdModel is one hold and its lines. It is the stock of its order.
type holdModel struct {
	hall    *hall
	id      int
	account int
	state   hold.State
	over    bool // its time has passed
	lines   []lineModel
}

type lineModel struct {
	seat, version int
	state         hold.LineState
}

func (h *hall) clone() hall {
	c := hall{seats: append([]seatModel(nil), h.seats...), limit: h.limit, holds: make([]*holdModel, len(h.holds))}
	for i, x := range h.holds {
		y := *x
		y.lines = append([]lineModel(nil), x.lines...)
		c.holds[i] = &y
	}
	return c
}

// free: available, or held by somebody whose time has passed.
func (h *hall) free(seat int) bool {
	s := h.seats[seat]
	return s.state == 'a' || s.state == 'h' && h.holds[s.holder].over
}

// counted are the places of an account that count against its limit.
func (h *hall) counted(account int) (n int) {
	for _, x := range h.holds {
		for _, l := range x.lines {
			if x.account == account && (l.state == hold.LineSold || l.state == hold.LineHeld && !x.over) {
				n++
			}
		}
	}
	return n
}

// take makes a hold of free seats; nil if it may not be had.
func (h *hall) take(account int, seats ...int) *holdModel {
	if h.counted(account)+len(seats) > h.limit {
		return nil
	}
	for _, s := range seats {
		if !h.free(s) {
			return nil
		}
	}
	x := &holdModel{hall: h, id: len(h.holds), account: account, state: hold.Active}
	h.holds = append(h.holds, x)
	for _, s := range seats {
		h.seats[s] = seatModel{'h', x.id, h.seats[s].version + 1}
		x.lines = append(x.lines, lineModel{s, h.seats[s].version, hold.LineHeld})
	}
	return x
}

func (x *holdModel) at() hold.State {
	if x.state == hold.Active && x.over {
		return hold.Expired
	}
	return x.state
}

func (x *holdModel) owns(l lineModel, state byte) bool {
	return x.hall.seats[l.seat] == seatModel{state, x.id, l.version}
}

func (x *holdModel) Alive() bool {
	for _, l := range x.lines {
		if l.state != hold.LineHeld || !x.owns(l, 'h') {
			return false
		}
	}
	return x.at() == hold.Active
}

func (x *holdModel) TimedOut() bool { return x.at() == hold.Expired }

func (x *holdModel) Retakable() (free, withinLimit bool) {
	free = true
	for _, l := range x.lines {
		free = free && x.hall.free(l.seat)
	}
	return free, x.hall.counted(x.account)+len(x.lines) <= x.hall.limit
}

func (x *holdModel) Sell() error {
	if !x.Alive() {
		return errors.New("a dead hold is sold")
	}
	return x.sell()
}

func (x *holdModel) Retake() error {
	if free, within := x.Retakable(); !free || !within || !x.TimedOut() {
		return fmt.Errorf("retaken: free %v, within the limit %v, hold %s", free, within, x.at())
	}
	for i := range x.lines {
		x.hall.seats[x.lines[i].seat].version++
		x.lines[i].version = x.hall.seats[x.lines[i].seat].version
	}
	return x.sell()
}

func (x *holdModel) sell() error {
	x.state = hold.Sold
	for i := range x.lines {
		x.lines[i].state = hold.LineSold
		x.hall.seats[x.lines[i].seat] = seatModel{'s', x.id, x.lines[i].version}
	}
	return nil
}

func (x *holdModel) giveBack(lines ...int16) error {
	left := false
	for i := range x.lines {
		l := &x.lines[i]
		if len(lines) > 0 && !containsLine(lines, int16(i+1)) {
			left = left || l.state != hold.LineNone
			continue
		}
		if x.owns(*l, 'h') || x.owns(*l, 's') {
			x.hall.seats[l.seat] = seatModel{'a', 0, l.version}
		}
		l.state = hold.LineNone
	}
	if !left {
		x.state = hold.Released
	}
	return nil
}

func containsLine(lines []int16, n int16) bool {
	for _, l := range lines {
		if l == n {
			return true
		}
	}
	return false
}

// Release is also asked of a hold that is over: there it only closes what is open.
func (x *holdModel) Release() error              { return x.giveBack() }
func (x *holdModel) Unsell(lines ...int16) error { return x.giveBack(lines...) }

func (x *holdModel) Sold() (parts []refund.Part) {
	for i, l := range x.lines {
		if l.state == hold.LineSold {
			parts = append(parts, refund.Part{Line: int16(i + 1), Places: 1, Price: exploreAmount})
		}
	}
	return parts
}

func (x *holdModel) Extend(hold.Trigger) bool { return false }
func (x *holdModel) sold() (n int) {
	for _, l := range x.lines {
		if l.state == hold.LineSold {
			n++
		}
	}
	return n
}

// check: a seat is sold to one line, and says so itself.
func (h *hall) check() error {
	owner := make(map[int]int)
	for _, x := range h.holds {
		for _, l := range x.lines {
			if l.state != hold.LineSold {
				continue
			}
			if o, twice := owner[l.seat]; twice {
				return fmt.Errorf("seat %d is sold to holds %d and %d", l.seat, o, x.id)
			}
			owner[l.seat] = x.id
			if !x.owns(l, 's') {
				return fmt.Errorf("seat %d is sold to hold %d and says %+v", l.seat, x.id, h.seats[l.seat])
			}
		}
		if n := h.counted(x.account); n > h.limit {
			return fmt.Errorf("account %d has %d places of %d", x.account, n, h.limit)
		}
	}
	return nil
}
