package line

import (
	"strings"
	"time"
)

// Snapshot is what the edge last heard of the room, at most about a second old while the store answers. It is
// a value, read without a lock and without a call to the store.
type Snapshot struct {
	Room  string
	Epoch int64
	Term  int64
	Gen   string // a fresh value after each loss of the store
	Seq   int64  // of ticks; grows
	State string // prequeue | drawing | open | passthrough | paused | sold_out | merging | closed

	X0, X int64     // places from X0 to X are called between At and At + 1 s, evenly
	At    time.Time // the store's clock
	Until time.Time // after it nobody should extrapolate

	Next int64 // indexes given so far
	N    int64 // size of the draw; -1 before the freeze
	Live int64 // sessions and unclaimed grants
	Door int64 // visitors at the door
	Left int64 // sessions and grants that have ended

	// Gaps are ranges of indexes [from, to) that a loss of the store may have left ungiven.
	Gaps [][2]int64
	// Found is how many people of gaps at or beyond X have shown themselves (Depth).
	Found int64
	// AheadShare is the share of those who wait beyond X that were seen present in the last 75 to 150 s.
	AheadShare float64
	// Waiting is how many are present at or beyond X, at the door included.
	Waiting int64

	Reason  string     // why the room is paused by itself: edge_missing, no_checkpoint, draw_conflict, ceiling_conflict; or ""
	Missing []string   // edges whose report a merge waits for
	Edges   []string   // the registered edges
	Cut     []string   // edges that fell silent and whose visitors' slots are held
	Settled bool       // every registered edge has the newest recall, draw and list of edges on disk
	Doubled [][2]int64 // ranges of indexes that may have been given twice: an alarm
	Ceil    int64      // no index at or above it was given

	Leader   string   // the edge that leads
	Paced    bool     // Settings.Rate is the leader's, not the one that was set
	Fixed    Rate     // the one that was set
	Order    string   // an operator's word to the pacer
	Stock    string   // the pacer's word about the stock
	Settings Settings // those in force
	Draw     DrawRecord

	Now   time.Time // the store's clock when this was heard
	Heard time.Time // the edge's clock at the same moment; the difference is the edge's offset
	Stale bool      // the store has not answered for 3 s
}

// StoreTime translates a moment of the edge's clock to the store's. It counts from the last answer by the monotonic reading,
// if local has one, so that an edge whose clock is set does not take passes for expired until the next tick.
func (s Snapshot) StoreTime(local time.Time) time.Time { return s.Now.Add(local.Sub(s.Heard)) }

// Skew is how far the edge's clock is ahead of the store's, as exactly as an answer of the store is quick.
func (s Snapshot) Skew() time.Duration { return s.Heard.Sub(s.Now) }

// StoreTime is Snapshot's, for whoever wants nothing else of it; before the room was heard of it is the edge's own clock.
func (r *Room) StoreTime(local time.Time) time.Time {
	v := r.view.Load()
	if !v.exists {
		return local
	}
	return time.UnixMicro(v.header.now).Add(local.Sub(v.heard))
}

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

// How long a tick's figures hold, and when a silent store counts as away.
const (
	tickHolds  = 3 * time.Second
	staleAfter = 3 * time.Second
)

// Snapshot is what this edge last heard. Of a room that is being made nothing counts yet: as soon as a log or a ticket tells of
// an older line the room is that one, and who holds a pass of it must not have been turned away.
func (r *Room) Snapshot() Snapshot {
	v := r.view.Load()
	if !v.exists || v.merging == mergingBirth {
		return Snapshot{Room: r.cfg.Name, N: -1, Stale: !v.exists || r.now().Sub(v.heard) > staleAfter, State: StateMerging, Settings: *r.file.Load()}
	}
	c := r.snap.Load()
	if c == nil || c.of != v {
		c = &pictured{v, r.picture(v)}
		r.snap.Store(c)
	}
	s := c.Snapshot
	s.Stale = r.now().Sub(v.heard) > staleAfter
	return s
}

// pictured is the Snapshot of one view: every request asks for it, and a view is new once a second.
type pictured struct {
	of *view
	Snapshot
}

func (r *Room) picture(v *view) Snapshot {
	h := v.header
	s := Snapshot{
		Room: r.cfg.Name, Epoch: h.epoch, Term: h.term, Gen: h.gen, Seq: h.ticks, State: h.state(),
		X0: h.x0, X: h.x, At: time.UnixMicro(h.at), Next: h.next, N: h.n, Live: h.live, Door: h.door, Left: h.out + h.lapsed,
		Gaps: rangeList(h.gaps), Found: h.found, AheadShare: h.share, Waiting: h.waiting, Settings: h.settings(), Draw: h.draw(),
		Reason: h.reason, Missing: strings.Fields(h.missing), Edges: strings.Fields(h.members), Cut: cutEdges(h.cut),
		Leader: h.leader, Paced: h.paced, Order: h.order, Stock: h.stock,
		Settled: h.settled, Doubled: rangeList(h.doubled), Ceil: h.ceil,
		Now: time.UnixMicro(h.now), Heard: v.heard,
	}
	s.Fixed, _ = ParseRate(h.rate)
	s.Until = s.At.Add(tickHolds)
	return s
}

func cutEdges(text string) (names []string) {
	for _, f := range strings.Fields(text) {
		name, _, _ := strings.Cut(f, ":")
		names = append(names, name)
	}
	return names
}

// StatePassthrough is said while the safety net lets people through at once (Settings.Passthrough).
const StatePassthrough = "passthrough"

// StateMerging is said while the room is not (yet) known to the store.
const StateMerging = "merging"

// CallTime says when, within the present second, the place may knock by the spreading of the tick, by the store's
// clock; ok is false while place >= X.
func (r *Room) CallTime(place int64) (at time.Time, ok bool) {
	v := r.view.Load()
	if place < 0 || place >= v.x {
		return time.Time{}, false
	}
	at = time.UnixMicro(v.at)
	if place > v.x0 {
		at = at.Add(time.Duration(place-v.x0) * time.Second / time.Duration(v.x-v.x0))
	}
	return at, true
}
