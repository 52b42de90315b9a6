package pace

import (
	"math"
	"testing"
	"time"
)

// stocked is an inventory whose people each want a seat half a minute after they came, and nobody inside.
func stocked() (v inventory) {
	v.Seats = newKernel(1/priorMass, 90)
	v.Seats.H = [Ages]float64{6: 1}
	v.Seats.Total = 1
	return v
}

func TestStockIsSpentOnlyOnce(t *testing.T) {
	v := stocked()
	stock := Stock{At: start, Available: 200, Total: 1000, Sold: 800}
	var cr crowd
	var ages [Ages]float64
	v.tick(&stock, &cr, &ages, 0, 5, 1, start)
	if v.Limit != 200/spendOver {
		t.Errorf("200 free seats and nobody inside: %v a second", v.Limit)
	}
	ages[0] = 200 // as many are inside and have not chosen yet
	v.tick(&stock, &cr, &ages, 0, 5, 1, start)
	if v.Limit != 0 || v.Need != 200 {
		t.Errorf("200 free seats for 200 people inside: %v a second more, need %v", v.Limit, v.Need)
	}
	ages[0], ages[20] = 0, 200 // those have chosen
	v.tick(&stock, &cr, &ages, 0, 5, 1, start)
	if v.Limit != 200/spendOver {
		t.Errorf("200 free seats and 200 people who have theirs: %v a second", v.Limit)
	}
}

// An answer that is some seconds old still counts the seats that were taken since.
func TestWhatWasTakenSinceTheAnswerIsGone(t *testing.T) {
	v := stocked()
	stock := Stock{At: start, Available: 100, Total: 1000}
	for i := range 5 {
		v.Holds[i] = 20
	}
	var cr crowd
	var ages [Ages]float64
	v.tick(&stock, &cr, &ages, 0, 5, 1, start.Add(5*time.Second))
	if v.Avail != 0 || v.Limit != 0 {
		t.Errorf("%v seats are free and %v a second may enter", v.Avail, v.Limit)
	}
}

// People are released one lead before a hold ends, so that they arrive when its seat does.
func TestReturningHoldsAreAnticipated(t *testing.T) {
	var cr crowd
	var ages [Ages]float64
	for _, c := range []struct {
		bucket int
		let    bool
	}{{3, true}, {60, false}} {
		v := stocked()
		stock := Stock{At: start, Held: 100, Sold: 900, Total: 1000}
		stock.Expiring[c.bucket] = 100
		v.tick(&stock, &cr, &ages, 0, 5, 1, start)
		if got := v.Limit > 0; got != c.let {
			t.Errorf("100 holds end in %d s, a visitor needs %.0f: %.1f a second may enter", c.bucket*AgeBucket, v.lead(5), v.Limit)
		}
		if v.Back != float64(c.bucket*AgeBucket) {
			t.Errorf("the next seat may return in %v s", v.Back)
		}
		if v.judge(&stock, true, 1); v.State != AllHeld {
			t.Errorf("every seat is in a basket, and that is called %s", v.State)
		}
	}
}

func TestSoldOutIsSaidOnlyWhenEverySeatIsSold(t *testing.T) {
	for _, c := range []struct {
		available, held, sold float64
		binding               bool
		want                  StockState
	}{
		{500, 100, 400, false, Open},
		{20, 100, 880, true, LastSeats},
		{0, 1, 999, true, AllHeld},
		{0, 0, 999, true, AllHeld}, // one is on its way from one state to another
		{0, 0, 1000, true, SoldOut},
	} {
		v := inventory{State: Open, Roomy: math.MaxFloat64}
		s := Stock{At: start, Available: c.available, Held: c.held, Sold: c.sold, Total: 1000}
		if v.judge(&s, c.binding, 1); v.State != c.want {
			t.Errorf("%v free, %v held, %v sold: %s, not %s", c.available, c.held, c.sold, v.State, c.want)
		}
	}
	v := inventory{State: SoldOut}
	if v.judge(&Stock{At: start, Available: 3, Sold: 997, Total: 1000}, true, 1); v.State != LastSeats {
		t.Errorf("three seats came back and it is still called %s", v.State)
	}
}
