package booking

import (
	"context"
	"testing"
	"time"
)

func withoutCancel(t *testing.T) context.Context { return context.WithoutCancel(t.Context()) }

func TestAHoldTakesSeatsAndPlacesAtTheirPricesForItsTime(t *testing.T) {
	x := newSale(t, saleSpec{seats: 20, counters: []counterSpec{{"Standing", 100, 0}}})
	r := seats(12, 3)
	r.Places = places(1, 2).Places
	v := x.mustHold(7, r)
	if v.State != "active" || v.Event != slug || v.Amount != 2*2500+2*1000 || v.Currency != "EUR" || v.Version != 1 {
		t.Errorf("answer %+v", v)
	}
	if n := time.Time(v.ExpiresAt).Sub(time.Time(v.ServerTime)); n != 8*time.Minute {
		t.Errorf("the hold lasts %s", n)
	}
	if len(v.Lines) != 3 || *v.Lines[0].Seat != 3 || v.Lines[1].Label != "Stalls, row 2, seat 2" || v.Lines[2].Label != "Standing" || v.Lines[2].Quantity != 2 {
		t.Errorf("lines %+v", v.Lines)
	}
	if held, sold := x.counterSums(1); held != 2 || sold != 0 {
		t.Errorf("counter: %d held, %d sold", held, sold)
	}
}
