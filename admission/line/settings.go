package line

import (
	"fmt"
	"time"
)

// State is what an operator wants of a room.
type State string

// The states a configuration may ask for.
const (
	StateOpen     State = "open"
	StatePrequeue State = "prequeue"
	StatePaused   State = "paused"
	StateSoldOut  State = "sold_out"
	StateClosed   State = "closed"
)

// Limits and defaults of a room's settings.
const (
	DefaultCap  = 500
	MaxCap      = 10_000_000
	DefaultIdle = 10 * time.Minute
	DefaultHard = 60 * time.Minute
	MaxLease    = 24 * time.Hour

	DefaultFailOpen = 10 * time.Minute
	maxMessage      = 1000 // bytes
)

// Settings of a room as a configuration file states them. They live in the store; a field of the file is
// written there only when the file's value changed since this room last saw it, so that a change made at run
// time survives a reload of an unchanged file.
type Settings struct {
	State State         // default open
	Rate  Rate          // entries; the zero Rate lets nobody in
	Cap   int           // live sessions; 0 lets nobody in
	Idle  time.Duration // a session without a request of its visitor ends after this; default 10 min
	Hard  time.Duration // no session is longer than this; default 60 min

	// Passthrough makes the room a safety net: while nobody waits and rate and cap have room, people are let through without
	// a line. It turns itself off when somebody has to wait, and on again when nobody does.
	Passthrough bool
	// FailOpenFor is how long such a room stays open while the store is away, if it has never had a line in this epoch;
	// default 10 min.
	FailOpenFor time.Duration

	// Message is one sentence to those who wait.
	Message string

	// OpensAt is when a pre-queue is frozen and drawn, by the store's clock, in milliseconds of precision.
	// Zero: somebody opens the room by hand.
	OpensAt time.Time

	// EntropySource is the sentence, fixed before the pre-queue, that names a value nobody knows before the
	// opening. "none": the draw proves only that nothing was changed after the commitment.
	EntropySource string
}

// WithDefaults fills what may be left out.
func (s Settings) WithDefaults() Settings {
	if s.State == "" {
		s.State = StateOpen
	}
	if s.Idle == 0 {
		s.Idle = DefaultIdle
	}
	if s.Hard == 0 {
		s.Hard = DefaultHard
	}
	if s.FailOpenFor == 0 {
		s.FailOpenFor = DefaultFailOpen
	}
	if s.EntropySource == "" {
		s.EntropySource = NoEntropy
	}
	return s
}

// NoEntropy is the entropy source of a draw that waits for no public value.
const NoEntropy = "none"

// Validate names the first setting that cannot work, and the cure.
func (s Settings) Validate() error {
	switch s.State {
	case StateOpen, StatePrequeue, StatePaused, StateClosed:
	default:
		return fmt.Errorf("state %q: use open, prequeue, paused or closed", s.State)
	}
	if s.Cap < 0 || s.Cap > MaxCap {
		return fmt.Errorf("cap %d: use 0 to %d live sessions", s.Cap, MaxCap)
	}
	if s.Idle < time.Second || s.Idle > MaxLease {
		return fmt.Errorf("idle %s: use 1s to %s", s.Idle, MaxLease)
	}
	if s.Hard < s.Idle || s.Hard > MaxLease {
		return fmt.Errorf("hard %s: use at least idle (%s) and at most %s", s.Hard, s.Idle, MaxLease)
	}
	if s.FailOpenFor < 0 || s.FailOpenFor > MaxLease {
		return fmt.Errorf("fail_open_for %s: use up to %s", s.FailOpenFor, MaxLease)
	}
	if len(s.Message) > maxMessage {
		return fmt.Errorf("message: %d bytes, at most %d", len(s.Message), maxMessage)
	}
	if len(s.EntropySource) > 1000 {
		return fmt.Errorf("entropy_source: %d bytes; use one sentence of at most 1000", len(s.EntropySource))
	}
	return nil
}

// Change is one alteration at run time. Nil fields stay as they are.
type Change struct {
	Rate    *Rate
	Cap     *int
	Message *string
	Action  Action
}

// Action is a step an operator takes at run time.
type Action string

// The actions of Change.
const (
	ActionOpen    Action = "open"     // opens a pre-queue now (with its draw), reopens a closed room
	ActionPause   Action = "pause"    // nobody new is let in; the line grows
	ActionSoldOut Action = "sold_out" // a pause that says: nothing is left at the moment. Resume ends it
	ActionResume  Action = "resume"   // ends a pause; one by the room itself with the values its status suggests (see Room.Resume)
	ActionClose   Action = "close"    // no joins, no entries; those inside finish
)
