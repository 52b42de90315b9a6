package loadtest

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/loadtest/check"
	"github.com/ropeline/ropeline/loadtest/history"
	"github.com/ropeline/ropeline/loadtest/record"
)

func span(client int, f string, how history.Type, a history.Answer) history.Span {
	result, _ := json.Marshal(a)
	return history.Span{Begin: history.Entry{Client: client, F: f}, End: history.Entry{Type: how, Result: result}}
}

func TestAVerdictCountsFromEvidence(t *testing.T) {
	found := []check.Finding{{Invariant: "B1"}, {Invariant: "B1"}, {Invariant: "P1"}, {Invariant: "Q3"}, {Invariant: "Q4"}, {Invariant: "B6"}}
	spans := []history.Span{
		span(1, "arrive", history.Fail, history.Answer{Status: 503, Wait: true}),
		span(1, "enter", history.Fail, history.Answer{Status: 409}),
		span(1, "enter", history.OK, history.Answer{Status: 200}),
		span(1, "enter", history.OK, history.Answer{Status: 200}),
		span(2, "arrive", history.OK, history.Answer{Status: 303}),
		span(3, "hold", history.Fail, history.Answer{Status: 503, Code: "overloaded"}),
		span(3, "map", history.Info, history.Answer{Status: 502}),
	}
	requests := []record.Request{{Path: "/webhooks/fakepay", Status: 500}, {Path: "/v1/events/x/holds", Status: 503}}
	var v Verdict
	v.Judge(found, spans, requests)
	if want := (Verdict{Admitted: 2, Oversold: 2, DoubleCharged: 1, OutOfOrder: 1, OverLimit: 1, Errors5xx: 3}); v != want {
		t.Errorf("%+v, want %+v", v, want)
	}
	want := map[string]int{"hold: 503 overloaded": 1, "map: 502": 1, "/webhooks/fakepay: 500": 1}
	if got := Errors5xx(spans, requests); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOnlyAGoodSaleHasNoFailures(t *testing.T) {
	goal := Goal{Seats: 500, TakenOver: 40}
	good := Verdict{Sold: 500, TakenOver: 40}
	if why := good.Failures(goal, nil); why != nil {
		t.Errorf("%v", why)
	}
	for want, spoil := range map[string]func(*Verdict) []check.Finding{
		"499 of 500":        func(v *Verdict) []check.Finding { v.Sold = 499; return nil },
		"39 seats":          func(v *Verdict) []check.Finding { v.TakenOver = 39; return nil },
		"sums to -1":        func(v *Verdict) []check.Finding { v.LedgerSum = -1; return nil },
		"1 answers were":    func(v *Verdict) []check.Finding { v.Errors5xx = 1; return nil },
		"T1 has 1 exceptio": func(*Verdict) []check.Finding { return []check.Finding{{Invariant: "T1"}} },
		"B6 has 1 exceptio": func(*Verdict) []check.Finding { return []check.Finding{{Invariant: "B6"}} },
	} {
		v := good
		if why := v.Failures(goal, spoil(&v)); len(why) != 1 || !strings.Contains(why[0], want) {
			t.Errorf("%v, want %q", why, want)
		}
	}
}

func TestTheLineHasItsFields(t *testing.T) {
	line, _ := json.Marshal(Verdict{Buyers: 1})
	want := `{"buyers":1,"admitted":0,"sold":0,"taken_over":0,"oversold":0,"double_charged":0,"ledger_sum":0,"out_of_order":0,"over_limit":0,"errors_5xx":0,"seconds":0}`
	if string(line) != want {
		t.Errorf("%s", line)
	}
}

func TestASlowMachineIsNotABrokenPromise(t *testing.T) {
	goal := Goal{Seats: 500, TakenOver: 40, Slow: 3.5}
	few := Verdict{Sold: 44, TakenOver: 8, Errors5xx: 206}
	if said := few.TooSlow(goal, nil); !strings.Contains(said, "promises held, 44 of 500") {
		t.Errorf("%q", said)
	}
	if len(few.Failures(goal, nil)) != 3 {
		t.Errorf("a slow machine makes no good sale: %v", few.Failures(goal, nil))
	}
	for what, said := range map[string]string{
		"a sale that sold all":     Verdict{Sold: 500, TakenOver: 40}.TooSlow(goal, nil),
		"a broken promise":         few.TooSlow(goal, []check.Finding{{Invariant: "B1"}}),
		"a ledger out of balance":  Verdict{LedgerSum: 1}.TooSlow(goal, nil),
		"a machine with much time": few.TooSlow(Goal{Seats: 500, Slow: 1.2}, nil),
	} {
		if said != "" {
			t.Errorf("%s is called a slow machine: %s", what, said)
		}
	}
}
