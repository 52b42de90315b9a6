package caddymodule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line"
)

// course is a line in virtual time, second by second: who comes, who gives up, how fast the operator and the people inside let it
// move. Its places are those of the people in order.
type course struct {
	rnd    *rand.Rand
	come   int             // people, in the first ten minutes
	quits  float64         // share of them who give up before their turn
	rates  map[int]float64 // entries per second by the second from which they hold
	jitter float64         // how much of the rate is missing now and then, for want of free slots
	people []*person
	x, now int
	rate   float64
	less   float64
	due    float64
}

type person struct {
	came, leaves, in int // seconds; in: -1 until let in
	told             []told
}

// told is a range that was on the page of one person.
type told struct {
	at        int
	low, high float64 // seconds from at
	reason    int     // how many reasons for a longer wait the page had given by then
	rates     int     // how often the operator had changed the rate
}

// second goes one on.
func (c *course) second() {
	if r, ok := c.rates[c.now]; ok {
		c.rate = r
	}
	for n := c.come / 600; n > 0 && len(c.people) < c.come; n-- {
		p := &person{came: c.now, leaves: math.MaxInt, in: -1}
		if c.rnd.Float64() < c.quits {
			p.leaves = c.now + int(c.rnd.ExpFloat64()*600)
		}
		c.people = append(c.people, p)
	}
	c.less += (c.rnd.Float64()*c.jitter - c.less) / 20 // slots come free in waves of some twenty seconds
	for c.due += c.rate * (1 - c.less); c.due >= 1 && c.x < len(c.people); c.x++ {
		if p := c.people[c.x]; p.leaves > c.now {
			p.in, c.due = c.now, c.due-1
		}
	}
	c.due = min(c.due, 1)
	c.now++
}

// snapshot is what the edge would have heard: who gave up counts as present for the time of the bitmaps.
func (c *course) snapshot() line.Snapshot {
	const remembered = 112
	present := 0
	for _, p := range c.people[c.x:] {
		if p.leaves+remembered > c.now {
			present++
		}
	}
	share := 1.0
	if n := len(c.people) - c.x; n > 0 {
		share = float64(present) / float64(n)
	}
	s := line.Snapshot{State: "open", X: int64(c.x), Next: int64(len(c.people)), At: time.Unix(int64(c.now), 0), AheadShare: share, Gen: "g"}
	s.Settings = line.Settings{Rate: line.Rate{Count: int64(c.rate * 100), Per: 100 * time.Second}, Cap: 100}
	return s
}

// W53: of those who are let in, at least nine in ten are so within the range that the page had shown them, whenever they
// looked: while people give up, while slots come free in waves, and with rates that change. A range that the page has
// since replaced with a reason beside it, or since the operator changed the rate, is judged no more.
func TestTheShownRangeHolds(t *testing.T) {
	for name, c := range map[string]course{
		"steady":       {come: 1800, rates: map[int]float64{0: 2}},
		"many give up": {come: 3000, quits: .4, rates: map[int]float64{0: 2}},
		"nearly all":   {come: 3000, quits: .8, rates: map[int]float64{0: 1}},
		"in waves":     {come: 1800, quits: .2, jitter: .3, rates: map[int]float64{0: 2}},
		"rates":        {come: 3000, quits: .3, jitter: .2, rates: map[int]float64{0: 2, 400: 3, 900: 1.5, 1500: 4}},
	} {
		for seed := range uint64(3) {
			c := c
			c.rnd = rand.New(rand.NewPCG(seed, 53))
			in, all, early, late := c.run(t)
			t.Logf("%s, seed %d: %.1f %% of %d held; %d were in before, %d after", name, seed, 100*float64(in)/float64(all), all, early, late)
			if all < 1000 || float64(in) < .9*float64(all) {
				t.Errorf("%s, seed %d: the shown range held for %d of %d", name, seed, in, all)
			}
		}
	}
}

func (c *course) run(t *testing.T) (in, all, early, late int) {
	t.Helper()
	r := new(room)
	reasons, changes, slow, rate := 0, 0, false, c.rates[0]
	for len(c.people) < c.come || c.x < len(c.people) {
		c.second()
		snap := c.snapshot()
		r.pace.note(snap)
		if c.rate != rate {
			rate = c.rate
			changes++
		}
		if now := r.slow(snap); now != slow {
			slow = now
			reasons++
		}
		for i := c.x; i < len(c.people); i++ {
			p := c.people[i]
			if p.leaves <= c.now || (c.now-p.came)%60 != 1 {
				continue
			}
			low, high := r.waitRange(snap, standing{State: sawWaiting, Place: int64(i), Ahead: snap.Ahead(int64(i)), Snap: snap})
			if high < 0 {
				continue
			}
			p.told = append(p.told, told{at: c.now, low: math.Floor(float64(low)/60) * 60, high: math.Max(60, math.Ceil(float64(high)/60)*60), reason: reasons, rates: changes})
		}
		for i := c.x - 1; i >= 0 && c.people[i].in >= c.now-1; i-- {
			p := c.people[i]
			for _, s := range p.told {
				if s.rates != changes || s.reason != reasons {
					continue
				}
				all++
				switch waited := float64(p.in - s.at); {
				case waited < s.low:
					early++
				case waited > s.high:
					late++
				default:
					in++
				}
			}
			p.told = nil
		}
		if c.now > 36_000 {
			t.Fatal(fmt.Sprint("the line does not end: ", c.x, " of ", len(c.people)))
		}
	}
	return in, all, early, late
}
