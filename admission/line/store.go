package line

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Embedded is the URL of the store inside the process.
const Embedded = "embedded"

// Options of a store.
type Options struct {
	// URL is redis://[user:password@]host:port/db, redis+sentinel://..., redis+cluster://..., rediss for TLS (see
	// dial), or "embedded" (also when empty): miniredis in this process, for a single edge, with the edge's own log as its memory.
	URL string
	// Prefix stands before every key; tests use it to share a server. Default "ropeline:".
	Prefix string
}

// DefaultPrefix keeps the keys of the line apart from whatever else a Redis holds.
const DefaultPrefix = "ropeline:"

// Store is where rooms live. One Store serves any number of rooms.
type Store struct {
	client   redis.UniversalClient
	prefix   string
	embedded io.Closer // nil for a Redis by URL
}

// Open builds the client without talking to the server, so that a configuration can be checked while the
// server is away. The first call of a room finds out.
func Open(o Options) (*Store, error) {
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
	if strings.ContainsAny(o.Prefix, "{}") {
		return nil, fmt.Errorf("store prefix %q: leave out { and }, which mark the room in a key", o.Prefix)
	}
	if o.URL == "" || o.URL == Embedded {
		return openEmbedded(o.Prefix)
	}
	client, err := dial(o.URL)
	if err != nil {
		return nil, fmt.Errorf("store %q: %w", redact(o.URL), err)
	}
	quietClient()
	return &Store{client: client, prefix: o.Prefix}, nil
}

// quietClient stops the client from writing to standard error: what it has to say comes back as errors, and a
// store that is away would fill the host's log.
var quietClient = sync.OnceFunc(func() { redis.SetLogger(silence{}) })

type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}

// Embedded reports whether the store lives and dies with this process.
func (s *Store) Embedded() bool { return s.embedded != nil }

// Ping asks the server for a sign of life.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrStore, err)
	}
	return nil
}

// Close ends the client, and the embedded store with everything in it.
func (s *Store) Close() error {
	err := s.client.Close()
	if s.embedded != nil {
		err = errors.Join(err, s.embedded.Close())
	}
	return err
}

// redact drops what stands before the host and behind the path, which may be passwords.
func redact(url string) string {
	url, _, _ = strings.Cut(url, "?")
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = "..." + rest[at:]
	}
	return scheme + "://" + rest
}
