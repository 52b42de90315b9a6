package line

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// The explorer drives the real scripts, rooms and logs through losses, crashes, partitions and repeated calls that a seed
// chooses, with a clock of its own, and checks after every step what DESIGN promises.

var errCut = errors.New("cut off")

// wire is an edge's connection: the explorer cuts it, loses replies, and keeps calls to let them arrive again later.
type wire struct {
	cut      bool
	loseNext bool   // the script runs, its reply does not arrive
	cutAfter string // the hash of a script: the wire is cut as soon as it has run
	late     [][]any
}

func (w *wire) DialHook(next redis.DialHook) redis.DialHook { return next }

func (w *wire) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if w.cut {
			cmd.SetErr(errCut)
			return errCut
		}
		err := next(ctx, cmd)
		if name := cmd.Name(); name == "evalsha" && err == nil {
			w.late = append(w.late, slices.Clone(cmd.Args()))
			if len(w.late) > 30 {
				w.late = w.late[1:]
			}
			if w.cutAfter == cmd.Args()[1] {
				w.cut = true
			}
			if w.loseNext {
				w.loseNext = false
				cmd.SetErr(errCut)
				return errCut
			}
		}
		return err
	}
}

func (w *wire) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if w.cut {
			for _, c := range cmds {
				c.SetErr(errCut)
			}
			return errCut
		}
		return next(ctx, cmds)
	}
}

// rig is what one worker keeps over many seeds: a server and a connection per edge.
type rig struct {
	raw    *Store
	wires  []*wire
	stores []*Store
}

func newRig(open func() (*Store, error), edges int) (*rig, error) {
	raw, err := open()
	if err != nil {
		return nil, err
	}
	g := &rig{raw: raw}
	for range edges {
		s, err := open()
		if err != nil {
			return nil, err
		}
		w := &wire{}
		s.client.AddHook(w)
		g.wires, g.stores = append(g.wires, w), append(g.stores, s)
	}
	return g, nil
}

func (g *rig) close() {
	for _, s := range append(g.stores, g.raw) {
		_ = s.client.Close()
	}
}

type actor struct {
	r     *Room
	rh    rhythm
	last  int64 // seq of the last event its host has kept
	store *Store
	wire  *wire
}

type person struct {
	vid    string
	signed string // the account, if any
	epoch  int64
	index  int64 // -1: none acknowledged
	grant  string
	passes []passSeen
	left   map[int64]bool // by term: the session was ended by leaving
}

type passSeen struct {
	epoch, term, index, place, entry int64
	until                            int64 // by the explorer's clock
}

type session struct{ epoch, term, index int64 }

type world struct {
	ctx    context.Context
	rng    *rand.Rand
	g      *rig
	clock  int64
	name   string
	cfg    Config
	edges  []*actor
	people []*person
	trace  []string

	given     map[[2]int64]string // (epoch, index) -> who
	places    map[[2]int64]int64  // by (epoch, index)
	entered   map[session]int64   // the grant by which a place was entered
	freed     map[session]bool    // (epoch, term begun by a recall, index)
	over      map[session]bool    // ended by leaving, and answered
	doneTerm  map[int64]int64     // by epoch: the term of the last recall that was answered
	doneEpoch int64
	lastX     map[string]int64 // by epoch and gen
	saved     map[string]string
	savedAt   int64
	losses    int
	steps     int
	runs      int
	broken    string // the first broken promise
}

const exploreCap = 3

func newWorld(ctx context.Context, g *rig, seed uint64, edges int) *world {
	w := &world{ctx: ctx, rng: rand.New(rand.NewPCG(seed, 7)), g: g, clock: time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC).UnixMicro(),
		name:  fmt.Sprintf("x%d-%d", seed, prefixes.Add(1)),
		given: map[[2]int64]string{}, places: map[[2]int64]int64{}, entered: map[session]int64{}, freed: map[session]bool{}, over: map[session]bool{}, lastX: map[string]int64{}, doneTerm: map[int64]int64{}}
	w.cfg = Config{Name: w.name, Lottery: testLottery, Logger: slog.New(slog.DiscardHandler),
		Settings: Settings{Rate: Rate{4, time.Second}, Cap: exploreCap, Idle: 60 * time.Second, Hard: 150 * time.Second}}
	if w.rng.IntN(2) == 0 {
		w.cfg.Settings.State = StatePrequeue
	}
	for i := range edges {
		a := &actor{store: g.stores[i], wire: g.wires[i]}
		*a.wire = wire{}
		w.edges = append(w.edges, a)
		w.boot(a, nil)
	}
	for range 11 {
		w.another()
	}
	return w
}

func (w *world) another() *person {
	p := &person{vid: vid(int64(len(w.people))), index: -1, left: map[int64]bool{}}
	if len(w.people)%2 == 0 {
		p.signed = "account of " + p.vid
	}
	w.people = append(w.people, p)
	return p
}

// boot starts an edge's process with what is on its disk.
func (w *world) boot(a *actor, disk *checkpoint) {
	cfg := w.cfg
	cfg.Events = func(events []Event) {
		for _, e := range events {
			if e.Seq <= a.last {
				w.fail("event %d came to its host again", e.Seq)
			}
			a.last = e.Seq
			if e.Kind == EventGrant && *e.Live > *e.Cap {
				w.fail("a grant brings %d live, the cap is %d", *e.Live, *e.Cap)
			}
		}
	}
	if disk != nil {
		cfg.Edge = disk.Edge
	} else {
		cfg.Edge = fmt.Sprintf("e%d", slices.Index(w.edges, a))
	}
	r, err := a.store.room(cfg, 1)
	if err != nil {
		panic(err)
	}
	r.Kept(a.last)
	r.log, _ = openLog("")
	if disk != nil {
		for _, rec := range disk.records() { // through the form it has on disk
			b, _ := json.Marshal(rec)
			var again record
			if err := json.Unmarshal(b, &again); err != nil {
				panic(err)
			}
			r.log.append(again)
		}
	}
	r.nameEdge()
	r.keys = roomKeys(a.store.prefix, w.name, r.edge)
	r.tiny = 1
	r.clock = func() int64 { return w.clock }
	a.r, a.rh = r, rhythm{}
}

func (w *world) crash(a *actor) {
	var disk *checkpoint
	a.r.log.view(func(c *checkpoint) { disk = c })
	_ = a.r.log.close()
	a.wire.loseNext = false
	w.boot(a, disk)
}

func (w *world) fail(format string, args ...any) {
	if w.broken == "" {
		w.broken = fmt.Sprintf(format, args...)
	}
}

func (w *world) note(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf("%6.1fs ", float64(w.clock-1796068800000000)/1e6)+fmt.Sprintf(format, args...))
}

func (w *world) room() map[string]string {
	h, err := w.g.raw.client.HGetAll(w.ctx, w.edges[0].r.key("room")).Result()
	if err != nil {
		w.fail("read the room: %v", err)
	}
	return h
}

func (w *world) roomKeyNames() []string {
	keys, err := w.g.raw.client.Keys(w.ctx, w.g.raw.prefix+"{"+w.name+"}:*").Result()
	if err != nil {
		w.fail("keys: %v", err)
	}
	return keys
}

// lose empties the store.
func (w *world) lose() {
	if keys := w.roomKeyNames(); len(keys) > 0 {
		w.g.raw.client.Del(w.ctx, keys...)
	}
	w.losses++
}

// save keeps a copy that rewind goes back to: what a failover or a cut file brings.
func (w *world) save() {
	w.saved, w.savedAt = map[string]string{}, w.clock
	for _, k := range w.roomKeyNames() {
		w.saved[k], _ = w.g.raw.client.Dump(w.ctx, k).Result()
	}
}

func (w *world) rewind() {
	w.lose()
	p := w.g.raw.client.Pipeline()
	for k, v := range w.saved {
		p.Restore(w.ctx, k, 0, v)
	}
	if len(w.saved) > 0 {
		w.runs++
		p.HSet(w.ctx, w.edges[0].r.key("room"), "run", fmt.Sprintf("other%d", w.runs))
	}
	if _, err := p.Exec(w.ctx); err != nil {
		w.fail("restore: %v", err)
	}
}
