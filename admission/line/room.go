package line

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Config of one room as one edge sees it.
type Config struct {
	Name     string   // the room; the same at every edge
	Settings Settings // of the file

	// Dir is where this edge keeps its own log of what tickets cannot say. It is created if missing and must
	// be this edge's and this room's alone. Empty: no log, so nothing survives the loss of the store; for tests.
	Dir string
	// Edge names this edge among others at the same store. Empty: the name kept in Dir, or a random one.
	Edge string

	Lottery Lottery
	// Events receives what happened in the store's order, each event once, from one goroutine at a time,
	// before the visitors it concerns get their answers. It must not call the room. Nil: nothing is logged.
	Events func([]Event)
	// Ended receives visitors whose sessions of this term (or an earlier one) are over although their passes have not
	// expired, by whatever edge and however this one learns it; perhaps more than once. The first call comes from Start
	// when the log has been read, also if there are none. It may come from any goroutine and must not call the room.
	Ended func(term int64, vids []string)
	// Pacer decides the rate while this edge leads. Nil: the settings' rate holds.
	Pacer  Pacer
	Logger *slog.Logger // default: slog.Default
}

// Room is one edge's view of a room and its hand in it. All methods can be called from any goroutine.
type Room struct {
	cfg   Config
	store *Store
	edge  string
	keys  []string
	log   *edgeLog

	view  atomic.Pointer[view]
	snap  atomic.Pointer[pictured]
	viewM sync.Mutex // orders writes of view

	events struct {
		sync.Mutex
		acked int64
	}
	repair  sync.Mutex // one report at a time
	life    life
	seen    seen
	process string       // of this run, to tell its reports from an earlier one's
	tiny    int64        // a test's ceiling, so that few people reach it; 0: firstCeiling
	clock   func() int64 // a test's clock, unix microseconds; nil: the store's

	file    atomic.Pointer[Settings] // as the file last said them
	arrived atomic.Bool              // they are in the store; false again when the room had to be made anew

	joins    *batcher[joinAsk, Joined]
	knocks   *batcher[knockAsk, Answer]
	throughs *batcher[string, Answer]
	returns  *batcher[Visitor, struct{}]
	told     told // tickets this store already knows

	gather  gather // touches, heartbeats and confirmations that wait for the next flush
	mover   mover
	led     ledBy // by the tick's goroutine alone
	drawn   atomic.Pointer[drawn]
	roster  atomic.Pointer[[]Edge]
	raise   sync.Mutex
	contact atomic.Pointer[time.Time] // when the last tick that succeeded was sent; with its monotonic reading, so that a step of the edge's clock is no silence
	stopped context.CancelFunc
	ended   atomic.Bool
	loops   sync.WaitGroup
}

// view is the last header heard, and when by the edge's own clock.
type view struct {
	header
	heard time.Time
}

var errStarted = errors.New("line: the room was started twice")

// maxName is of a room, an edge and a visitor's id alike.
const maxName = 64

// named says whether s is 1 to 64 letters, digits, - and _. Every request asks, so it is no regular expression.
func named(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// Room prepares a room without any I/O.
func (s *Store) Room(cfg Config) (*Room, error) { return s.room(cfg, queueLimit) }

func (s *Store) room(cfg Config, queue int) (*Room, error) {
	if !named(cfg.Name) {
		return nil, fmt.Errorf("room name %q: use 1 to 64 letters, digits, - and _", cfg.Name)
	}
	cfg.Settings = cfg.Settings.WithDefaults()
	if err := cfg.Settings.Validate(); err != nil {
		return nil, fmt.Errorf("room %s: %w", cfg.Name, err)
	}
	if cfg.Edge != "" && !named(cfg.Edge) {
		return nil, fmt.Errorf("edge name %q: use 1 to 64 letters, digits, - and _", cfg.Edge)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	l := cfg.Lottery
	if l.Secret == nil || l.Root == nil || l.Seed == nil || l.Place == nil {
		return nil, fmt.Errorf("room %s: the lottery's functions are missing", cfg.Name)
	}
	r := &Room{cfg: cfg, store: s}
	r.process = randomHex(4)
	r.view.Store(&view{})
	r.file.Store(&cfg.Settings)
	r.joins = newBatcher(queue, batchMax, joinWait, r.runJoins)
	r.knocks = newBatcher(queue, batchMax, knockWait, r.runKnocks)
	r.throughs = newBatcher(queue, batchMax, joinWait, r.runThroughs)
	r.returns = newBatcher(queue, batchMax, returnWait, r.runReturns)
	return r, nil
}

// Limits of batches.
const (
	batchMax   = 256
	joinWait   = 2 * time.Millisecond
	knockWait  = 20 * time.Millisecond // at most 50: an entry is two of these
	returnWait = 100 * time.Millisecond
)

// Kept says, before Start, the Seq of the last event that the host has kept: events up to it are not given again, so that a
// crash between keeping and acknowledging repeats none. A host that keeps none gets those of after the last tick.
func (r *Room) Kept(seq int64) {
	r.events.Lock()
	defer r.events.Unlock()
	r.events.acked = max(r.events.acked, seq)
}

// Start opens the edge's log, reports what it knows to the store, which makes the room if nobody knows it, and starts the
// loops. It waits for nobody. A room that is made from nothing at a shared store comes into being two seconds later, in case
// another edge remembers it: until then nothing is known of it (Snapshot is merging, without an epoch) and joins give
// ErrMerging. While the store is away Start returns nil and keeps trying: the Snapshot is stale, joins give ErrStore.
func (r *Room) Start(ctx context.Context) error {
	if r.stopped != nil {
		return errStarted
	}
	log, err := openLog(r.cfg.Dir)
	if err != nil {
		return fmt.Errorf("room %s: %w", r.cfg.Name, err)
	}
	r.log = log
	r.overAtStart()
	if r.ackedSeq() == 0 {
		r.log.view(func(c *checkpoint) { r.Kept(c.Seq) })
	}
	r.nameEdge()
	r.keys = roomKeys(r.store.prefix, r.cfg.Name, r.edge)
	r.mover.reset()
	if err := r.arrive(ctx); err != nil {
		switch {
		case errors.Is(err, ErrRetry):
		case errors.Is(err, ErrStore):
			r.cfg.Logger.Warn("the room starts without its store and keeps trying", "room", r.cfg.Name, "error", err)
		default:
			return errors.Join(err, log.close())
		}
	}
	loops, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stopped = stop
	for _, loop := range []func(context.Context){r.joins.loop, r.knocks.loop, r.throughs.loop, r.returns.loop, r.tickLoop} {
		r.loops.Go(func() { loop(loops) })
	}
	return nil
}

// nameEdge finds the edge's name: given, as last time, or new.
func (r *Room) nameEdge() {
	r.edge = r.cfg.Edge
	last := ""
	r.log.view(func(c *checkpoint) { last = c.Edge })
	if r.edge == "" {
		r.edge = last
	}
	if r.edge == "" {
		r.edge = randomHex(6)
	}
	if r.edge != last {
		r.log.append(record{Kind: kindEdge, Text: r.edge})
	}
}

// Stop ends the loops, sends what was collected, and closes the log. ctx bounds the farewell.
func (r *Room) Stop(ctx context.Context) error {
	if r.stopped == nil || r.ended.Swap(true) {
		return nil
	}
	r.stopped()
	r.loops.Wait()
	r.flush(ctx)
	// The last calls say farewell, so that the others need not wait for this edge, and acknowledge the last events, so that
	// the next process does not get them again.
	_, _ = r.call(ctx, scriptTick, "", 0, 0, 0, r.acked(r.view.Load().header), "1")
	if rep, err := r.call(ctx, scriptStatus); err == nil && r.store.Embedded() {
		r.note(rep.header)
		r.log.append(record{Kind: kindClean}) // nobody else gives indexes or grants: what is known now is exact
	}
	return r.log.close()
}

const (
	birthLimit = 4 * time.Second
	birthLook  = 20 * time.Millisecond
)

// awaitBirth lets an operator's word wait until the room is there to be told.
func (r *Room) awaitBirth(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, birthLimit)
	defer cancel()
	look := time.NewTicker(birthLook)
	defer look.Stop()
	for v := r.view.Load(); v.exists && v.merging == mergingBirth; v = r.view.Load() {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// now is the edge's own clock.
func (r *Room) now() time.Time {
	if r.clock != nil {
		return time.UnixMicro(r.clock())
	}
	return time.Now()
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
