package seatmap

import "fmt"

// State is what the map says of a seat. Its values are the wire format: they
// never change their meaning.
type State uint8

const (
	Available State = 0 // free, or its hold has ended
	Held      State = 1 // in somebody's basket
	Sold      State = 2
	Blocked   State = 3 // not for sale
)

// MaxSeats bounds what a map may describe. The largest stadium on earth has
// some 130,000 seats; a number far above that is a mistake or an attack.
const MaxSeats = 1 << 20

var names = [4]string{"available", "held", "sold", "blocked"}

// String gives the word the API uses for the state.
func (s State) String() string { return names[s&3] }

// Size is the length in bytes of a packed map of n seats.
func Size(n int) int { return (n + 3) / 4 }

// Pack writes states[i] as the state of seat i+1.
func Pack(states []State) []byte {
	p := make([]byte, Size(len(states)))
	for i, s := range states {
		p[i>>2] |= byte(s&3) << ((i & 3) * 2)
	}
	return p
}

// Unpack is the inverse of Pack. It refuses a map that is not exactly the
// canonical one for n seats: wrong length, or bits beyond the last seat.
func Unpack(p []byte, n int) ([]State, error) {
	if err := checkPacked(p, n); err != nil {
		return nil, err
	}
	states := make([]State, n)
	for i := range states {
		states[i] = State(p[i>>2] >> ((i & 3) * 2) & 3)
	}
	return states, nil
}

func checkPacked(p []byte, n int) error {
	if n < 0 || n > MaxSeats {
		return fmt.Errorf("seatmap: %d seats, want 0 to %d", n, MaxSeats)
	}
	if len(p) != Size(n) {
		return fmt.Errorf("seatmap: %d bytes for %d seats, want %d", len(p), n, Size(n))
	}
	if used := n & 3; used != 0 && p[len(p)-1]>>(used*2) != 0 {
		return fmt.Errorf("seatmap: bits set beyond seat %d", n)
	}
	return nil
}

// At reads the state of one seat, numbered from 1. A seat outside of the map
// is Blocked: what we do not know of is not for sale.
func At(p []byte, seat int) State {
	i := seat - 1
	if i < 0 || i>>2 >= len(p) {
		return Blocked
	}
	return State(p[i>>2] >> ((i & 3) * 2) & 3)
}

// Set changes the state of one seat in place and reports whether the map has it.
func Set(p []byte, seat int, s State) bool {
	i := seat - 1
	if i < 0 || i>>2 >= len(p) {
		return false
	}
	shift := (i & 3) * 2
	p[i>>2] = p[i>>2]&^(3<<shift) | byte(s&3)<<shift
	return true
}
