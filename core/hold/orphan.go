package hold

import "slices"

// leavesNobodyAlone is the orphan rule: a hold may not leave a single free seat
// between taken ones, which nobody would buy. The seats around the request's are
// locked with it, so two holds from two sides cannot do it together either.
//
// It does not ask for the impossible: in a run of free seats that has exactly one
// more than is taken of it, any choice leaves one, and every choice is allowed.
// Who needs an accessible seat takes the one there is.
func (w *World) leavesNobodyAlone(r Request, ev *Event) error {
	plan := w.plans[r.EventID]
	if !ev.OrphanRule || plan == nil || r.Accessible {
		return nil
	}
	x := orphanage{w: w, ev: ev, plan: plan, seats: r.Seats}
	var alone []int32
	for _, s := range r.Seats {
		for _, side := range []int{-1, 1} {
			n := plan.Next(s, side)
			if n != 0 && x.free(n) && !x.free(plan.Next(n, side)) && !x.unavoidable(n) && !slices.Contains(alone, n) {
				alone = append(alone, n)
			}
		}
	}
	if len(alone) == 0 {
		return nil
	}
	slices.Sort(alone)
	names := make([]string, len(alone))
	for i, s := range alone {
		names[i] = w.labels[seatKey{r.EventID, s}]
	}
	return ErrOrphan.With("orphans", alone).With("labels", names)
}

type orphanage struct {
	w     *World
	ev    *Event
	plan  *Plan
	seats []int32 // about to be taken
}

// free: it would still be for sale to everybody afterwards.
func (x *orphanage) free(id int32) bool {
	s := x.w.seats[seatKey{x.ev.ID, id}]
	return s != nil && s.freeAt(x.w.Now) && !x.ev.keeps(s, x.w.Now) && !slices.Contains(x.seats, id)
}

// unavoidable: the run of free seats that the orphan is in has one seat more than
// the request takes of it.
func (x *orphanage) unavoidable(orphan int32) bool {
	left, taken := 0, 0
	count := func(id int32) bool {
		switch {
		case id == 0:
			return false
		case slices.Contains(x.seats, id):
			taken++
		case x.free(id):
			left++
		default:
			// Beyond what is locked the run may go on: then there was a choice.
			if x.w.seats[seatKey{x.ev.ID, id}] == nil {
				left++
			}
			return false
		}
		return true
	}
	count(orphan)
	for _, side := range []int{-1, 1} {
		for id := x.plan.Next(orphan, side); count(id); id = x.plan.Next(id, side) {
		}
	}
	return left == 1 && taken > 0
}
