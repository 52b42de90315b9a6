package line

import (
	"errors"
	"fmt"
)

// What a call can refuse with. Everything else is a fault of the store and wraps ErrStore.
var (
	// ErrStore wraps every failure to reach or to understand the store. Nobody new is let in; those inside
	// keep their passes.
	ErrStore = errors.New("line: the store did not answer")

	// ErrRetry asks to come again in a moment: the ceiling is being raised, the room is being rebuilt, or
	// the edge's queue is full.
	ErrRetry = errors.New("line: try again in a moment")

	// ErrMerging says that the room is being put together again after a loss of the store: nobody moves, nobody
	// loses a place. It wraps ErrRetry.
	ErrMerging = fmt.Errorf("%w: the room is being put together again", ErrRetry)

	// ErrPending says that this edge is not yet in the other edges' logs. It wraps ErrRetry.
	ErrPending = fmt.Errorf("%w: this edge is not yet known to the others", ErrRetry)

	// ErrOther refuses an operator's step that was meant for another epoch or term than the room has now.
	ErrOther = errors.New("line: the room has another epoch or term by now; look again")

	// ErrNoEdge says that the room knows no edge of that name.
	ErrNoEdge = errors.New("line: no such edge in this room")

	// ErrNoCeiling asks for values: after a loss of everything nobody but the operator can say how far the line was.
	ErrNoCeiling = errors.New("line: no log is left that says how many places were given: resume with next and x")

	// ErrNoEntropy refuses a public value that no draw waits for.
	ErrNoEntropy = errors.New("line: no value is wanted now")

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
