package line

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// ticks counts an edge's ticks; the second waits for Start, so that Start cannot wait for it.
type ticks struct {
	began   atomic.Int64
	started chan struct{}
}

func (k *ticks) DialHook(next redis.DialHook) redis.DialHook { return next }
func (k *ticks) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (k *ticks) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "evalsha" && cmd.Args()[1] == scriptTick.full.Hash() && k.began.Add(1) == 2 {
			select {
			case <-k.started:
			case <-ctx.Done():
			}
		}
		return next(ctx, cmd)
	}
}

// Start returns while the room is being made, so that an edge listens at once. Until the room is there nothing is said of it
// that another edge's memory could prove wrong, joins come again, and an operator's word waits.
func TestStartDoesNotAwaitTheRoom(t *testing.T) {
	s := openStore(t, "redis")
	k := &ticks{started: make(chan struct{})}
	s.client.AddHook(k)
	r, err := s.Room(Config{Name: "hall", Lottery: testLottery, Settings: Settings{Rate: Rate{5, time.Second}, Cap: 9}})
	if err != nil {
		t.Fatal(err)
	}
	var clock atomic.Int64 // stands still until the test lets it go: the room cannot come into being before
	clock.Store(time.Now().UnixMicro())
	r.clock = clock.Load
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop(context.Background()) })
	if n := k.began.Load(); n > 1 {
		t.Errorf("Start returned after %d ticks: it waited for the room", n)
	}
	if snap := r.Snapshot(); snap.State != StateMerging || snap.Epoch != 0 || snap.Stale || snap.Settings.Cap != 9 {
		t.Errorf("before the room is there: %+v", snap)
	}
	if _, err := r.Join(t.Context(), "early", ""); !errors.Is(err, ErrMerging) {
		t.Errorf("a join before the room is there: %v", err)
	}
	close(k.started)
	told := make(chan error, 1)
	go func() { told <- r.Change(t.Context(), Change{Action: ActionPause}) }()
	clock.Add(2 * second)
	if err := <-told; err != nil {
		t.Fatalf("an operator's word in the first moment: %v", err)
	}
	if snap := r.Snapshot(); snap.State != string(StatePaused) || snap.Epoch == 0 || snap.Settings.Cap != 9 {
		t.Fatalf("the room that was made: %+v", snap)
	}
}

// refusals tells of the first call that is refused because its edge does not count yet.
type refusals struct {
	once  sync.Once
	first chan struct{}
}

func (k *refusals) DialHook(next redis.DialHook) redis.DialHook { return next }
func (k *refusals) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (k *refusals) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if c, ok := cmd.(*redis.Cmd); ok && err == nil {
			if rep, ok := c.Val().([]any); ok && len(rep) > 0 && rep[0] == statusPend {
				k.once.Do(func() { close(k.first) })
			}
		}
		return err
	}
}

// A room of two edges has just come into being by the tick of one, and the other has yet to put the list of them on its disk:
// whoever comes now gets a place, with or without an account, at either edge, and the tick is no failure. The store's clock may
// have jumped meanwhile. The same at an edge that is new to an old room.
func TestJoinAwaitsThatAnEdgeIsKnown(t *testing.T) {
	for name, jump := range map[string]int64{"steady": 0, "back": -3600 * second, "forward": 3600 * second} {
		t.Run(name, func(t *testing.T) {
			b := &bench{t: t, s: openStore(t, "redis"), clock: time.Now().UnixMicro()}
			one, two := b.room(Config{Edge: "one"}), b.room(Config{Edge: "two"})
			for _, r := range []*Room{one, two} {
				if err := ignoreMerging(r.arrive(t.Context())); err != nil {
					t.Fatal(err)
				}
			}
			for s := one.Snapshot(); s.State == StateMerging; s = one.Snapshot() {
				b.clock += second
				if err := one.step(t.Context(), time.Now(), &rhythm{}); err != nil {
					t.Fatalf("the tick that makes the room: %v", err)
				}
			}
			b.clock += jump
			b.awaits(one, "anna", "", two)
			three := b.room(Config{Edge: "three"})
			if err := ignoreMerging(three.arrive(t.Context())); err != nil {
				t.Fatal(err)
			}
			b.awaits(three, "bert", "an account", one, two)
		})
	}
}

// awaits joins at an edge that does not count yet; it counts when the others have ticked.
func (b *bench) awaits(at *Room, vid, account string, others ...*Room) {
	b.t.Helper()
	k := &refusals{first: make(chan struct{})}
	b.s.client.AddHook(k)
	ctx, stop := context.WithCancel(b.t.Context())
	var loop sync.WaitGroup
	at.joins = newBatcher(queueLimit, batchMax, joinWait, at.runJoins)
	loop.Go(func() { at.joins.loop(ctx) })
	defer func() { stop(); loop.Wait() }()
	joined := make(chan error, 1)
	go func() {
		j, err := at.Join(b.t.Context(), vid, account)
		if err == nil && (j.ID != vid || j.Index < 0) {
			err = fmt.Errorf("joined as %+v", j)
		}
		joined <- err
	}()
	select {
	case <-k.first:
	case err := <-joined:
		b.t.Fatalf("%s joined before the edge counts: %v", vid, err)
	}
	for _, r := range append([]*Room{at}, others...) {
		if err := r.step(b.t.Context(), time.Now(), &rhythm{}); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := <-joined; err != nil {
		b.t.Fatalf("%s: %v", vid, err)
	}
}
