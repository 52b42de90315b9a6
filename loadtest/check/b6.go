package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ropeline/ropeline/loadtest/history"
)

// B6, limits (cases/faults.md): places held and bought by one account in one
// event never exceed the event's limit, at any moment of the sale and not only
// at its end.
//
// Each line lives from its hold's beginning to its end, a bought place from its
// ticket's birth to its revocation. A hold given back early ended at a moment
// the database does not keep: the buyer's own request to give it back is taken,
// since it was alive until then; without one the line is left out. Nothing is
// counted that may have been over, so a finding is certain.
var b6 = Invariant{
	ID: "B6", Statement: "an account never has more places than the event allows, at any moment",
	Needs: []Source{Database, History},
	find: func(ctx context.Context, e *Evidence) ([]Finding, error) {
		lines, err := collect[accountLine](ctx, e.DB, sqlAccountLines)
		if err != nil {
			return nil, err
		}
		tickets, err := collect[accountTicket](ctx, e.DB, sqlAccountTickets)
		if err != nil {
			return nil, err
		}
		found := overLimit(lines, tickets, givenBack(e.History))
		sold, err := collect[accountSold](ctx, e.DB, sqlAccountSold)
		for _, r := range sold {
			found = append(found, Finding{
				What:     fmt.Sprintf("account %d has %d places noted as sold and %d tickets; the limit is %d", r.Account, r.Sold, r.Tickets, r.Max),
				Evidence: map[string]any{"event": r.Event, "account": r.Account},
			})
		}
		return found, err
	},
}

type accountLine struct {
	Event, Account int64
	Max            int32
	Hold           string
	Line           int16
	Qty            int32
	State          int16 // of the hold; 3 = given back early
	Created, Until time.Time
}

type accountTicket struct {
	Hold    string
	Line    int16
	Issued  time.Time
	Revoked *time.Time
}

type accountSold struct {
	Event, Account int64
	Max            int32
	Sold, Tickets  int32
}

const holdReleased = 3

// givenBack maps a hold to the moment its owner first asked to give it back.
func givenBack(spans []history.Span) map[string]time.Time {
	at := map[string]time.Time{}
	for _, s := range spans {
		if s.Begin.F != "release" && s.Begin.F != "cancel" {
			continue
		}
		hold := s.Call().Target
		if first, known := at[hold]; !known || s.Begin.Wall.Before(first) {
			at[hold] = s.Begin.Wall
		}
	}
	return at
}

type step struct {
	at    time.Time
	delta int32
	hold  string
}

func overLimit(lines []accountLine, tickets []accountTicket, back map[string]time.Time) []Finding {
	type lineKey struct {
		hold string
		line int16
	}
	born := map[lineKey][]accountTicket{}
	for _, t := range tickets {
		k := lineKey{t.Hold, t.Line}
		born[k] = append(born[k], t)
	}
	type owner struct{ event, account int64 }
	steps := map[owner][]step{}
	limit := map[owner]int32{}
	for _, l := range lines {
		o := owner{l.Event, l.Account}
		limit[o] = l.Max
		live := func(from, to time.Time, n int32) {
			if to.After(from) {
				steps[o] = append(steps[o], step{from, n, l.Hold}, step{to, -n, l.Hold})
			}
		}
		end := l.Until
		if l.State == holdReleased {
			end = back[l.Hold] // zero when unknown: then it never counted
		}
		for _, t := range born[lineKey{l.Hold, l.Line}] {
			if t.Issued.Before(end) {
				end = t.Issued
			}
			to := t.Issued.AddDate(100, 0, 0)
			if t.Revoked != nil {
				to = *t.Revoked
			}
			live(t.Issued, to, 1)
		}
		live(l.Created, end, l.Qty)
	}
	var found []Finding
	for o, s := range steps {
		if f, over := firstOver(s, limit[o]); over {
			f.Evidence["event"], f.Evidence["account"] = o.event, o.account
			found = append(found, f)
		}
	}
	return found
}

// firstOver walks through time. At one instant ends come before beginnings: a
// hold is over at the moment it ends.
func firstOver(steps []step, limit int32) (Finding, bool) {
	slices.SortFunc(steps, func(a, b step) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return int(a.delta - b.delta)
	})
	var sum int32
	for _, s := range steps {
		if sum += s.delta; sum > limit {
			return Finding{
				What:     fmt.Sprintf("%d places at once, the limit is %d", sum, limit),
				Evidence: map[string]any{"at": s.at, "hold": s.hold},
			}, true
		}
	}
	return Finding{}, false
}
