package check

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/loadtest/history"
)

// clean is a sale in which everything that is allowed happened.
func clean(t *testing.T) (*story, []Payment) {
	s := tell(t)
	first := s.hold(1, 0, 4, 1, 2) // walks away
	second := s.hold(2, 5, 4, 1, 3)
	_, a := s.sell(second, 6)
	third := s.hold(3, 7, 4, 4)
	_, b := s.sell(third, 8)
	run(t, s.db, `UPDATE hold_line SET state = 0 WHERE hold_id = $1 AND seat_id = 1`, first)
	s.hold(1, 50, 600, 2, 5)
	return s, []Payment{a, b}
}

func TestACleanSaleHasNoFindings(t *testing.T) {
	s, payments := clean(t)
	for _, inv := range []Invariant{b1, b6, l1, l2, p1, p3} {
		s.expect(inv, 0, payments)
	}
	if n, err := TakenOver(t.Context(), s.db, "night"); err != nil || n != 1 {
		t.Errorf("%d seats taken over (%v), want 1: seat 1", n, err)
	}
	if sold, seats, err := Sold(t.Context(), s.db, "night"); err != nil || sold != 3 || seats != 10 {
		t.Errorf("%d of %d sold (%v), want 3 of 10", sold, seats, err)
	}
	if sum, err := LedgerSum(t.Context(), s.db); err != nil || sum != 0 {
		t.Errorf("the ledger sums to %d (%v)", sum, err)
	}
	if err := WaitQuiet(t.Context(), s.db, time.Second); err != nil {
		t.Error(err)
	}
}

func TestEveryStatementFitsTheSchema(t *testing.T) {
	db := database(t)
	conn, err := db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, sql := range []string{
		sqlDoubleClaims, sqlDoubleTickets, sqlSeatsWithoutLine, sqlLinesWithoutSeat, sqlCounters, sqlAccountLines, sqlAccountTickets, sqlAccountSold,
		sqlJournals, sqlBalances, sqlOwed, sqlAttempts, sqlPaidSeats, sqlSoldWithoutOrder, sqlUnrest, sqlTakenOver, sqlSold,
	} {
		if _, err := conn.Conn().Prepare(t.Context(), "", sql); err != nil {
			t.Errorf("%v\n%s", err, sql)
		}
	}
}

func TestB1FindsTwoLiveClaims(t *testing.T) {
	s, _ := clean(t)
	thief := s.hold(1, 51, 600, 6)
	run(t, s.db, `UPDATE hold_line SET seat_id = 5, hold_version = 9 WHERE hold_id = $1`, thief) // beside the live hold of seat 5
	s.expect(b1, 1, nil)
}

func TestB1FindsASoldSeatThatSomebodyElseBought(t *testing.T) {
	s, _ := clean(t)
	run(t, s.db, `UPDATE seat SET hold_version = hold_version + 1 WHERE seat_id = 4`)
	found := s.expect(b1, 2, nil)
	if !strings.Contains(found[0].What, "seat 4") {
		t.Error(found[0].What)
	}
}

func TestB1FindsTwoTicketsEvenWithoutTheIndexThatForbidsThem(t *testing.T) {
	s, _ := clean(t)
	run(t, s.db, `DROP INDEX one_live_ticket_a_seat`)
	run(t, s.db, `INSERT INTO ticket SELECT event_id, gen_random_uuid(), order_id, line, 7, seat_id, counter_id, hold_version, account_id, issued_at FROM ticket WHERE seat_id = 4`)
	s.expect(b1, 1, nil)
}

func TestB1FindsACounterOffItsLines(t *testing.T) {
	s, _ := clean(t)
	id := s.hold(3, 52, 600)
	run(t, s.db, `INSERT INTO hold_line (event_id, hold_id, line, counter_id, account_id, qty, price, state, held_until) VALUES (1, $1, 0, 1, 3, 2, 100, 1, $2)`, id, s.at(700))
	s.expect(b1, 1, nil)
	run(t, s.db, `UPDATE counter SET held = 2`)
	s.expect(b1, 0, nil)
	run(t, s.db, `ALTER TABLE counter DROP CONSTRAINT never_over; UPDATE counter SET capacity = 1`)
	s.expect(b1, 1, nil)
}

func TestB1RemembersWhatASampleSaw(t *testing.T) {
	s, _ := clean(t)
	seen, _ := json.Marshal(sample{Findings: []Finding{{What: "seat 9 has 2 live claims"}}})
	s.expect(b1, 1, nil, history.Span{Begin: history.Entry{F: sampleOp}, End: history.Entry{Type: history.OK, Result: seen}})

	failed, _ := json.Marshal(sample{Error: "no connection"})
	e := &Evidence{DB: s.db, History: []history.Span{{Begin: history.Entry{F: sampleOp}, End: history.Entry{Type: history.Info, Result: failed}}}}
	if _, err := Run(t.Context(), []Invariant{b1}, e); err == nil {
		t.Error("a failed sample passed for a good one")
	}
}

func TestTheSamplerSeesADoubleClaimThatHealsLater(t *testing.T) {
	s, _ := clean(t)
	path := t.TempDir() + "/h"
	w, err := history.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	thief := s.hold(1, 51, 600, 6)
	run(t, s.db, `UPDATE hold_line SET seat_id = 5 WHERE hold_id = $1`, thief)
	takeSample(s.db, w)
	run(t, s.db, `UPDATE hold_line SET seat_id = 6 WHERE hold_id = $1`, thief)
	sampler := StartSampler(s.db, w)
	sampler.Stop()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	spans, err := history.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(spans) != 2 {
		t.Fatalf("%d samples, want 2", len(spans))
	}
	s.expect(b1, 1, nil, spans...)
}

func TestB6FindsAnAccountOverItsLimitInTheMiddleOfTheSale(t *testing.T) {
	s := tell(t)
	s.hold(1, 0, 10, 1, 2, 3)
	s.hold(1, 9, 10, 4, 5) // five at once from second 9 to 10
	s.expect(b6, 1, nil)
}

func TestB6EndsAHoldWhenItsOwnerGivesItBack(t *testing.T) {
	s := tell(t)
	id := s.hold(1, 0, 30, 1, 2, 3)
	s.hold(1, 9, 30, 4, 5)
	run(t, s.db, `UPDATE hold SET state = 3 WHERE id = $1`, id)
	s.expect(b6, 0, nil) // nobody knows when it ended: left out
	asked := func(second int) history.Span {
		args, _ := json.Marshal(history.Call{Target: id})
		return history.Span{Begin: history.Entry{F: "release", Args: args, Wall: s.at(second)}}
	}
	s.expect(b6, 0, nil, asked(8))
	s.expect(b6, 1, nil, asked(12)) // still its own at 9, when the second came
}

func TestB6FindsSalesOverTheLimitAndAWrongNote(t *testing.T) {
	s := tell(t)
	s.sell(s.hold(1, 0, 4, 1, 2, 3), 1)
	s.expect(b6, 0, nil)
	s.sell(s.hold(1, 9, 4, 4, 5), 10)
	s.expect(b6, 2, nil) // over at one moment, and in the account's row
	run(t, s.db, `UPDATE ticket SET revoked_at = $1 WHERE seat_id < 3`, s.at(8))
	s.expect(b6, 1, nil) // never more than four now; the account's row still says five
}

func TestL1FindsAJournalThatIsOff(t *testing.T) {
	s, _ := clean(t)
	run(t, s.db, `ALTER TABLE posting DISABLE TRIGGER posting_balances`)
	s.post(s.id(), "odd", "revenue", int64(7))
	s.expect(l1, 1, nil)
	if sum, _ := LedgerSum(t.Context(), s.db); sum != 7 {
		t.Errorf("the ledger sums to %d, want 7", sum)
	}
	run(t, s.db, `INSERT INTO journal (event_id, id, kind, order_id, at) VALUES (1, 'empty', 'capture', $1, now())`, s.id())
	s.expect(l1, 2, nil)
}

func TestL2FindsMoneyTheBooksDoNotKnow(t *testing.T) {
	s, payments := clean(t)
	payments[0].Refunded = 5000
	s.expect(l2, 1, payments)
	payments[0].Refunded = 0
	s.post(s.id(), "capture", "clearing:fakepay", int64(300), "receivable:fakepay", int64(-300)) // balanced, and of nothing
	s.expect(l2, 2, payments)
}

func TestL2FindsEarningsWithoutSoldLines(t *testing.T) {
	s, payments := clean(t)
	run(t, s.db, `UPDATE hold_line SET state = 0 WHERE seat_id = 4`)
	s.expect(l2, 1, payments)
}

func TestP1FindsADoubleCharge(t *testing.T) {
	s, payments := clean(t)
	again := payments[0]
	again.ID = "pay_again"
	s.expect(p1, 1, append(payments, again))
	again.Refunded = again.Captured
	s.expect(p1, 0, append(payments, again))
	payments[0].Captured++
	s.expect(p1, 1, payments)
}

func TestP1FindsTwoAttemptsToKeep(t *testing.T) {
	s, payments := clean(t)
	run(t, s.db, `INSERT INTO attempt SELECT (jsonb_populate_record(a, jsonb_build_object('id', $1::text))).* FROM attempt a LIMIT 1`, s.id())
	s.expect(p1, 1, payments)
}

func TestP3FindsSeatsAndMoneyApart(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(*story, []Payment) []Payment
	}{
		"a seat without money": {func(_ *story, p []Payment) []Payment { p[1].Refunded = 5000; return p }},
		"a seat without ticket": {func(s *story, p []Payment) []Payment {
			run(s.T, s.db, `UPDATE ticket SET revoked_at = now() WHERE seat_id = 4`)
			return p
		}},
		"money without a seat": {func(s *story, p []Payment) []Payment {
			run(s.T, s.db, `UPDATE hold_line SET state = 0 WHERE seat_id = 4`)
			run(s.T, s.db, `UPDATE ticket SET revoked_at = now() WHERE seat_id = 4`)
			return p
		}},
		"money that rests": {func(_ *story, p []Payment) []Payment {
			other := p[1]
			other.ID, other.Captured = "pay_rest", 0
			return append(p, other)
		}},
		"money of nobody": {func(_ *story, p []Payment) []Payment {
			return append(p, Payment{ID: "x", Reference: "1-unknown", Authorized: 1, Currency: "EUR"})
		}},
		"a sold line without order": {func(s *story, p []Payment) []Payment {
			id := s.hold(3, 50, 4, 8)
			run(s.T, s.db, `UPDATE hold_line SET state = 2 WHERE hold_id = $1`, id)
			return p
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, payments := clean(t)
			s.expect(p3, 1, c.plant(s, payments))
		})
	}
}

func TestP3AllowsWhatWasGivenBack(t *testing.T) {
	s, payments := clean(t)
	s.expect(p3, 0, append(payments, Payment{ID: "v", Reference: "none", Authorized: 5, Voided: true, Currency: "EUR"},
		Payment{ID: "d", Reference: "none", Declined: true, Currency: "EUR"}))
}

func TestTakenOverIsOnlyWhatEndedByTime(t *testing.T) {
	s := tell(t)
	gone := s.hold(1, 0, 4, 1, 2, 3)
	s.sell(s.hold(2, 4, 4, 1), 5) // at the very end of the first hold: over
	s.sell(s.hold(1, 5, 4, 2), 6) // by the same person: not taken from anybody
	s.sell(s.hold(3, 5, 4, 3), 6)
	if n, _ := TakenOver(t.Context(), s.db, "night"); n != 2 {
		t.Errorf("%d seats taken over, want 2", n)
	}
	if n, _ := TakenOver(t.Context(), s.db, "another"); n != 0 {
		t.Errorf("%d seats of an event that is not there", n)
	}
	run(t, s.db, `UPDATE hold SET state = 3 WHERE id = $1`, gone) // it was given back
	if n, _ := TakenOver(t.Context(), s.db, ""); n != 0 {
		t.Errorf("%d seats taken over, want none after a release", n)
	}
}

func TestWaitQuietSaysWhatIsStillUnderWay(t *testing.T) {
	s, _ := clean(t)
	run(t, s.db, `UPDATE attempt SET captured = 0 WHERE ctid = (SELECT min(ctid) FROM attempt)`)
	err := WaitQuiet(t.Context(), s.db, 300*time.Millisecond)
	if err == nil || !regexp.MustCompile(`still 1 `).MatchString(err.Error()) {
		t.Errorf("%v, want one attempt under way", err)
	}
}

func TestWithoutEvidenceNothingIsProved(t *testing.T) {
	for _, inv := range All {
		if _, err := Run(t.Context(), []Invariant{inv}, &Evidence{}); err == nil {
			t.Errorf("%s passed on nothing", inv.ID)
		}
	}
}

func TestSelectNamesWhatThereIs(t *testing.T) {
	got, err := Select("t1, B1")
	if err != nil || !reflect.DeepEqual([]string{got[0].ID, got[1].ID}, []string{"T1", "B1"}) {
		t.Errorf("%v %v", got, err)
	}
	if _, err := Select("B9"); err == nil || !strings.Contains(err.Error(), "B1, B6, I1") {
		t.Errorf("%v", err)
	}
}
