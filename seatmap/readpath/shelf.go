package readpath

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"github.com/ropeline/ropeline/seatmap"
)

const (
	// Round is how often the source is asked for news.
	Round = 500 * time.Millisecond
	// tremble is how much earlier than a life after the one before a round may come.
	tremble = Round / 10
	// Life is how old a map may be, unless its event says otherwise.
	Life = time.Second
	// MaxLife bounds what an event may say.
	MaxLife = 5 * time.Second
	// Watched is how long after the last look an event's news are still asked for.
	Watched = 30 * time.Second

	// A board that nobody looked at is not followed. Its next reader waits a moment for
	// the news; if there are none within it, what is there is shown, and asked for again
	// a second later at the earliest.
	forgotten      = 2 * time.Second
	catchUpEvery   = time.Second
	catchUpTimeout = time.Second

	loadTimeout = 5 * time.Second
	maxLoads    = 4       // whole events read at once: a crowd on a cold process must not fill the database's connections
	maxSeats    = 8 << 20 // of all boards
	maxBoards   = 16_384
	maxUnknown  = 4096 // wrong addresses remembered
	unknownLife = time.Second
)

// ErrBusy is of a first look that found too many others in front of it.
var ErrBusy = errors.New("readpath: too many events are being read at once")

// Shelf keeps the boards. It is safe for concurrent use.
type Shelf struct {
	source Source
	log    *slog.Logger
	now    func() time.Time
	loads  *semaphore.Weighted
	group  singleflight.Group

	mu      sync.RWMutex
	boards  map[string]*board
	unknown map[string]time.Time
	seats   int

	clock struct {
		sync.Mutex
		ahead time.Duration // of the source's clock against ours
	}
	streams atomic.Int64
	ended   chan struct{} // closed: streams end
	end     sync.Once
	stats   Stats
}

// New makes an empty shelf. now is the process's clock, nil for the real one; only
// its steps matter, what time it is the source says.
func New(source Source, log *slog.Logger, now func() time.Time) *Shelf {
	if now == nil {
		now = time.Now
	}
	return &Shelf{source: source, log: log, now: now, loads: semaphore.NewWeighted(maxLoads),
		ended: make(chan struct{}), boards: map[string]*board{}, unknown: map[string]time.Time{}}
}

// Run keeps the boards up to date until ctx ends.
func (s *Shelf) Run(ctx context.Context) error {
	ticker := time.NewTicker(Round)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		err := s.Step(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.log.Warn("seat maps stand still: their source cannot be asked", "cause", err)
		}
		if err == nil && failing {
			s.log.Info("seat maps are followed again")
		}
		failing = err != nil
	}
}

// Step is one round: the news of all watched boards, and an edition of each that
// looks different.
func (s *Shelf) Step(ctx context.Context) error {
	now := s.now()
	watched := s.watched(now)
	if len(watched) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	if err := s.follow(ctx, watched); err != nil {
		return err
	}
	var failed error
	for _, b := range watched {
		failed = errors.Join(failed, b.publish(s.second(), s.now(), b.lifeOr(Life)))
	}
	return failed
}

// follow brings boards up to what has been committed.
func (s *Shelf) follow(ctx context.Context, boards []*board) error {
	known := make([]Known, len(boards))
	byID := make(map[int64]*board, len(boards))
	for i, b := range boards {
		known[i] = b.known()
		byID[known[i].ID] = b
	}
	asked := s.now()
	news, clock, err := s.source.News(ctx, known)
	s.stats.rounds.Add(1)
	if err != nil {
		s.stats.failures.Add(1)
		return fmt.Errorf("ask for the changes of %d events: %w", len(boards), err)
	}
	s.setClock(clock, asked)
	broken := map[int64]bool{}
	for _, n := range news {
		if b := byID[n.ID]; b != nil && !broken[n.ID] {
			broken[n.ID] = !b.hear(n)
		}
	}
	for id, b := range byID {
		if broken[id] {
			if err := s.reload(ctx, b); err != nil {
				return err
			}
		}
		b.heard.Store(asked.UnixMilli())
	}
	return nil
}

// reload reads a board whole, after a gap.
func (s *Shelf) reload(ctx context.Context, b *board) error {
	f, err := s.load(ctx, b.slug)
	if err != nil {
		return err
	}
	fresh := newBoard(b.slug, f)
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.V < b.v {
		return nil // a replica that lags: what we have is newer
	}
	b.id, b.life, b.geometry, b.v, b.states, b.until, b.counters, b.changed = fresh.id, fresh.life, fresh.geometry, fresh.v, fresh.states, fresh.until, fresh.counters, true
	b.old = nil // of another plan, perhaps
	return nil
}

func (s *Shelf) load(ctx context.Context, event string) (*Facts, error) {
	if err := s.loads.Acquire(ctx, 1); err != nil {
		return nil, ErrBusy
	}
	defer s.loads.Release(1)
	asked := s.now()
	s.stats.loads.Add(1)
	f, err := s.source.Load(ctx, event)
	if err != nil {
		return nil, err
	}
	s.setClock(f.Now, asked)
	return f, nil
}

// Latest gives the current edition of an event. Only the first look at an event,
// or the first after a while, waits for the source.
func (s *Shelf) Latest(ctx context.Context, event string) (*Edition, error) {
	_, e, err := s.latest(ctx, event)
	return e, err
}

func (s *Shelf) latest(ctx context.Context, event string) (*board, *Edition, error) {
	now := s.now()
	s.mu.RLock()
	b := s.boards[event]
	missing := b == nil && now.Before(s.unknown[event])
	s.mu.RUnlock()
	if missing {
		return nil, nil, ErrUnknown
	}
	if b == nil {
		return s.fetch(ctx, event)
	}
	b.asked.Store(now.UnixMilli())
	if b.mayCatchUp(now) {
		s.catchUp(ctx, b)
	}
	return b, b.current.Load(), nil
}

// fetch loads a board for the first time. Those who ask meanwhile share it, and none
// of them can cancel it for the others.
func (s *Shelf) fetch(ctx context.Context, event string) (*board, *Edition, error) {
	done := s.group.DoChan(event, func() (any, error) {
		// A load may have ended between the look above and this one.
		s.mu.RLock()
		b := s.boards[event]
		s.mu.RUnlock()
		if b != nil {
			return b, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
		defer cancel()
		f, err := s.load(ctx, event)
		if errors.Is(err, ErrUnknown) {
			s.remember(event)
		}
		if err != nil {
			return nil, err
		}
		b = newBoard(event, f)
		if err := b.publish(s.second(), s.now(), 0); err != nil {
			return nil, err
		}
		s.keep(b)
		return b, nil
	})
	select {
	case r := <-done:
		if r.Err != nil {
			return nil, nil, r.Err
		}
		b := r.Val.(*board)
		return b, b.current.Load(), nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// catchUp asks for the news of one board that was not followed, because nobody looked.
// It does not report failure: what there is, with its age, is the answer then.
func (s *Shelf) catchUp(ctx context.Context, b *board) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), catchUpTimeout)
	defer cancel()
	if err := s.follow(ctx, []*board{b}); err == nil {
		_ = b.publish(s.second(), s.now(), 0)
	}
}

// since gives the way from an earlier version to the current edition, or nil where
// that version is no longer known and a snapshot is the answer.
func (b *board) since(e *Edition, from seatmap.Version, asJSON bool) (*Body, error) {
	old := e
	if from != e.Map.Version {
		if old = b.edition(from); old == nil {
			return nil, nil
		}
	}
	body, err := e.delta(old, asJSON)
	if errors.Is(err, seatmap.ErrOtherMap) {
		return nil, nil
	}
	return body, err
}
