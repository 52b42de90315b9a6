package line

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// Config of one room as one edge sees it.
type Config struct {
	Name     string   // the room; the same at every edge
	Settings Settings // of the file

	// Dir is where this edge keeps its own log of what tickets cannot say. It is created if missing and must
	// be this edge's alone. Empty: no log, so nothing survives the loss of the store; for tests.
	Dir string
	// Edge names this edge among others at the same store. Empty: kept in Dir, or random.
	Edge string

	Lottery Lottery
	// Events receives what happened in the store's order, each event once, from one goroutine at a time,
	// before the visitors it concerns get their answers. It must not call the room. Nil: nothing is logged.
	Events func([]Event)
	Logger *slog.Logger // default: slog.Default
}

// Room is one edge's view of a room and its hand in it. All methods can be called from any goroutine.
type Room struct{ cfg Config }

// Room prepares a room without any I/O.
func (s *Store) Room(cfg Config) (*Room, error) { return &Room{cfg: cfg}, nil }

// Start opens the edge's log, creates the room in the store or rebuilds it from the log, and starts the loops.
// While the store is away it returns nil and keeps trying: the room's Snapshot is stale, joins give ErrStore.
func (r *Room) Start(ctx context.Context) error { return ErrRetry }

// Stop ends the loops, sends what was collected, and closes the log. ctx bounds the farewell.
func (r *Room) Stop(ctx context.Context) error { return ErrRetry }

// Configure takes the settings of a reloaded file: fields whose value in the file changed since this room last
// saw the file are written to the store, the others keep their run-time values.
func (r *Room) Configure(ctx context.Context, s Settings) error { return ErrRetry }

// Change alters the room at run time.
func (r *Room) Change(ctx context.Context, c Change) error { return ErrRetry }

// SetEntropy gives the public value that the entropy source named. It is accepted once, after the freeze.
func (r *Room) SetEntropy(ctx context.Context, value string) error { return ErrRetry }

// Join gives the visitor an arrival index: the next one, or the one that this id or this identity (a hash, may
// be empty) got before. Joins are collected for up to 2 ms or 256.
func (r *Room) Join(ctx context.Context, vid, identity string) (Joined, error) {
	return Joined{}, ErrRetry
}

// Knock asks whether it is the visitor's turn, and puts it at the door if its place is below X. Asking again
// changes nothing. Knocks are collected for up to 50 ms or 256. An Answer In is given only when the spent record
// is on disk, so its pass may leave at once.
func (r *Room) Knock(ctx context.Context, v Visitor) (Answer, error) { return Answer{}, ErrRetry }

// PickUp takes the grant a Knock told of (Answer.Grant). It may be called before the entry time: the pass carries
// it as nbf. The answer is In, or whatever else is true by now.
func (r *Room) PickUp(ctx context.Context, v Visitor, grant int64) (Answer, error) {
	return Answer{}, ErrRetry
}

// Enter knocks, and picks up if that gave a grant: what a navigation or POST enter wants.
func (r *Room) Enter(ctx context.Context, v Visitor) (Answer, error) { return Answer{}, ErrRetry }

// Present notes a heartbeat: the visitor still waits. It makes no call to the store.
func (r *Room) Present(v Visitor) {}

// Touch notes a request of an admitted visitor; atLeast (0: the room's idle time) is how long the lease shall
// last from now, within its hard end. Touches are sent every 10 s; it makes no call to the store.
func (r *Room) Touch(vid string, atLeast time.Duration) {}

// Renew touches at once and returns the acknowledged lease. ok is false when the visitor is not inside.
func (r *Room) Renew(ctx context.Context, vid string) (l Lease, ok bool, err error) {
	return Lease{}, false, ErrRetry
}

// Leave ends the session, or gives up the place in line; the place is spent either way. It returns when that is
// on disk.
func (r *Room) Leave(ctx context.Context, v Visitor) error { return ErrRetry }

// Place gives the visitor's place in line: drawn for an index below n once the draw is open, -1 before, the index
// itself otherwise.
func (r *Room) Place(index int64) int64 { return -1 }

// CallTime says when, within the present second, the place may knock by the spreading of the tick, by the store's
// clock; ok is false while place >= X.
func (r *Room) CallTime(place int64) (at time.Time, ok bool) { return time.Time{}, false }

// Snapshot is what this edge last heard.
func (r *Room) Snapshot() Snapshot { return Snapshot{} }

// DrawList writes SHA-256(vid) in index order, 32 bytes each (zeros for an unknown index): what the root was made
// of. ErrRetry before the root is published.
func (r *Room) DrawList(ctx context.Context, w io.Writer) error { return ErrRetry }
