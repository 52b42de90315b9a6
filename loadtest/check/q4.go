package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Q4, admission bound (cases/faults.md; DESIGN promise 5): granted entry times
// are at least 1/rate apart at the rate then in force, over any stretch of the
// log and not only between neighbours, and no grant brings the live sessions
// above the cap. Who lives is recomputed from grants and endings. The recorder
// must agree: whoever reached the origin had a grant, came no earlier than its
// entry time, and the sessions seen alive there at once never exceeded the cap.
var q4 = Invariant{
	ID: "Q4", Statement: "entries are 1/rate apart and live sessions never exceed the cap",
	Needs: []Source{Grants, Recorder, PassKeys},
	find: func(_ context.Context, e *Evidence) ([]Finding, error) {
		if granted(e.Grants) == 0 {
			return nil, errors.New("the grant log has no grant; give --grant-log of the room")
		}
		found := append(tooClose(e.Grants), overCap(e.Grants)...)
		visits, err := visitsOf(e)
		if err != nil {
			return found, err
		}
		return append(found, beyondGrants(e.Grants, visits)...), nil
	},
}

// tooClose checks the spacing. In one stretch of constant rate, entry i and a
// later entry j are (j-i)/rate apart or more; with f(k) = entry(k) - k/rate that
// is f(j) >= max f(i), one pass. Where the rate changes, the pair across is
// judged by the higher of both rates and a new stretch begins.
func tooClose(events []GrantEvent) []Finding {
	var found []Finding
	slack := unit(events)
	var rate, last, limit float64 // limit: the earliest next entry of this stretch
	first := true
	for _, e := range events {
		if (e.Event == "room" || e.Event == "rate") && e.Rate != nil && *e.Rate != rate {
			if !first {
				limit = last + 1000/max(rate, *e.Rate)
			}
			rate = *e.Rate
		}
		if e.Event != "grant" {
			continue
		}
		if rate <= 0 {
			found = append(found, Finding{What: fmt.Sprintf("place %d was granted at rate %g", *e.Place, rate), Evidence: map[string]any{"seq": e.Seq}})
			continue
		}
		if !first && *e.Entry < limit-slack {
			found = append(found, Finding{
				What:     fmt.Sprintf("entry at %.3f ms, the rate %g/s allowed it from %.3f ms", *e.Entry, rate, limit),
				Evidence: map[string]any{"seq": e.Seq, "vid": e.Vid, "place": *e.Place},
			})
		}
		last = *e.Entry
		limit, first = max(limit, last)+1000/rate, false
	}
	return found
}

// unit is what the log's rounding can take from a distance: two roundings of half
// a millisecond when it writes whole ones, else nearly nothing.
func unit(events []GrantEvent) float64 {
	const fraction, whole = 0.01, 1.0 // ms
	for _, e := range events {
		if e.Event == "grant" && *e.Entry != math.Trunc(*e.Entry) {
			return fraction
		}
	}
	return whole
}

func overCap(events []GrantEvent) []Finding {
	var found []Finding
	live := map[string]bool{}
	limit, epoch := int64(-1), int64(-1)
	for _, e := range events {
		if e.Epoch != epoch {
			live, epoch = map[string]bool{}, e.Epoch
		}
		if (e.Event == "room" || e.Event == "cap") && e.Cap != nil {
			limit = *e.Cap
		}
		switch e.Event {
		case "expire", "leave":
			delete(live, e.Vid)
		case "grant":
			live[e.Vid] = true
			if limit >= 0 && int64(len(live)) > limit {
				found = append(found, Finding{
					What:     fmt.Sprintf("%d sessions are live, the cap is %d", len(live), limit),
					Evidence: map[string]any{"seq": e.Seq, "vid": e.Vid, "live_by_the_store": e.Live},
				})
			}
		}
	}
	return found
}

// visit is a session as the origin saw it.
type visit struct{ first, last time.Time }

// visitsOf needs the signature of each pass to be good: an invented vid is a
// matter of T1 and no session.
func visitsOf(e *Evidence) (map[string]visit, error) {
	if len(e.Requests) == 0 {
		return nil, errors.New("the recorder saw no request; give --record")
	}
	passes, err := newPassReader(e)
	if err != nil {
		return nil, err
	}
	visits := map[string]visit{}
	for _, r := range e.Requests {
		p := passes.read(r.Pass)
		if p.problem != "" {
			continue
		}
		v, seen := visits[p.vid]
		if !seen || r.At.Before(v.first) {
			v.first = r.At
		}
		if r.At.After(v.last) { // its arrival: a request under way when its session ends may complete
			v.last = r.At
		}
		visits[p.vid] = v
	}
	return visits, nil
}

func beyondGrants(events []GrantEvent, visits map[string]visit) []Finding {
	entry := map[string]time.Time{} // by the store's clock
	limit := int64(-1)
	for _, e := range events {
		if e.Cap != nil && (e.Event == "room" || e.Event == "cap") {
			limit = max(limit, *e.Cap) // the recorder does not know which cap was in force: the largest
		}
		if e.Event == "grant" {
			at := time.UnixMicro(int64(1000 * (e.T + *e.Entry - e.RT)))
			if t, again := entry[e.Vid]; !again || at.Before(t) {
				entry[e.Vid] = at
			}
		}
	}
	var found []Finding
	var steps []step
	for vid, v := range visits {
		at, ok := entry[vid]
		switch {
		case !ok:
			found = append(found, Finding{What: "a visitor without a grant reached the origin", Evidence: map[string]any{"vid": vid, "at": v.first}})
		case v.first.Before(at.Add(-clockSlack)):
			found = append(found, Finding{
				What:     fmt.Sprintf("a visitor reached the origin %s before the granted entry", at.Sub(v.first)),
				Evidence: map[string]any{"vid": vid, "at": v.first, "entry": at},
			})
		}
		steps = append(steps, step{v.first, 1, vid}, step{v.last, -1, vid})
	}
	if f, over := firstOver(steps, int32(min(limit, math.MaxInt32))); limit >= 0 && over {
		f.What = "sessions seen alive at the origin: " + f.What
		found = append(found, f)
	}
	return found
}
