package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

func init() { caddy.RegisterModule(new(App)) }

// App owns the store, the keys and the rooms of one configuration. Handlers claim their rooms while they are
// provisioned; Start begins the loops.
type App struct {
	// Store is redis://[:password@]host:port/db, rediss://..., or "embedded" (default): a store inside this process,
	// for a single edge.
	Store string `json:"store,omitempty"`
	// Keys is the directory of signing keys, shared by all edges of a room. With the embedded store it is made at the
	// first start and defaults to a directory in Caddy's data directory.
	Keys string `json:"keys,omitempty"`
	// Data is where this edge keeps its own log, which must be this process's alone. Default: a directory in Caddy's
	// data directory.
	Data string `json:"data,omitempty"`

	ctx      caddy.Context
	events   *caddyevents.App
	log      *slog.Logger
	key      storeKey
	store    *line.Store
	embedded bool
	ring     atomic.Pointer[admission.Keyring] // nil until Start when it has to be made first
	stop     context.CancelFunc                // of the watch over the keys
	watching sync.WaitGroup

	rooms   atomic.Int32 // how many
	mu      sync.Mutex
	claims  map[string]*claim
	started bool
}

// claim is one room as this configuration wants it.
type claim struct {
	app     *App
	room    *room
	handler *Handler // one of those that stand before it
	key     roomKey
	conf    RoomConfig

	released bool
}

// CaddyModule returns the module's id.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "ropeline", New: func() caddy.Module { return new(App) }}
}

// Provision checks the configuration and takes the store. It makes no file and asks no server, because `caddy
// validate` comes here too.
func (a *App) Provision(ctx caddy.Context) error {
	a.log, a.ctx = ctx.Slogger(), ctx
	if events, err := ctx.App("events"); err == nil { // a build of Caddy without it has no subscribers
		a.events, _ = events.(*caddyevents.App)
	}
	a.claims = make(map[string]*claim)
	repl := caddy.NewReplacer()
	a.Store, a.Keys, a.Data = repl.ReplaceKnown(a.Store, ""), repl.ReplaceKnown(a.Keys, ""), repl.ReplaceKnown(a.Data, "")
	if a.Store == "" {
		a.Store = line.Embedded
	}
	base := filepath.Join(caddy.AppDataDir(), "ropeline")
	if a.Data == "" {
		a.Data = filepath.Join(base, "rooms")
	}
	a.embedded = a.Store == line.Embedded
	a.key = storeKey{a.Store, a.Data}
	store, err := acquireStore(a.key)
	if err != nil {
		return fmt.Errorf("ropeline: %w", err)
	}
	a.store = store
	if a.Keys == "" {
		if !a.embedded {
			return errors.New("ropeline: keys is missing: with a shared store, name the directory that all edges share: make it with `ropeline keys init <dir>`, then write keys <dir>")
		}
		a.Keys = filepath.Join(base, "keys")
	}
	ring, err := admission.LoadKeys(a.Keys)
	if err != nil && (!a.embedded || !errors.Is(err, admission.ErrNoKeys)) {
		return fmt.Errorf("ropeline: %w", err)
	}
	a.ring.Store(ring)
	return registerMetrics(ctx.GetMetricsRegistry())
}

// claim gives a handler its room. The same room may be named by several handlers if they agree about it.
func (a *App) claim(name string, conf RoomConfig) (*room, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.claims[name]; c != nil {
		if !reflect.DeepEqual(c.conf, conf) {
			return nil, fmt.Errorf("waiting_room %s: set up twice with different options (%s): give both blocks the same ones, or two names", name, differences(c.conf, conf))
		}
		return c.room, nil
	}
	for other, c := range a.claims {
		if c.conf.Pace.on() && conf.Pace.on() && conf.Pace.DecisionLog != "" && conf.Pace.DecisionLog != noLog && c.conf.Pace.DecisionLog == conf.Pace.DecisionLog {
			return nil, fmt.Errorf("waiting_room %s: pace: decision_log %s is that of %s too: give each room its own", name, conf.Pace.DecisionLog, other)
		}
	}
	k := roomKey{a.key, name}
	r, err := acquireRoom(k, func() (*room, error) { return newRoom(name, a.store, filepath.Join(a.Data, name), conf, a.log) })
	if err != nil {
		return nil, err
	}
	c := &claim{app: a, room: r, key: k, conf: conf}
	a.claims[name] = c
	a.rooms.Store(int32(len(a.claims)))
	if a.started { // a handler provisioned late, by another app than http
		return r, r.apply(c, a.ring.Load())
	}
	return r, nil
}

func (a *App) sorted() []*claim {
	out := make([]*claim, 0, len(a.claims))
	for _, c := range a.claims {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].key.name < out[j].key.name })
	return out
}

// Start makes the keys if this is the first start of an embedded store, and starts the rooms or tells running ones
// what has changed.
func (a *App) Start() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ring.Load() == nil {
		// Whatever of the disk may refuse the start does so before keys are made: a start that failed leaves none behind.
		for _, c := range a.sorted() {
			if c.conf.GrantLog == "" {
				continue
			}
			f, err := openGrants(c.conf.GrantLog)
			if err != nil {
				return fmt.Errorf("ropeline: %w", inRoom(c.key.name, err))
			}
			_ = f.Close()
		}
		ring, err := admission.LoadOrCreateKeys(a.Keys, time.Now())
		if err != nil {
			return fmt.Errorf("ropeline: %w", err)
		}
		a.ring.Store(ring)
	}
	for _, c := range a.sorted() {
		if err := c.room.apply(c, a.ring.Load()); err != nil {
			return fmt.Errorf("ropeline: %w", inRoom(c.key.name, err))
		}
	}
	a.started = true
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	a.watching.Go(func() { a.watchKeys(ctx) })
	return nil
}

// Stop takes this configuration back: the next one comes into force, if there is one.
func (a *App) Stop() error {
	if a.stop != nil {
		a.stop()
		a.watching.Wait()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.sorted() {
		c.room.withdraw(c)
	}
	return nil
}

// Cleanup releases what Provision and claim took, and nothing else.
func (a *App) Cleanup() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, c := range a.claims {
		if c.released {
			continue
		}
		c.room.withdraw(c)
		_, err := rooms.Delete(c.key)
		errs = append(errs, err)
		c.released = true // it is still found by requests that came before a reload and are looked at after it
	}
	if a.store != nil {
		_, err := stores.Delete(a.key)
		errs = append(errs, err)
		a.store = nil
	}
	return errors.Join(errs...)
}

var (
	_ caddy.App          = (*App)(nil)
	_ caddy.Provisioner  = (*App)(nil)
	_ caddy.CleanerUpper = (*App)(nil)
)
