package readpath

import (
	"slices"
	"sync/atomic"
	"time"
)

// Stats counts what the shelf asked its source.
type Stats struct {
	rounds, failures, loads atomic.Int64
}

// Rounds, Failures and Loads since the start: questions for news, those without an
// answer, and events read whole.
func (s *Shelf) Rounds() int64   { return s.stats.rounds.Load() }
func (s *Shelf) Failures() int64 { return s.stats.failures.Load() }
func (s *Shelf) Loads() int64    { return s.stats.loads.Load() }

// Boards is how many events are kept, and Watching how many of them are followed.
func (s *Shelf) Boards() int   { s.mu.RLock(); defer s.mu.RUnlock(); return len(s.boards) }
func (s *Shelf) Watching() int { return len(s.watched(s.now())) }

func (s *Shelf) watched(now time.Time) []*board {
	since := now.Add(-Watched).UnixMilli()
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []*board
	for _, b := range s.boards {
		if b.asked.Load() >= since {
			list = append(list, b)
		}
	}
	return list
}

// keep puts a board on the shelf. A full shelf first loses what was not looked at
// for the longest time.
func (s *Shelf) keep(b *board) {
	now := s.now().UnixMilli()
	b.asked.Store(now)
	b.heard.Store(now)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.unknown, b.slug)
	if len(s.boards) >= maxBoards || s.seats+len(b.states) > maxSeats {
		s.makeRoom(len(b.states))
	}
	if old := s.boards[b.slug]; old != nil {
		s.seats -= len(old.states)
	}
	s.boards[b.slug] = b
	s.seats += len(b.states)
}

// makeRoom drops a quarter of the boards, and more if the new one needs it.
func (s *Shelf) makeRoom(seats int) {
	list := make([]*board, 0, len(s.boards))
	for _, b := range s.boards {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b *board) int { return int(a.asked.Load() - b.asked.Load()) })
	for i, b := range list {
		if i >= len(list)/4 && s.seats+seats <= maxSeats {
			break
		}
		delete(s.boards, b.slug)
		s.seats -= len(b.states)
	}
}

// remember keeps a wrong address for a moment, so that asking for it again and
// again asks the source once a second.
func (s *Shelf) remember(event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unknown) >= maxUnknown {
		clear(s.unknown)
	}
	s.unknown[event] = s.now().Add(unknownLife)
}

func (b *board) lifeOr(life time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mayBe(life)
}

// mayBe is how old the board's map may be: what its event says, or life. With mu held.
func (b *board) mayBe(life time.Duration) time.Duration {
	if b.life == 0 {
		return life
	}
	return min(max(b.life, Life), MaxLife)
}

// mayCatchUp is true for one reader a second of a board that was not heard of lately.
func (b *board) mayCatchUp(now time.Time) bool {
	ms := now.UnixMilli()
	tried := b.tried.Load()
	return ms-b.heard.Load() > forgotten.Milliseconds() && ms-tried >= catchUpEvery.Milliseconds() && b.tried.CompareAndSwap(tried, ms)
}

// setClock notes how far the source's clock is ahead of ours. The question was asked
// before the source looked at its clock, so "asked" errs to a later hold's end, never
// to an earlier one.
func (s *Shelf) setClock(source, asked time.Time) {
	s.clock.Lock()
	defer s.clock.Unlock()
	s.clock.ahead = source.Sub(asked)
}

// second is the whole second of the source's clock.
func (s *Shelf) second() int64 {
	s.clock.Lock()
	defer s.clock.Unlock()
	return s.now().Add(s.clock.ahead).Unix()
}
