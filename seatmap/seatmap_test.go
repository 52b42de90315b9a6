package seatmap

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func TestLayoutIsTheDocumentedOne(t *testing.T) {
	p := Pack([]State{Held, Available, Sold, Blocked, Sold})
	if want := []byte{0b11_10_00_01, 0b10}; !bytes.Equal(p, want) {
		t.Fatalf("packed %08b, want %08b", p, want)
	}
	for seat, want := range map[int]State{1: Held, 2: Available, 3: Sold, 4: Blocked, 5: Sold} {
		if got := At(p, seat); got != want {
			t.Errorf("seat %d is %s, want %s", seat, got, want)
		}
	}
}

func TestStadiumIsFifteenThousandBytes(t *testing.T) {
	if got := len(Pack(make([]State, 60_000))); got != 15_000 {
		t.Fatalf("60,000 seats take %d bytes, want 15,000", got)
	}
}

func TestSeatsOutsideOfTheMapAreNotForSale(t *testing.T) {
	p := Pack(make([]State, 4))
	for _, seat := range []int{-1, 0, 5, MaxSeats} {
		if got := At(p, seat); got != Blocked {
			t.Errorf("seat %d of 4 is %s, want blocked", seat, got)
		}
		if Set(p, seat, Sold) {
			t.Errorf("seat %d of 4 could be set", seat)
		}
	}
}

func TestUnpackRefusesWhatPackNeverWrites(t *testing.T) {
	for name, c := range map[string]struct {
		p []byte
		n int
	}{
		"too short":             {nil, 1},
		"too long":              {[]byte{0, 0}, 4},
		"bits beyond last seat": {[]byte{0b100}, 1},
		"negative":              {nil, -1},
		"too many":              {nil, MaxSeats + 1},
	} {
		if _, err := Unpack(c.p, c.n); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSetChangesOneSeatOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(state(), 1, 300).Draw(t, "states")
		seat := rapid.IntRange(1, len(states)).Draw(t, "seat")
		to := state().Draw(t, "to")
		p := Pack(states)
		Set(p, seat, to)
		states[seat-1] = to
		if !bytes.Equal(p, Pack(states)) {
			t.Fatalf("seat %d to %s: map differs from one packed at once", seat, to)
		}
	})
}

func state() *rapid.Generator[State] {
	return rapid.Map(rapid.IntRange(0, 3), func(i int) State { return State(i) })
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte{0b11100100}, 4)
	f.Add([]byte{0b11}, 2)
	f.Fuzz(func(t *testing.T, p []byte, n int) {
		states, err := Unpack(p, n)
		if err != nil {
			return
		}
		if got := Pack(states); !bytes.Equal(got, p) {
			t.Fatalf("%x unpacks to %v, which packs to %x", p, states, got)
		}
		for i, s := range states {
			if got := At(p, i+1); got != s {
				t.Fatalf("seat %d: At says %s, Unpack %s", i+1, got, s)
			}
		}
	})
}
