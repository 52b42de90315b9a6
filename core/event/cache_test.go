package event

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestCrowdSharesOneBuild(t *testing.T) {
	c := newCache[int](time.Second, 4, time.Now)
	var builds atomic.Int32
	release := make(chan struct{})
	build := func(context.Context) (int, error) {
		<-release
		return int(builds.Add(1)), nil
	}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if v, err := c.get(t.Context(), "k", build); v != 1 || err != nil {
				t.Errorf("got %d, %v; want the first build", v, err)
			}
		})
	}
	close(release)
	wg.Wait()
	if n := builds.Load(); n != 1 {
		t.Errorf("%d builds for a hundred questions, want 1", n)
	}
}

func TestAnswerEndsWithItsLife(t *testing.T) {
	now := time.Unix(1, 0)
	c := newCache[int](time.Second, 4, func() time.Time { return now })
	n := 0
	ask := func() int {
		v, _ := c.get(t.Context(), "k", func(context.Context) (int, error) { n++; return n, nil })
		return v
	}
	ask()
	now = now.Add(999 * time.Millisecond)
	if v := ask(); v != 1 {
		t.Errorf("build %d before the life ended, want 1", v)
	}
	now = now.Add(time.Millisecond)
	if v := ask(); v != 2 {
		t.Errorf("build %d after the life ended, want 2", v)
	}
}

func TestFailureIsNotKept(t *testing.T) {
	c := newCache[int](time.Hour, 4, time.Now)
	broken := errors.New("broken")
	if _, err := c.get(t.Context(), "k", func(context.Context) (int, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the build's error", err)
	}
	if v, err := c.get(t.Context(), "k", func(context.Context) (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Errorf("got %d, %v after the failure, want a new build", v, err)
	}
}

// One who leaves takes nothing from the others.
func TestWhoLeavesDoesNotCancelTheBuild(t *testing.T) {
	c := newCache[int](time.Hour, 4, time.Now)
	impatient, leave := context.WithCancel(t.Context())
	started, release, left := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := c.get(impatient, "k", func(ctx context.Context) (int, error) {
			close(started)
			<-release
			return 7, ctx.Err()
		})
		left <- err
	}()
	<-started
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who left got %v", err)
	}
	close(release)
	v, err := c.get(t.Context(), "k", func(context.Context) (int, error) { return 7, nil })
	if v != 7 || err != nil {
		t.Errorf("the next got %d, %v", v, err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache[int](time.Hour, 4, time.Now)
	for i := range 100 {
		_, _ = c.get(t.Context(), fmt.Sprint(i), func(context.Context) (int, error) { return i, nil })
		if len(c.kept) > 4 {
			t.Fatalf("%d entries kept, limit 4", len(c.kept))
		}
	}
}
