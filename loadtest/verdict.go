package loadtest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/ropeline/ropeline/loadtest/check"
	"github.com/ropeline/ropeline/loadtest/history"
	"github.com/ropeline/ropeline/loadtest/record"
)

// Verdict is the last line of a smoke run.
type Verdict struct {
	Buyers        int     `json:"buyers"`
	Admitted      int     `json:"admitted"`       // buyers who got a pass
	Sold          int     `json:"sold"`           // seats
	TakenOver     int     `json:"taken_over"`     // of them: held before by somebody who walked away
	Oversold      int     `json:"oversold"`       // exceptions to B1
	DoubleCharged int     `json:"double_charged"` // exceptions to P1
	LedgerSum     int64   `json:"ledger_sum"`     // of all postings, minor units
	OutOfOrder    int     `json:"out_of_order"`   // exceptions to Q3
	OverLimit     int     `json:"over_limit"`     // exceptions to Q4
	Errors5xx     int     `json:"errors_5xx"`     // every 5xx but the waiting page
	Seconds       float64 `json:"seconds"`
}

// Goal is what a sale has to reach beside having no exceptions.
type Goal struct {
	Seats     int     // all of them sold
	TakenOver int     // at least
	Slow      float64 // how much slower than a machine of its own the run's was found to be; 0 and 1: not at all
}

// Judge fills in what follows from findings, history and recorder.
func (v *Verdict) Judge(found []check.Finding, spans []history.Span, requests []record.Request) {
	v.Oversold = check.Count(found, "B1")
	v.DoubleCharged = check.Count(found, "P1")
	v.OutOfOrder = check.Count(found, "Q3")
	v.OverLimit = check.Count(found, "Q4")
	v.Admitted = admitted(spans)
	for _, n := range Errors5xx(spans, requests) {
		v.Errors5xx += n
	}
}

// admitted counts the clients that were given a pass: at enter, or with the first
// page when nobody was waiting.
func admitted(spans []history.Span) int {
	in := map[int]bool{}
	for _, s := range spans {
		if s.End.Type == history.OK && (s.Begin.F == "enter" || s.Begin.F == "arrive") {
			in[s.Begin.Client] = true
		}
	}
	return len(in)
}

// Errors5xx counts by operation what the buyers were answered, and what webhooks
// were, which no buyer sees.
func Errors5xx(spans []history.Span, requests []record.Request) map[string]int {
	n := map[string]int{}
	for _, s := range spans {
		if a := s.Answer(); a.Status >= http.StatusInternalServerError && !a.Wait {
			n[strings.TrimSpace(fmt.Sprintf("%s: %d %s", s.Begin.F, a.Status, a.Code))]++
		}
	}
	for _, r := range requests {
		if r.Status >= http.StatusInternalServerError && strings.HasPrefix(r.Path, "/webhooks/") {
			n[fmt.Sprintf("%s: %d", r.Path, r.Status)]++
		}
	}
	return n
}

// Failures says in sentences why the sale was not good; none when it was.
func (v Verdict) Failures(goal Goal, found []check.Finding) []string {
	var why []string
	if v.Sold != goal.Seats {
		why = append(why, fmt.Sprintf("%d of %d seats were sold", v.Sold, goal.Seats))
	}
	if v.TakenOver < goal.TakenOver {
		why = append(why, fmt.Sprintf("%d seats were sold after an expired hold, at least %d should be", v.TakenOver, goal.TakenOver))
	}
	if v.LedgerSum != 0 {
		why = append(why, fmt.Sprintf("the ledger sums to %d", v.LedgerSum))
	}
	if v.Errors5xx != 0 {
		why = append(why, fmt.Sprintf("%d answers were 5xx", v.Errors5xx))
	}
	for _, inv := range check.All {
		if n := check.Count(found, inv.ID); n > 0 {
			why = append(why, fmt.Sprintf("%s has %d exceptions: %s", inv.ID, n, inv.Statement))
		}
	}
	return why
}

// busyMachine is from where on a machine is called too slow rather than the programs.
const busyMachine = 2

// TooSlow tells a sale that only lacked time from one that broke its word: nothing the checks look at was violated and the
// machine was busy with other things. It stays a failure, since what was not sold was not tested.
func (v Verdict) TooSlow(goal Goal, found []check.Finding) string {
	if v.Sold >= goal.Seats && v.TakenOver >= goal.TakenOver || len(found) > 0 || v.LedgerSum != 0 || goal.Slow < busyMachine {
		return ""
	}
	return fmt.Sprintf("the machine was too slow (other programs take all but 1/%.1f of it): all promises held, %d of %d seats sold", goal.Slow, v.Sold, goal.Seats)
}
