package caddymodule

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/lottery"
	"github.com/ropeline/ropeline/admission/pace/lead"
)

// farewell bounds how long a stopping room may send what it has collected.
const farewell = 5 * time.Second

// room is one line as this process has it, shared by all configurations that name it.
type room struct {
	name    string
	line    *line.Room
	log     *slog.Logger
	grants  grantLog
	status  statusCache
	list    drawList
	pace    speed
	leaves  speed // of those inside
	paced   *lead.Pacer
	sorter  atomic.Pointer[sorter] // of paced rooms
	ended   endedSessions
	used    usedTickets
	sent    once // nonces of kept forms that were passed on
	knocks  knockLimit
	streams streams
	joinGap atomic.Int64 // ns between two joins of one address
	audit   *auditLog
	kept    *kept
	stop    context.CancelFunc // of the schedule
	loops   sync.WaitGroup

	crawlers atomic.Pointer[networks]
	secret   atomic.Pointer[string] // for the origin; empty: none
	follow   context.CancelFunc     // of the crawlers' lists

	ring    atomic.Pointer[admission.Keyring]
	checker atomic.Pointer[admission.Checker]
	conf    atomic.Pointer[RoomConfig]

	told    seenState           // by the schedule's goroutine alone
	clock   clockWatch          // likewise
	app     atomic.Pointer[App] // of the configuration in force
	dir     string
	mu      sync.Mutex
	running atomic.Bool
	wanted  []*claim // running configurations, the oldest first, which is the one in force
}

func newRoom(name string, store *line.Store, dir string, conf RoomConfig, log *slog.Logger) (*room, error) {
	settings, err := conf.settings()
	if err != nil {
		return nil, err
	}
	r := &room{name: name, dir: dir, log: log.With("room", name), audit: newAuditLog(filepath.Dir(dir))}
	r.paced = lead.New(r.log)
	if r.kept, err = loadKept(dir); err != nil {
		return nil, err
	}
	r.conf.Store(&conf)
	r.secret.Store(new(string))
	r.line, err = store.Room(line.Config{
		Name: name, Settings: settings, Dir: dir, Logger: log, Events: r.events, Ended: r.over, Pacer: r.paced,
		Lottery: line.Lottery{
			Secret: r.drawSecret, Root: lottery.Root, Seed: lottery.Seed,
			Place: func(seed [32]byte, n int64) func(int64) int64 { return lottery.NewPerm(seed, n).Place },
		},
	})
	return r, err
}

// drawSecret is called only after apply has set the ring.
func (r *room) drawSecret(room string, epoch int64, opensAt time.Time) [32]byte {
	k, err := r.ring.Load().DrawKey(time.Now())
	if err != nil {
		// A recalled draw key: no draw may be derived from it, and there is nothing else to derive one from.
		r.log.Error("the draw has no key; add a draw key to the keys directory and reload", "error", err)
		return [32]byte{}
	}
	return lottery.Secret(k.Secret(), room, epoch, opensAt)
}

// apply starts the room by its first configuration. A later one waits until the one before has stopped (withdraw): Caddy
// starts a new configuration beside the old one, and if another app of it fails, nothing may have changed: neither the
// settings of the file before nor what an operator has set by hand since.
func (r *room) apply(c *claim, ring *admission.Keyring) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = append(r.wanted, c)
	if len(r.wanted) > 1 {
		return tryGrantLog(c.conf.GrantLog)
	}
	if err := r.use(c, ring); err != nil {
		return err
	}
	if r.running.Load() || !logs.take(r.dir, r) {
		return nil // in the second case it starts when the room that has the log ends
	}
	if err := r.start(); err != nil {
		logs.release(r.dir, r)
		return err
	}
	return nil
}

// start begins the room's loops.
func (r *room) start() error {
	if path := r.conf.Load().GrantLog; path != "" {
		seq, err := lastGrant(path, r.name)
		if err != nil {
			return err
		}
		r.line.Kept(seq)
	}
	if err := r.line.Start(context.Background()); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.loops.Go(func() { r.schedule(ctx) })
	r.running.Store(true)
	return nil
}

func (r *room) use(c *claim, ring *admission.Keyring) error {
	if err := r.grants.open(c.conf.GrantLog); err != nil {
		return err
	}
	secret, err := originSecret(c.conf.OriginSecret)
	if err != nil {
		return err
	}
	nets, err := crawlersNow(c.conf.Crawlers)
	if err != nil {
		return err
	}
	r.useKeys(ring)
	gap, err := joinGap(c.conf.JoinLimit)
	if err != nil {
		return err
	}
	r.joinGap.Store(int64(gap))
	if err := r.usePace(c.conf); err != nil {
		return err
	}
	r.secret.Store(&secret)
	r.useCrawlers(c.conf.Crawlers, nets)
	conf := c.conf
	before := r.conf.Swap(&conf)
	r.app.Store(c.app)
	r.status.forget()
	if !r.running.Load() {
		return nil
	}
	settings, err := conf.settings()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if err := r.line.Configure(ctx, settings); err != nil {
		// The store being away must not make a reload fail: the room keeps its settings and goes on trying.
		r.log.Warn("the room's new settings are not in force yet", "error", err)
	}
	r.noteReload(*before, conf)
	return nil
}

// useCrawlers begins to follow the lists that the configuration names.
func (r *room) useCrawlers(option string, nets networks) {
	if r.follow != nil {
		if _, _, urls, _ := crawlerSources(option); r.conf.Load().Crawlers == option && len(urls) > 0 {
			return // the lists are here already
		}
		r.follow()
	}
	r.crawlers.Store(&nets)
	ctx, stop := context.WithCancel(context.Background())
	r.follow = stop
	r.loops.Go(func() { r.followCrawlers(ctx, option, listClient) })
}

// useKeys changes the keys. Passes are checked anew with them, those of a recalled key are refused from here on.
func (r *room) useKeys(ring *admission.Keyring) {
	if r.ring.Swap(ring) != ring {
		r.checker.Store(admission.NewChecker(ring, r.name))
	}
}

// noteReload writes down what a configuration file changed.
func (r *room) noteReload(before, after RoomConfig) {
	b, a := before.said(), after.said()
	for _, what := range slices.Sorted(maps.Keys(a)) {
		if b[what] != a[what] {
			r.note("configuration file", what, b[what], a[what], "", time.Time{})
		}
	}
}

// message is what those who wait are told: the operator's word, or the file's.
func (r *room) message() string {
	if s := r.line.Snapshot(); known(s) {
		return s.Settings.Message
	}
	return r.conf.Load().Message
}

// withdraw takes a configuration back. If it was the one in force, the next holds; one that never was leaves no trace.
func (r *room) withdraw(c *claim) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, have := range r.wanted {
		if have != c {
			continue
		}
		r.wanted = append(r.wanted[:i], r.wanted[i+1:]...)
		if i == 0 && len(r.wanted) > 0 {
			next := r.wanted[0]
			r.streams.retire(c.app, c.conf.spread())
			if err := r.use(next, next.app.ring.Load()); err != nil {
				r.log.Error("the reloaded configuration is not in force", "error", err)
			}
		}
		return
	}
}

// Destruct ends the loops when the last configuration is gone.
func (r *room) Destruct() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	if r.running.Load() {
		ctx, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		r.stop()
		r.follow()
		r.loops.Wait()
		err = r.line.Stop(ctx)
		r.running.Store(false)
	}
	r.paced.Close()
	r.grants.close()
	if conf := r.conf.Load(); conf != nil { // a reload with another store or without this room: nobody is left who would end them
		r.streams.retire(r.app.Load(), conf.spread())
	}
	if next := logs.release(r.dir, r); next != nil {
		next.takeOver()
	}
	return err
}

// now is the store's clock, by which tokens are dated, as far as this edge knows it.
func (r *room) now() time.Time { return r.line.StoreTime(time.Now()) }

// ready says whether keys are there and it is known whose passes work no more; a request can arrive before the app has
// started.
func (r *room) ready() bool { return r.ring.Load() != nil && r.ended.learned.Load() }
