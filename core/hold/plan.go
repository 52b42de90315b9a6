package hold

import (
	"cmp"
	"math"
	"slices"
)

// Plan is where the seats of an event are: rows, neighbours, quality. It never
// changes, since the seats of a venue do not once an event uses it.
type Plan struct {
	Rows []PlanRow // the best first
	at   map[int32]planAt
	// classes of its seats, whoever has them.
	classes map[string]bool
}

// PlanRow is one row of a section, in the order of its seats.
type PlanRow struct {
	Quality int
	Seats   []PlanSeat
}

// PlanSeat is one seat of a row.
type PlanSeat struct {
	ID            int32
	Class, Kind   string
	X, Y          float64
	Section, Name string // Name is the row's
	Quality       int
	// Joined: nothing is between this seat and the one before it in the row.
	Joined bool
}

type planAt struct{ row, seat int }

// aisle is how many times the usual distance of a row's neighbours makes two of them
// strangers with an aisle between them.
const aisle = 1.75

// NewPlan puts seats, given in the order of their ids, into rows.
func NewPlan(seats []PlanSeat) *Plan {
	p := &Plan{at: make(map[int32]planAt, len(seats)), classes: make(map[string]bool)}
	for i, s := range seats {
		p.classes[s.Class] = true
		if i == 0 || s.Section != seats[i-1].Section || s.Name != seats[i-1].Name {
			p.Rows = append(p.Rows, PlanRow{Quality: s.Quality})
		}
		row := &p.Rows[len(p.Rows)-1]
		row.Seats = append(row.Seats, s)
	}
	// Stable: rows of one quality stay in the order of the venue's file.
	slices.SortStableFunc(p.Rows, func(a, b PlanRow) int { return cmp.Compare(b.Quality, a.Quality) })
	for r := range p.Rows {
		p.Rows[r].join()
		for i, s := range p.Rows[r].Seats {
			p.at[s.ID] = planAt{r, i}
		}
	}
	return p
}

func (r *PlanRow) join() {
	var gaps []float64
	for i := 1; i < len(r.Seats); i++ {
		gaps = append(gaps, math.Hypot(r.Seats[i].X-r.Seats[i-1].X, r.Seats[i].Y-r.Seats[i-1].Y))
	}
	if len(gaps) == 0 {
		return
	}
	usual := slices.Sorted(slices.Values(gaps))[len(gaps)/2]
	for i, gap := range gaps {
		r.Seats[i+1].Joined = gap <= usual*aisle
	}
}

// Next is the seat beside one, to its right (side > 0) or left; 0: there is none.
func (p *Plan) Next(seat int32, side int) int32 {
	at, ok := p.at[seat]
	if !ok {
		return 0
	}
	seats := p.Rows[at.row].Seats
	switch {
	case side > 0 && at.seat+1 < len(seats) && seats[at.seat+1].Joined:
		return seats[at.seat+1].ID
	case side < 0 && at.seat > 0 && seats[at.seat].Joined:
		return seats[at.seat-1].ID
	}
	return 0
}

// around are the seats whose states decide whether a set leaves somebody's
// neighbour alone: two to either side.
func (p *Plan) around(seats []int32) []int32 {
	var out []int32
	for _, s := range seats {
		for _, side := range []int{-1, 1} {
			n := s
			for range 2 {
				if n = p.Next(n, side); n == 0 {
					break
				}
				out = append(out, n)
			}
		}
	}
	return out
}

// Size is the number of seats.
func (p *Plan) Size() int { return len(p.at) }
