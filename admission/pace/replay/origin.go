package replay

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

const (
	smooth     = 3   // steps on each side over which a cost is averaged
	leastJobs  = 5.0 // completions before a cost is computed
	silentFor  = 15  // seconds without a reading: the signal was gone
	downFlight = 2.0 // requests under way and none completed: it was down
	downFor    = 6   // seconds of that
)

// origin is what the origin could do, by steps.
type origin struct {
	db, pay int // indexes in the configuration; -1: none
	list    []moment
	heard   int // second of the newest reading of the database
	done    int // second in which the database last completed something
	newest  time.Time
	payAt   time.Time
	ever    bool
	total   float64 // seats that could be sold when the log began
	sold    float64 // that were sold by then
	first   pace.Stock
	latest  pace.Stock
	stockAt time.Time
}

// moment is one step.
type moment struct {
	Busy, Work, Jobs float64 // of the database: busy seconds, units of work completed, completions
	PayBusy, PayJobs float64
	Servers, Slots   float64
	Silent, Away     bool
	Down             bool
}

// find looks for the resource that pages use and the one that payments alone use: the plant has these two.
func (o *origin) find(cfg *pace.Config) {
	o.db, o.pay = -1, -1
	for i := range cfg.Resources {
		cost := &cfg.Resources[i].Cost
		switch {
		case o.db < 0 && cost[pace.Page] > 0:
			o.db = i
		case o.pay < 0 && cost[pace.Pay] > 0 && cost[pace.Page] == 0 && cost[pace.Hold] == 0:
			o.pay = i
		}
	}
	if o.db < 0 {
		o.db = 0
	}
	o.heard = -silentFor
}

func (o *origin) add(second int, in *pace.Inputs, cfg *pace.Config) {
	at := stepOf(second)
	for len(o.list) <= at {
		m := moment{}
		if n := len(o.list); n > 0 {
			m.Servers, m.Slots = o.list[n-1].Servers, o.list[n-1].Slots
		}
		o.list = append(o.list, m)
	}
	m := &o.list[at]
	m.Away = m.Away || in.Gate.Away
	if r := &in.Resources[o.db]; fresh(r, &o.newest) {
		o.database(m, r, &cfg.Resources[o.db].Cost, second)
	}
	if o.pay >= 0 {
		if r := &in.Resources[o.pay]; fresh(r, &o.payAt) {
			m.PayBusy, m.PayJobs, m.Slots = m.PayBusy+r.Busy, m.PayJobs+r.Done[pace.Pay], r.Capacity
		}
	}
	m.Silent = o.ever && second-o.heard > silentFor
	m.Down = m.Down || in.Gate.Flight > downFlight && o.ever && !m.Silent && second-o.done > downFor
	if s := &in.Stock; !s.At.IsZero() && s.At.After(o.stockAt) {
		if o.stockAt.IsZero() {
			o.total, o.sold, o.first = s.Total-s.Sold, s.Sold, *s
		}
		o.stockAt, o.latest = s.At, *s
	}
}

func fresh(r *pace.Reading, newest *time.Time) bool {
	if r.At.IsZero() || !r.At.After(*newest) || r.Seconds <= 0 || r.Capacity <= 0 {
		return false
	}
	*newest = r.At
	return true
}

func (o *origin) database(m *moment, r *pace.Reading, cost *[pace.MaxKinds]float64, second int) {
	work, jobs := 0.0, 0.0
	for k, n := range r.Done {
		if cost[k] > 0 {
			work, jobs = work+cost[k]*n, jobs+n
		}
	}
	m.Busy, m.Work, m.Jobs, m.Servers = m.Busy+r.Busy, m.Work+work, m.Jobs+jobs, r.Capacity
	o.heard, o.ever = second, true
	if jobs > 0 || o.done == 0 {
		o.done = second
	}
}

// unit is how many busy seconds a unit of work takes around a step; ok is false where nothing was completed.
func (o *origin) unit(at int) (seconds float64, ok bool) {
	busy, work, jobs := 0.0, 0.0, 0.0
	for i := max(0, at-smooth); i <= min(len(o.list)-1, at+smooth); i++ {
		busy, work, jobs = busy+o.list[i].Busy, work+o.list[i].Work, jobs+o.list[i].Jobs
	}
	if jobs < leastJobs || work <= 0 || busy <= 0 {
		return 0, false
	}
	return busy / work, true
}

// payTime is how long a payment took around a step.
func (o *origin) payTime(at int) (seconds float64, ok bool) {
	busy, jobs := 0.0, 0.0
	for i := max(0, at-smooth); i <= min(len(o.list)-1, at+smooth); i++ {
		busy, jobs = busy+o.list[i].PayBusy, jobs+o.list[i].PayJobs
	}
	if jobs < leastJobs || busy <= 0 {
		return 0, false
	}
	return busy / jobs, true
}

// calm is the cost of a unit when the objectives were met: the median of the steps, which an episode does not move.
func (o *origin) calm() (float64, error) {
	var list []float64
	for i := range o.list {
		if u, ok := o.unit(i); ok && !o.list[i].Down {
			list = append(list, u)
		}
	}
	switch {
	case !o.ever:
		return 0, errors.New("the origin told nothing of itself in this event, so what it can do is not in the log: telemetry is needed for a replay")
	case len(list) == 0:
		return 0, fmt.Errorf("the origin completed fewer than %.0f requests in any minute of this log: too little to rebuild it", leastJobs)
	}
	slices.Sort(list)
	return list[len(list)/2], nil
}
