package hold

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/problem"
	"pgregory.net/rapid"
)

var noon = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// hall is a World of one event: seats 1 to 4 at 25.00, counter 1 with three places
// at 10.00, accounts 1 and 2.
func hall() *World {
	w := newWorld(noon)
	w.events[1] = &Event{ID: 1, Slug: "e", State: "on_sale", Currency: "EUR", MaxPerAccount: 4, TTL: 8 * time.Minute,
		Extend: string(PaymentUnknown), ExtendBy: 2 * time.Minute, Cap: 20 * time.Minute}
	for id := int32(1); id <= 4; id++ {
		w.seats[seatKey{1, id}] = &Seat{EventID: 1, ID: id, Class: "A", State: SeatAvailable}
	}
	w.counters[counterKey{1, 1}] = &Counter{EventID: 1, ID: 1, Name: "Standing", Class: "G", Capacity: 3}
	w.accounts[accountKey{1, 1}] = &Account{EventID: 1, ID: 1}
	w.accounts[accountKey{1, 2}] = &Account{EventID: 1, ID: 2}
	w.prices[priceKey{1, "A"}], w.prices[priceKey{1, "G"}] = 2500, 1000
	return w
}

func ask(account int64, seats ...int32) Request {
	return Request{EventID: 1, AccountID: account, ID: uuid.New(), Seats: seats}
}

func take(t *testing.T, w *World, r Request) *Hold {
	t.Helper()
	h, _, err := w.Take(r)
	if err != nil {
		t.Fatalf("take %+v: %v", r, err)
	}
	return h
}

// Each way in which a hold is no longer alive, alone.
func TestAlive(t *testing.T) {
	for name, kill := range map[string]func(w *World, h *Hold){
		"its time is over":    func(w *World, h *Hold) { w.Now = h.HeldUntil },
		"a line has ended":    func(w *World, h *Hold) { h.Lines[1].State = LineNone },
		"a line is sold":      func(w *World, h *Hold) { h.Lines[0].State = LineSold },
		"a line ends earlier": func(w *World, h *Hold) { h.Lines[0].HeldUntil = w.Now },
		"released":            func(w *World, h *Hold) { h.State = Released },
		"sold":                func(w *World, h *Hold) { h.State = Sold },
		"another has a seat":  func(w *World, h *Hold) { w.seats[seatKey{1, 1}].HoldID = uuid.New() },
		"a newer version":     func(w *World, h *Hold) { w.seats[seatKey{1, 1}].Version++ },
		"a seat is free":      func(w *World, h *Hold) { w.seats[seatKey{1, 1}].State = SeatAvailable },
		"a seat is sold":      func(w *World, h *Hold) { w.seats[seatKey{1, 1}].State = SeatSold },
		"a seat's time ended": func(w *World, h *Hold) { w.seats[seatKey{1, 1}].HeldUntil = w.Now },
		"a seat is unlocked":  func(w *World, h *Hold) { delete(w.seats, seatKey{1, 1}) },
	} {
		w := hall()
		r := ask(1, 1)
		r.Places = []Place{{Counter: 1, Quantity: 2}}
		h := take(t, w, r)
		if !w.Alive(h) {
			t.Fatal("a fresh hold is not alive")
		}
		kill(w, h)
		if w.Alive(h) {
			t.Errorf("%s: it is alive", name)
		}
		if err := w.Sell(h); !errors.Is(err, ErrHoldExpired) {
			t.Errorf("%s: sold, %v", name, err)
		}
	}
	w := hall()
	h := take(t, w, ask(1, 1))
	w.Now = h.HeldUntil.Add(-time.Microsecond)
	if !w.Alive(h) {
		t.Error("the last microsecond belongs to the hold")
	}
}

func TestExtend(t *testing.T) {
	const m = time.Minute
	for name, c := range map[string]struct {
		policy  string
		trigger Trigger
		at      []time.Duration // moments of the triggers, after the hold was taken
		ends    []time.Duration // of the hold, after each
	}{
		"never":                    {"never", PaymentUnknown, []time.Duration{7 * m}, []time.Duration{8 * m}},
		"another trigger":          {"near_end", PaymentSent, []time.Duration{7 * m}, []time.Duration{8 * m}},
		"near the end, once":       {"near_end", PaymentUnknown, []time.Duration{7 * m, 8 * m}, []time.Duration{9 * m, 9 * m}},
		"never shorter":            {"near_end", PaymentUnknown, []time.Duration{m, 7 * m}, []time.Duration{8 * m, 9 * m}},
		"at payment start":         {"at_payment_start", PaymentSent, []time.Duration{7 * m, 8 * m}, []time.Duration{9 * m, 9 * m}},
		"each time while pending":  {"while_pending", PaymentChecked, []time.Duration{7 * m, 8 * m, 9 * m}, []time.Duration{9 * m, 10 * m, 11 * m}},
		"up to the cap":            {"while_pending", PaymentChecked, []time.Duration{7 * m, 8 * m, 9 * m, 10 * m}, []time.Duration{9 * m, 10 * m, 10 * m, 10 * m}},
		"the dead are not revived": {"near_end", PaymentUnknown, []time.Duration{8 * m}, []time.Duration{8 * m}},
	} {
		w := hall()
		w.events[1].Extend = c.policy
		if name == "up to the cap" {
			w.events[1].Cap = 10 * m
		}
		r := ask(1, 1)
		r.Places = []Place{{Counter: 1, Quantity: 1}}
		h := take(t, w, r)
		for i, at := range c.at {
			w.Now = noon.Add(at)
			before := h.HeldUntil
			granted := w.Extend(h, c.trigger)
			if end := noon.Add(c.ends[i]); !h.HeldUntil.Equal(end) || !h.Lines[0].HeldUntil.Equal(end) || !h.Lines[1].HeldUntil.Equal(end) || !w.seats[seatKey{1, 1}].HeldUntil.Equal(end) {
				t.Errorf("%s, time %d: ends %s after it was taken", name, i+1, h.HeldUntil.Sub(noon))
			}
			if granted != h.HeldUntil.After(before) {
				t.Errorf("%s, time %d: granted %v", name, i+1, granted)
			}
		}
	}
}

// Who is told to come back "from" a moment and does so is given at least half of what an
// extension can give, and a moment before nothing; the policies that extend by themselves
// are not bound by it.
func TestAnOwnersExtensionIsWorthIt(t *testing.T) {
	const m = time.Minute
	for name, c := range map[string]struct {
		policy           Trigger
		by, cap          time.Duration
		from, gain, most time.Duration
	}{
		"near the end":         {PaymentUnknown, 2 * m, 20 * m, 7 * m, 1 * m, 2 * m},
		"while pending":        {PaymentChecked, 2 * m, 20 * m, 7 * m, 1 * m, 2 * m},
		"the cap comes before": {PaymentUnknown, 2 * m, 9 * m, 6*m + 30*time.Second, 30 * time.Second, m},
		"a long one":           {PaymentUnknown, 12 * m, 60 * m, 2 * m, 6 * m, 12 * m},
	} {
		w := hall()
		w.events[1].Extend, w.events[1].ExtendBy, w.events[1].Cap = string(c.policy), c.by, c.cap
		h := take(t, w, ask(1, 1))
		end := h.HeldUntil
		for _, early := range []time.Duration{0, c.from - time.Microsecond} {
			w.Now = noon.Add(early)
			_, err := w.ExtendByOwner(1, 1, h.ID)
			p := problem.As(err)
			if p == nil || p.Extra["reason"] != "too_early" || p.Extra["from"] != noon.Add(c.from).UTC() || !h.HeldUntil.Equal(end) {
				t.Fatalf("%s, after %s: %v, want refused until %s", name, early, p, c.from)
			}
		}
		w.Now = noon.Add(c.from)
		if _, err := w.ExtendByOwner(1, 1, h.ID); err != nil || h.HeldUntil.Sub(end) != c.gain {
			t.Errorf("%s: %s more, want %s: %v", name, h.HeldUntil.Sub(end), c.gain, err)
		}
		h.HeldUntil, h.Extended = end, 0
		w.Now = end.Add(-time.Microsecond)
		if _, err := w.ExtendByOwner(1, 1, h.ID); err != nil || h.HeldUntil.Sub(end) < c.most-time.Microsecond {
			t.Errorf("%s, at the end: %s more, want %s: %v", name, h.HeldUntil.Sub(end), c.most, err)
		}
	}
}

// A refund of some lines frees those and no others, and each once.
func TestGiveBackOfSomeLines(t *testing.T) {
	w := hall()
	r := ask(1, 1, 2)
	r.Places = []Place{{Counter: 1, Quantity: 2}}
	h := take(t, w, r)
	if err := w.Sell(h); err != nil {
		t.Fatal(err)
	}
	acc, c := w.accounts[accountKey{1, 1}], w.counters[counterKey{1, 1}]
	if acc.Sold != 4 || acc.Live != 0 || c.Held != 0 || c.Sold != 2 {
		t.Errorf("sold: %+v %+v", acc, c)
	}
	for range 2 {
		if err := w.GiveBack(h, 1, 3); err != nil {
			t.Fatal(err)
		}
		if acc.Sold != 1 || c.Sold != 0 || h.State != Sold || w.seats[seatKey{1, 1}].State != SeatAvailable || w.seats[seatKey{1, 2}].State != SeatSold {
			t.Errorf("lines 1 and 3 back: %+v %+v %s", acc, c, h.State)
		}
	}
	// The seat is sold to somebody else; giving the rest back does not touch it.
	other := take(t, w, ask(2, 1))
	if err := errors.Join(w.Sell(other), w.GiveBack(h)); err != nil {
		t.Fatal(err)
	}
	if s := w.seats[seatKey{1, 1}]; h.State != Released || s.State != SeatSold || s.HoldID != other.ID {
		t.Errorf("%s, seat %+v", h.State, s)
	}
}

// A hold that ended and whose seat somebody took cannot be taken again, and the
// attempt changes nothing, whichever of its places is the missing one.
func TestRetakeIsAllOrNothing(t *testing.T) {
	w := hall()
	r := ask(1, 1, 2)
	h := take(t, w, r)
	w.Now = h.HeldUntil
	h.Lines[0].State, h.Lines[1].State = LineNone, LineNone
	w.accounts[accountKey{1, 1}].Live = 0
	take(t, w, ask(2, 2))
	before := picture(w)
	if err := w.Retake(h); !errors.Is(err, ErrSeatTaken) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, picture(w), cmp.AllowUnexported(holdHead{})); diff != "" {
		t.Errorf("something changed:\n%s", diff)
	}
}

// picture is everything a World would write.
func picture(w *World) map[string]any {
	p := make(map[string]any)
	for k, s := range w.seats {
		p["seat"+string(rune('0'+k.seat))] = *s
	}
	for k, c := range w.counters {
		p["counter"+string(rune('0'+k.counter))] = *c
	}
	for k, a := range w.accounts {
		p["account"+string(rune('0'+k.account))] = *a
	}
	for k, h := range w.holds {
		lines := make([]Line, len(h.Lines))
		for i, l := range h.Lines {
			lines[i] = *l
		}
		p[k.hold.String()] = []any{h.head(), lines}
	}
	p["created"] = len(w.created)
	return p
}

// Whatever is refused has changed nothing.
func TestARefusalLeavesTheWorldAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := hall()
		var all []*Hold
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			r := Request{
				EventID: 1, ID: uuid.New(), AccountID: rapid.Int64Range(1, 2).Draw(t, "account"),
				Seats: rapid.SliceOfNDistinct(rapid.Int32Range(1, 5), 0, 3, rapid.ID).Draw(t, "seats"),
			}
			if n := rapid.IntRange(0, 4).Draw(t, "places"); n > 0 {
				r.Places = []Place{{Counter: rapid.Int64Range(1, 2).Draw(t, "counter"), Quantity: n}}
			}
			if len(all) > 0 && rapid.Bool().Draw(t, "replace") {
				r.Replace = rapid.SampledFrom(all).Draw(t, "old").ID
			}
			w.unknown[seatKey{1, 5}] = true
			before := picture(w)
			h, _, err := w.Take(r)
			if err == nil {
				all = append(all, h)
			} else if diff := cmp.Diff(before, picture(w), cmp.AllowUnexported(holdHead{})); diff != "" {
				t.Fatalf("%v changed\n%s", err, diff)
			}
		}
	})
}

func TestTheLimitsOfTheSaleWindow(t *testing.T) {
	at := func(d time.Duration) *time.Time { t := noon.Add(d); return &t }
	for name, c := range map[string]struct {
		ev   Event
		open bool
	}{
		"no window":           {Event{State: "on_sale"}, true},
		"opens this moment":   {Event{State: "on_sale", OnSaleAt: at(0)}, true},
		"opens in a moment":   {Event{State: "on_sale", OnSaleAt: at(1)}, false},
		"closes in a moment":  {Event{State: "on_sale", OffSaleAt: at(1)}, true},
		"closes this moment":  {Event{State: "on_sale", OffSaleAt: at(0)}, false},
		"inside, but stopped": {Event{State: "closed", OnSaleAt: at(-1), OffSaleAt: at(1)}, false},
	} {
		if err := c.ev.OnSale(noon); (err == nil) != c.open {
			t.Errorf("%s: %v", name, err)
		}
	}
}
