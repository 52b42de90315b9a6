package line

import (
	"context"
	"errors"
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
