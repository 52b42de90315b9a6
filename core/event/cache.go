package event

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// buildTimeout bounds one shared build.
const buildTimeout = 5 * time.Second

// cache answers a question once a life for everybody. Those who ask meanwhile
// share one build: a crowd that reloads costs one query a second, not one each.
//
// The build has its own context. With the context of whoever came first, one
// impatient visitor would cancel the answer of a thousand others.
type cache[V any] struct {
	life  time.Duration
	limit int // entries; a stranger chooses the keys of searches
	now   func() time.Time
	mu    sync.Mutex
	kept  map[string]entry[V]
	group singleflight.Group
}

type entry[V any] struct {
	value V
	until time.Time
}

func newCache[V any](life time.Duration, limit int, now func() time.Time) *cache[V] {
	return &cache[V]{life: life, limit: limit, now: now, kept: map[string]entry[V]{}}
}

func (c *cache[V]) get(ctx context.Context, key string, build func(context.Context) (V, error)) (V, error) {
	if v, ok := c.fresh(key); ok {
		return v, nil
	}
	done := c.group.DoChan(key, func() (any, error) {
		// A build may have ended between the look above and this one.
		if v, ok := c.fresh(key); ok {
			return v, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), buildTimeout)
		defer cancel()
		asked := c.now() // the answer is as old as the question
		v, err := build(ctx)
		if err == nil {
			c.keep(key, v, asked.Add(c.life))
		}
		return v, err
	})
	select {
	case r := <-done:
		if r.Err != nil {
			var zero V
			return zero, r.Err
		}
		return r.Val.(V), nil
	case <-ctx.Done():
		var zero V
		return zero, ctx.Err()
	}
}

func (c *cache[V]) fresh(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.kept[key]
	return e.value, ok && c.now().Before(e.until)
}

// last is an answer that may have ended, up to so long ago.
func (c *cache[V]) last(key string, ago time.Duration) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.kept[key]
	return e.value, ok && c.now().Before(e.until.Add(ago))
}

// keep stores an entry. A full cache first loses what has ended, and everything if
// that is not enough: entries live a second, so there is nothing to be clever about.
func (c *cache[V]) keep(key string, v V, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= c.limit {
		now := c.now()
		for k, e := range c.kept {
			if !now.Before(e.until) {
				delete(c.kept, k)
			}
		}
		if len(c.kept) >= c.limit {
			clear(c.kept)
		}
	}
	c.kept[key] = entry[V]{v, until}
}
