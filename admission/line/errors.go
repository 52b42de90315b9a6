package line

import "errors"

// What a call can refuse with. Everything else is a fault of the store and wraps ErrStore.
var (
	// ErrStore wraps every failure to reach or to understand the store. Nobody new is let in; those inside
	// keep their passes.
	ErrStore = errors.New("line: the store did not answer")

	// ErrRetry asks to come again in a moment: the ceiling is being raised, the room is being rebuilt, or
	// the edge's queue is full.
	ErrRetry = errors.New("line: try again in a moment")

	// ErrClosed refuses a join: the room is closed.
	ErrClosed = errors.New("line: the room is closed")

	// ErrBadVisitor refuses an id or an index no ticket of this room can carry. It costs no index.
	ErrBadVisitor = errors.New("line: not a visitor of this room")

	// ErrCommitted refuses to change opening time or entropy source once somebody has joined under the
	// published commitment, or to take an opened room back to its pre-queue.
	ErrCommitted = errors.New("line: people have joined under the published commitment; this needs a new epoch")

	// ErrNotLogged means that the edge's own log could not be written: no pass may leave.
	ErrNotLogged = errors.New("line: the edge's log could not be written")
)
