package payment

import (
	"testing"
	"time"
)

// TestStateTable spells the table of StateOf out, cell by cell.
func TestStateTable(t *testing.T) {
	auth := Facts{Authorized: price}
	void := Facts{Authorized: price, Voided: true}
	capt := Facts{Authorized: price, Captured: price}
	part := Facts{Authorized: price, Captured: price, Refunded: 100}
	back := Facts{Authorized: price, Captured: price, Refunded: price}
	lost := Facts{Authorized: price, Captured: price, Dispute: DisputeLost}
	open := Facts{Authorized: price, Captured: price, Dispute: DisputeOpen}
	for _, tc := range []struct {
		name                string
		phase               Phase
		facts               Facts
		none, keep, giveOut State
	}{
		{"no facts, created", Created, Facts{}, StateCreated, StateCreated, StateCreated},
		{"no facts, sent", Sent, Facts{}, StateSent, StateSent, StateSent},
		{"no facts, unknown", Unknown, Facts{}, StateUnknown, StateUnknown, StateUnknown},
		{"no facts, abandoned", Abandoned, Facts{}, StateAbandoned, StateAbandoned, StateAbandoned},
		{"no facts, answered", Answered, Facts{}, StateUnknown, StateUnknown, StateUnknown},
		{"declined", Answered, Facts{Declined: true}, StateDeclined, StateDeclined, StateDeclined},
		{"authorized", Answered, auth, StateAuthorized, StateAuthorized, StateVoiding},
		{"authorized after abandoned", Abandoned, auth, StateAuthorized, StateAuthorized, StateVoiding},
		{"voided", Answered, void, StateVoided, StateVoided, StateVoided},
		{"captured", Answered, capt, StateCaptured, StateCaptured, StateRefunding},
		{"part returned", Answered, part, StatePartlyRefunded, StatePartlyRefunded, StateRefunding},
		{"all returned", Answered, back, StateRefunded, StateRefunded, StateRefunded},
		{"dispute lost", Answered, lost, StateRefunded, StateRefunded, StateRefunded},
		{"dispute open", Answered, open, StateCaptured, StateCaptured, StateRefunding},
	} {
		for w, want := range map[Want]State{Undecided: tc.none, Keep: tc.keep, GiveBack: tc.giveOut} {
			if got := StateOf(tc.phase, tc.facts, w); got != want {
				t.Errorf("%s, %s: %s, want %s", tc.name, w, got, want)
			}
		}
	}
}

func TestNextAction(t *testing.T) {
	auth, capt := Facts{Authorized: price}, Facts{Authorized: price, Captured: price}
	for _, tc := range []struct {
		phase Phase
		facts Facts
		want  Want
		owed  int64
		do    Action
	}{
		{Created, Facts{}, Undecided, 0, DoSend},
		{Sent, Facts{}, Undecided, 0, DoAsk},
		{Unknown, Facts{}, GiveBack, 0, DoAsk},
		{Abandoned, Facts{}, Undecided, 0, DoNothing},
		{Answered, Facts{Declined: true}, Undecided, 0, DoNothing},
		{Answered, auth, Undecided, 0, DoNothing},
		{Answered, auth, Keep, 0, DoCapture},
		{Abandoned, auth, GiveBack, 0, DoVoid},
		{Answered, Facts{Authorized: price, Voided: true}, Keep, 0, DoNothing},
		{Answered, capt, Keep, 0, DoNothing},
		{Answered, capt, Keep, 100, DoRefund},
		{Answered, capt, GiveBack, price, DoRefund},
		{Answered, Facts{Authorized: price, Captured: price, Dispute: DisputeOpen}, GiveBack, price, DoNothing},
		{Answered, Facts{Authorized: price, Captured: price, Dispute: DisputeWon}, GiveBack, price, DoRefund},
		{Answered, Facts{Authorized: price, Captured: price, Dispute: DisputeLost}, GiveBack, price, DoNothing},
		{Answered, Facts{Authorized: price, Captured: price, Refunded: price}, GiveBack, 0, DoNothing},
	} {
		if got := NextAction(tc.phase, tc.facts, tc.want, tc.owed); got != tc.do {
			t.Errorf("%s %+v %s owed %d: %s, want %s", tc.phase, tc.facts, tc.want, tc.owed, got, tc.do)
		}
	}
}

func TestResolverSchedule(t *testing.T) {
	var at time.Duration
	var moments []time.Duration
	for i := range 6 {
		at += AskDelay(i, 0.5)
		moments = append(moments, at/time.Second)
	}
	want := []time.Duration{2, 5, 10, 20, 50, 80}
	for i := range want {
		if moments[i] != want[i] {
			t.Fatalf("asked at %v, want %v (seconds)", moments, want)
		}
	}
	if lo, hi := AskDelay(9, 0), AskDelay(9, 0.999999); lo != 24*time.Second || hi < 35*time.Second || hi > 36*time.Second {
		t.Fatalf("spread of 30 s: %v to %v", lo, hi)
	}
}

func TestSendingAndRepeating(t *testing.T) {
	for bits := range 16 {
		w := Waiting{ForThis: bits&1 > 0, HoldAlive: bits&2 > 0, OnSale: bits&4 > 0, Undecided: bits&8 > 0}
		all := bits&7 == 7
		if MaySend(w) != all {
			t.Errorf("%+v: send %v", w, MaySend(w))
		}
		for c, want := range map[Capabilities]bool{{}: false, {TwoStep: true}: false, {Keys: true}: all, {Keys: true, TwoStep: true}: all || w.Undecided} {
			if got := MayRepeat(c, w); got != want {
				t.Errorf("%+v at %+v: repeat %v", w, c, got)
			}
		}
	}
}

// TestSilence: "not found" is believed after three answers and a quarter of an hour of a
// provider that is there; while it is away its clock stands.
func TestSilence(t *testing.T) {
	sent := time.Date(2027, 3, 1, 20, 0, 0, 0, time.UTC)
	s := Silence{Since: sent}
	now := sent
	for range 29 {
		now = now.Add(30 * time.Second)
		if s = s.NotFound(now); s.GiveUp(NotFoundAfter) {
			t.Fatalf("believed after %s", now.Sub(sent))
		}
	}
	if s = s.NotFound(now.Add(30 * time.Second)); !s.GiveUp(NotFoundAfter) {
		t.Errorf("not believed: %+v", s)
	}
	s, now = Silence{Since: sent}, sent
	for range 120 { // an hour away
		now = now.Add(30 * time.Second)
		s = s.NoAnswer(now)
	}
	for range 3 {
		now = now.Add(5 * time.Second)
		s = s.NotFound(now)
	}
	if s.GiveUp(NotFoundAfter) || s.For > time.Minute {
		t.Errorf("an hour of outage counted: %+v", s)
	}
	if few := (Silence{Since: sent}).NotFound(sent.Add(time.Hour)); few.GiveUp(NotFoundAfter) || few.For != maxQuiet {
		t.Errorf("one answer after an hour: %+v", few)
	}
}
