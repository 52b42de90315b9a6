package payment

import "testing"

// TestLateSuccessCells: one test per cell of the table, both columns.
func TestLateSuccessCells(t *testing.T) {
	free := Scene{HoldTimedOut: true, PlacesFree: true, WithinLimit: true, Retake: true}
	with := func(s Scene, change func(*Scene)) Scene { change(&s); return s }
	for _, tc := range []struct {
		name  string
		scene Scene
		cell  Cell
		want  Want
	}{
		{"another attempt already paid it", Scene{PaidByOther: true, HoldAlive: true}, CellDouble, GiveBack},
		{"amount or currency differs", Scene{Mismatch: true, HoldAlive: true}, CellMismatch, GiveBack},
		{"order cancelled", Scene{OrderOver: true, HoldAlive: true}, CellOver, GiveBack},
		{"event cancelled", Scene{EventOff: true, HoldAlive: true}, CellEventOff, GiveBack},
		{"sale closed by staff", Scene{SaleClosed: true, HoldAlive: true}, CellClosed, GiveBack},
		{"hold alive", Scene{HoldAlive: true}, CellAlive, Keep},
		{"hold alive, policy retake", Scene{HoldAlive: true, Retake: true}, CellAlive, Keep},
		{"hold expired, retake, all free", free, CellRetake, Keep},
		{"the same, policy refund", with(free, func(s *Scene) { s.Retake = false }), CellHoldEnded, GiveBack},
		{"the same, a place is gone", with(free, func(s *Scene) { s.PlacesFree = false }), CellHoldEnded, GiveBack},
		{"the same, over the limit", with(free, func(s *Scene) { s.WithinLimit = false }), CellHoldEnded, GiveBack},
		{"the same, released by its owner", with(free, func(s *Scene) { s.HoldTimedOut = false }), CellHoldEnded, GiveBack},
		{"anything else", Scene{}, CellHoldEnded, GiveBack},
	} {
		for _, m := range []Money{MoneyAuthorized, MoneyCaptured} {
			v := Decide(tc.scene, m)
			if v.Cell != tc.cell || v.Want != tc.want || v.Retake != (tc.cell == CellRetake) ||
				(v.Break != "") != (tc.cell == CellMismatch && m == MoneyCaptured) {
				t.Errorf("%s, money %d: %+v, want %s %s", tc.name, m, v, tc.cell, tc.want)
			}
		}
	}
}

// TestLateSuccessIsTotal walks every scene: an answer for each, and money is kept
// only where a place is.
func TestLateSuccessIsTotal(t *testing.T) {
	for bits := range 1 << 10 {
		on := func(i int) bool { return bits>>i&1 == 1 }
		s := Scene{
			PaidByOther: on(0), Mismatch: on(1), OrderOver: on(2), EventOff: on(3), SaleClosed: on(4),
			HoldAlive: on(5), HoldTimedOut: on(6), PlacesFree: on(7), WithinLimit: on(8), Retake: on(9),
		}
		for m := MoneyAuthorized; m <= MoneyRefunded; m++ {
			v := Decide(s, m)
			if v.Want != Keep && v.Want != GiveBack {
				t.Fatalf("%+v: no decision", s)
			}
			place := s.HoldAlive || (s.HoldTimedOut && s.PlacesFree && s.WithinLimit && s.Retake)
			stop := s.PaidByOther || s.Mismatch || s.OrderOver || s.EventOff || s.SaleClosed || m >= MoneyVoided
			if (v.Want == Keep) != (place && !stop) {
				t.Fatalf("%+v, money %d: %+v", s, m, v)
			}
		}
	}
}
