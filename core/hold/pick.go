package hold

import (
	"time"

	"github.com/google/uuid"
)

// Pick chooses seats for a request at a moment: those of the best row that has them
// side by side, as near to the middle as can be without leaving a single seat alone.
// taken are seats that are spoken for but not in the floor's picture yet.
//
// It returns fewer seats than asked for if the request accepts that, and nil if
// there are not enough. An orphan is avoided where it can be; whether one that cannot
// is acceptable is the event's rule, and Take's to say.
func (f *Floor) Pick(ev *Event, r Request, now time.Time, taken map[int32]bool) []int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := picking{f: f, ev: ev, r: r, now: now.UnixMicro(), kept: ev.AccessUntil == nil || now.Before(*ev.AccessUntil), taken: taken}
	want := r.Best.Quantity
	if r.Best.Apart {
		return p.apart(want)
	}
	for n := want; n > 0; n-- {
		if s := p.together(n); s != nil || !r.Fewer {
			return s
		}
	}
	return nil
}

// AllowsBest refuses a request for which no seats were found for what others would be
// refused for whatever is left: a sale that is not open, a class that no seat has, more
// than one account may have. Who is told "not enough left" of these comes back in vain.
// nil: it is others who have the seats, or nobody can tell yet.
func (w *World) AllowsBest(r Request, f *Floor) error {
	ev, acc := w.events[r.EventID], w.accounts[accountKey{r.EventID, r.AccountID}]
	if ev == nil || acc == nil || f == nil {
		return nil
	}
	if err := ev.opensTo(acc, w.Now); err != nil {
		return err
	}
	if c := r.Best.Class; c != "" && !f.Plan.classes[c] {
		return ErrInvalidType.Say("This event has no seats of class %.60q.", c).With("class", c)
	}
	room := ev.MaxPerAccount - acc.Sold
	if r.Replace == uuid.Nil { // else some of what is live is given up for this
		room -= acc.Live
	}
	if n := r.count(); n > room && (!r.Fewer || room <= 0) {
		return ErrLimit.With("limit", ev.MaxPerAccount).With("held", acc.Live).With("sold", acc.Sold).With("requested", n)
	}
	return nil
}

type picking struct {
	f     *Floor
	ev    *Event
	r     Request
	now   int64
	kept  bool // accessible and companion seats are kept now
	taken map[int32]bool
}

// free: the seat is one for this request.
func (p *picking) free(row, i int) bool {
	s := &p.f.Plan.Rows[row].Seats[i]
	return p.open(row, i) && (p.r.Best.Class == "" || s.Class == p.r.Best.Class)
}

// open is free in any price class: what a neighbour would have to be to not be alone.
func (p *picking) open(row, i int) bool {
	s := &p.f.Plan.Rows[row].Seats[i]
	return p.f.rows[row].until[i] <= p.now && !p.taken[s.ID] && (!p.kept || p.r.Accessible == special(s.Kind))
}

// alone counts the seats that taking [begin, end) of a row would leave alone.
func (p *picking) alone(row, begin, end int) (n int) {
	seats := p.f.Plan.Rows[row].Seats
	joined := func(i int) bool { return i > 0 && i < len(seats) && seats[i].Joined }
	if joined(begin) && p.open(row, begin-1) && !(joined(begin-1) && p.open(row, begin-2)) {
		n++
	}
	if joined(end) && p.open(row, end) && !(joined(end+1) && p.open(row, end+1)) {
		n++
	}
	return n
}

// suits: who needs an accessible seat gets one among them, the others beside it may be
// for companions.
func (p *picking) suits(row, begin, end int) bool {
	if !p.kept || !p.r.Accessible {
		return true
	}
	for _, s := range p.f.Plan.Rows[row].Seats[begin:end] {
		if s.Kind == KindAccessible {
			return true
		}
	}
	return false
}

// together finds n seats side by side. The first row in which they leave nobody
// alone wins; a row in which somebody would be is taken only if there is no other.
func (p *picking) together(n int) []int32 {
	var second []int32
	for row := range p.f.Plan.Rows {
		if p.f.longest(row, p.now) < n {
			continue
		}
		block, alone := p.inRow(row, n)
		switch {
		case block == nil:
		case alone == 0:
			return block
		case second == nil:
			second = block
		}
	}
	return second
}

// inRow finds the place for n seats in one row that leaves the fewest orphans, and
// of those the nearest to the row's middle.
func (p *picking) inRow(row, n int) (best []int32, alone int) {
	seats := p.f.Plan.Rows[row].Seats
	middle := len(seats) - 1 // twice the index of the middle
	away := 0
	for begin, end := range p.runs(row) {
		for i := begin; i+n <= end; i++ {
			if !p.suits(row, i, i+n) {
				continue
			}
			orphans := p.alone(row, i, i+n)
			off := 2*i + n - 1 - middle
			if off < 0 {
				off = -off
			}
			if best != nil && (orphans > alone || orphans == alone && off >= away) {
				continue
			}
			best, alone, away = best[:0], orphans, off
			for _, s := range seats[i : i+n] {
				best = append(best, s.ID)
			}
		}
	}
	return best, alone
}

// runs yields the runs of seats of a row that are free for the request, as begin and
// end. Two seats with an aisle between them are in two runs.
func (p *picking) runs(row int) func(yield func(begin, end int) bool) {
	return func(yield func(begin, end int) bool) {
		seats := p.f.Plan.Rows[row].Seats
		begin := -1
		for i := range seats {
			free := p.free(row, i)
			if begin >= 0 && (!free || !seats[i].Joined) {
				if !yield(begin, i) {
					return
				}
				begin = -1
			}
			if free && begin < 0 {
				begin = i
			}
		}
		if begin >= 0 {
			yield(begin, len(seats))
		}
	}
}

// apart takes seats wherever they are, the best rows first, in as large blocks as
// there are.
func (p *picking) apart(want int) []int32 {
	var out []int32
	spoken := make(map[int32]bool, len(p.taken)+want)
	for s := range p.taken {
		spoken[s] = true
	}
	p.taken = spoken
	n := want
	for n > 0 {
		block := p.together(n)
		if block == nil {
			n--
			continue
		}
		for _, s := range block {
			spoken[s] = true
		}
		out = append(out, block...)
		n = min(n, want-len(out))
	}
	if len(out) < want && !p.r.Fewer {
		return nil
	}
	return out
}
