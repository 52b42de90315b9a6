package line

import "time"

// Lottery is the mathematics of the draw, given by the host as functions, so that this package fixes when a
// draw happens and package lottery what it computes.
type Lottery struct {
	// Secret derives the room's secret from the draw key; every edge gets the same. It must be stable for
	// (room, epoch, opensAt); a zero opensAt means "opened by hand".
	Secret func(room string, epoch int64, opensAt time.Time) [32]byte
	// Root condenses the leaves SHA-256(vid), in index order; an unknown index is 32 zero bytes.
	Root func(leaves [][32]byte) [32]byte
	// Seed combines what nobody can choose alone.
	Seed func(secret [32]byte, entropy string, root [32]byte, n int64) [32]byte
	// Place returns the permutation of [0, n) keyed by seed; called once per draw, the result often and at once.
	Place func(seed [32]byte, n int64) func(index int64) int64
}
