package caddymodule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/admission/line"
)

// Stores and rooms outlive a reload: a new configuration that names the same store and room finds the same line, with
// everybody in it. They are keyed by exactly what defines them, and go when the last configuration that names them does.
var (
	stores = caddy.NewUsagePool()
	rooms  = caddy.NewUsagePool()
)

// storeKey is what makes two store definitions the same store.
type storeKey struct{ url, data string }

// roomKey is what makes two room definitions the same room. Rate, cap, texts and all else may change under it.
type roomKey struct {
	store storeKey
	name  string
}

type pooledStore struct{ *line.Store }

// Destruct closes the client, and the embedded store with it.
func (s pooledStore) Destruct() error { return s.Close() }

func acquireStore(k storeKey) (*line.Store, error) {
	v, _, err := stores.LoadOrNew(k, func() (caddy.Destructor, error) {
		s, err := line.Open(line.Options{URL: k.url})
		if err != nil {
			return nil, err
		}
		return pooledStore{s}, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(pooledStore).Store, nil
}

// inRoom names the room of an error that does not name it yet: the line's own errors do.
func inRoom(name string, err error) error {
	if prefix := "room " + name + ": "; err != nil && !strings.HasPrefix(err.Error(), prefix) {
		return fmt.Errorf("%s%w", prefix, err)
	}
	return err
}

func acquireRoom(k roomKey, build func() (*room, error)) (*room, error) {
	v, _, err := rooms.LoadOrNew(k, func() (caddy.Destructor, error) {
		r, err := build()
		if err != nil {
			return nil, inRoom(k.name, err)
		}
		return r, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*room), nil
}

func order(r *room) int {
	if r.running.Load() {
		return 0
	}
	return 1
}

// liveRooms lists the rooms of the running configuration for the admin API and the metrics, which both look at the
// moment of the call: their routers and collectors may be older than the rooms.
func liveRooms() []*room {
	var mu sync.Mutex
	var out []*room
	rooms.Range(func(_, v any) bool {
		if r, ok := v.(*room); ok {
			mu.Lock()
			out = append(out, r)
			mu.Unlock()
		}
		return true
	})
	// While the store is being changed there are two rooms of one name: the one that runs comes first.
	slices.SortStableFunc(out, func(a, b *room) int { return cmp.Compare(order(a), order(b)) })
	return out
}
