package hold

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// stalls is a floor of rows; in the plan a '|' is an aisle. "x" is taken, "." free,
// "B" free in class B, "W" accessible, "C" a companion's.
func stalls(rows ...string) *Floor {
	var seats []PlanSeat
	var taken []int32
	for r, row := range rows {
		x := 0.0
		for _, c := range row {
			x++
			if c == '|' {
				x++
				continue
			}
			s := PlanSeat{ID: int32(len(seats) + 1), Class: "A", Kind: KindStandard, X: x, Y: float64(r), Section: "Stalls", Name: fmt.Sprint(r)}
			switch c {
			case 'x':
				taken = append(taken, s.ID)
			case 'B':
				s.Class = "B"
			case 'W':
				s.Kind = KindAccessible
			case 'C':
				s.Kind = KindCompanion
			}
			seats = append(seats, s)
		}
	}
	f := NewFloor(NewPlan(seats), 1)
	for _, s := range taken {
		f.See(s, SeatSold, nil)
	}
	return f
}

func TestTheBestSeats(t *testing.T) {
	best := func(n int) Request { return Request{Best: &Best{Quantity: n}} }
	ofB := best(2)
	ofB.Best.Class = "B"
	ofA := best(3)
	ofA.Best.Class = "A"
	few, apart, wheel := best(4), best(4), best(2)
	few.Fewer, apart.Best.Apart, wheel.Accessible = true, true, true
	for name, c := range map[string]struct {
		rows []string
		r    Request
		want []int32
	}{
		"the middle of the first row":          {[]string{".......", "......."}, best(3), []int32{3, 4, 5}},
		"nobody is left alone":                 {[]string{"x.....x"}, best(3), []int32{2, 3, 4}},
		"the next row, if nobody is alone":     {[]string{"x...x", "....."}, best(2), []int32{6, 7}},
		"if there is no other, somebody is":    {[]string{"x...x"}, best(2), []int32{2, 3}},
		"not across an aisle":                  {[]string{"..|..", "x...x"}, best(3), []int32{6, 7, 8}},
		"of a class":                           {[]string{"....BB", "..BBB."}, ofB, []int32{5, 6}},
		"a neighbour of another class counts":  {[]string{"....Bx"}, ofA, []int32{1, 2, 3}},
		"the largest block, where fewer do":    {[]string{"..x...x", "x..x..."}, few, []int32{4, 5, 6}},
		"nothing":                              {[]string{"..x..", "x.x.x"}, best(3), nil},
		"apart: the largest blocks":            {[]string{"..x..", "x...x"}, apart, []int32{7, 8, 9, 2}},
		"kept seats are for who needs them":    {[]string{"WC.", "..."}, best(2), []int32{4, 5}},
		"accessible, with a companion":         {[]string{"...CW"}, wheel, []int32{4, 5}},
		"no two companions without accessible": {[]string{"CC..W"}, wheel, nil},
	} {
		if got := stalls(c.rows...).Pick(&Event{}, c.r, noon, nil); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestAFloorKnowsWhenHoldsEnd(t *testing.T) {
	f := stalls("....")
	until := noon.Add(time.Minute)
	if !f.Hear(2, []SeatChange{{2, SeatHeld, &until}, {3, SeatSold, nil}}) {
		t.Fatal("the next version is refused")
	}
	two := Request{Best: &Best{Quantity: 2}}
	if got := f.Pick(&Event{}, two, noon, nil); got != nil {
		t.Errorf("before the end: %v", got)
	}
	if got := f.Pick(&Event{}, two, until, nil); !slices.Equal(got, []int32{1, 2}) {
		t.Errorf("at the end: %v", got)
	}
	if f.Hear(4, nil) || f.Version() != 2 {
		t.Error("a gap was accepted")
	}
	if !f.Hear(3, []SeatChange{{3, SeatAvailable, nil}}) || !f.Hear(2, nil) {
		t.Error("what follows, or was heard already, was refused")
	}
	if got := f.Pick(&Event{}, two, until, map[int32]bool{1: true}); !slices.Equal(got, []int32{2, 3}) {
		t.Errorf("given back, and one is spoken for: %v", got)
	}
}

// Whatever the floor: the choice is free seats side by side, and the orphan rule has
// nothing against it if the first rule of choosing found a place where nobody is alone.
func TestWhatIsPickedMayBeTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.StringMatching(`[.x|]{1,9}`), 1, 4).Draw(t, "rows")
		n := rapid.IntRange(1, 4).Draw(t, "n")
		f := stalls(rows...)
		w := hall()
		w.plans = map[int64]*Plan{1: f.Plan}
		w.events[1].OrphanRule, w.events[1].MaxPerAccount = true, 10
		free := make(map[int32]bool)
		for r, row := range f.Plan.Rows {
			for i, s := range row.Seats {
				state := SeatAvailable
				if f.rows[r].until[i] > 0 {
					state = SeatSold
				}
				free[s.ID] = state == SeatAvailable
				w.seats[seatKey{1, s.ID}] = &Seat{EventID: 1, ID: s.ID, Class: "A", State: state}
			}
		}
		got := f.Pick(w.events[1], Request{Best: &Best{Quantity: n}}, noon, nil)
		if got == nil {
			for _, row := range f.Plan.Rows {
				run := 0
				for _, s := range row.Seats {
					if !s.Joined {
						run = 0
					}
					if run++; !free[s.ID] {
						run = 0
					}
					if run == n {
						t.Fatalf("%v has %d side by side", rows, n)
					}
				}
			}
			return
		}
		for i, s := range got {
			if !free[s] || i > 0 && f.Plan.Next(got[i-1], 1) != s {
				t.Fatalf("%v of %v", got, rows)
			}
		}
		r := ask(1, got...)
		if err := w.leavesNobodyAlone(r, w.events[1]); err != nil {
			t.Fatalf("%v of %v: %v", got, rows, err)
		}
	})
}
