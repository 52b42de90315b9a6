package line

import "time"

// Snapshot is what the edge last heard of the room, at most about a second old while the store answers. It is
// a value, read without a lock and without a call to the store.
type Snapshot struct {
	Room  string
	Epoch int64
	Term  int64
	Gen   string // a fresh value after each loss of the store
	Seq   int64  // of ticks; grows
	State string // prequeue | drawing | open | paused | merging | closed

	X0, X int64     // places from X0 to X are called between At and At + 1 s, evenly
	At    time.Time // the store's clock
	Until time.Time // after it nobody should extrapolate

	Next int64 // indexes given so far
	N    int64 // size of the draw; -1 before the freeze
	Live int64 // sessions and unclaimed grants
	Door int64 // visitors at the door

	// Gaps are ranges of indexes [from, to) that a loss of the store may have left ungiven.
	Gaps [][2]int64
	// AheadShare is the share of places from X on that were seen present in the last 75 to 150 s.
	AheadShare float64
	// Waiting is how many are present at or beyond X, at the door included.
	Waiting int64

	Settings Settings // those in force
	Draw     DrawRecord

	Now   time.Time // the store's clock when this was heard
	Heard time.Time // the edge's clock at the same moment; the difference is the edge's offset
	Stale bool      // the store has not answered for 3 s
}

// StoreTime translates a moment of the edge's clock to the store's.
func (s Snapshot) StoreTime(local time.Time) time.Time { return local.Add(s.Now.Sub(s.Heard)) }

// DrawRecord is the public record of a draw.
type DrawRecord struct {
	Commit        [32]byte  // SHA-256 of the secret
	OpensAt       time.Time // as committed; zero: opened by hand
	EntropySource string
	Entropy       string // the value, once given
	N             int64  // -1 before the freeze
	Root          [32]byte
	Secret        [32]byte // zero before the reveal
	Seed          [32]byte
	Revealed      bool
}
