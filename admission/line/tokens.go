package line

import (
	"context"
	"sync"
	"time"
)

// Token is what an authentic ticket or pass says. After a loss of the store each one seen is a report.
type Token struct {
	Epoch int64
	ID    string
	Index int64 // -1: unknown
	Place int64 // of a pass
	N     int64 // size of the draw as a ticket tells it; -1: not drawn

	Issued time.Time // by the store's clock; zero: not told

	Pass    bool // the following is said
	Term    int64
	Expires time.Time // by the store's clock
	Hard    time.Time
}

// seen keeps tokens until the next tick, and remembers which ones this life of the room was told.
type seen struct {
	mu   sync.Mutex
	gen  string
	told map[string]bool // true once the store has been told
	wait []Token
}

// passKey sets a visitor's pass apart from its ticket.
const passKey = " pass"

func (t Token) key() string {
	if t.Pass {
		return t.ID + passKey
	}
	return t.ID
}

// lineAlive is how young a token must be to say, of a room that nobody knows, that there was a line which is lost: in one
// that lives somebody joins or has a pass renewed within that time. An older cookie is of a sale that is over.
const lineAlive = 6 * time.Hour

const (
	seenMax   = 100_000
	tokenPart = 500
)

// Seen takes note of an authentic token of this room, of whatever epoch. It makes no call to the store and does nothing
// unless the store has lost something.
func (r *Room) Seen(t Token) {
	v := r.view.Load()
	if v.losses == 0 && v.merging == 0 || !named(t.ID) || t.Epoch <= 0 {
		return
	}
	if v.merging == 0 && (t.Epoch != v.epoch || !t.Pass) {
		return
	}
	if !t.Pass && t.Index < 0 {
		return // given while no index could be: it says nothing about a line
	}
	if v.merging == mergingBirth && !t.Issued.IsZero() && v.clock(v.rt).Sub(t.Issued) > lineAlive {
		return
	}
	key := t.key()
	s := &r.seen
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gen != v.gen || s.told == nil {
		s.gen, s.told = v.gen, map[string]bool{}
	}
	if _, known := s.told[key]; known || len(s.told) >= seenMax {
		return
	}
	s.told[key] = false
	s.wait = append(s.wait, t)
}

// sendTokens tells the store; what cannot be told now is told again when it is seen again.
func (r *Room) sendTokens(ctx context.Context) error {
	s := &r.seen
	s.mu.Lock()
	wait := s.wait
	s.wait = nil
	s.mu.Unlock()
	for len(wait) > 0 {
		part := wait[:min(len(wait), tokenPart)]
		wait = wait[len(part):]
		now := r.view.Load().clock(r.view.Load().rt)
		var args []any
		for _, t := range part {
			var x, left, hard int64
			if t.Pass {
				x = t.Place + 1
				left, hard = max(0, t.Expires.Sub(now).Microseconds()), max(0, t.Hard.Sub(now).Microseconds())
			} else {
				t.Term = 0
			}
			if t.Index > maxIndex {
				continue
			}
			args = append(args, t.Epoch, t.ID, t.Index, x, t.N, t.Term, left, hard)
		}
		if _, err := r.call(ctx, scriptToken, args...); err != nil {
			s.mu.Lock()
			s.told = nil
			s.mu.Unlock()
			return err
		}
		s.mu.Lock()
		for _, t := range part {
			if _, still := s.told[t.key()]; still {
				s.told[t.key()] = true
			}
		}
		s.mu.Unlock()
	}
	return nil
}
