package line

import (
	"context"
	"net"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// storeTimeout bounds one call to the store. A script takes well under a millisecond; a server that needs
// longer than this is away, and away means that nobody new is let in.
const storeTimeout = 2 * time.Second

type embeddedServer struct{ *miniredis.Miniredis }

// Close stops the server. It never fails; the error is for io.Closer.
func (e embeddedServer) Close() error {
	e.Miniredis.Close()
	return nil
}

// openEmbedded starts miniredis without any listener: the client talks to it over pipes in memory, so there is
// no port that somebody else on the machine could use. Its TTLs never run and its ranges sort the whole set
// each time; the scripts are written for that (no lease rests on a TTL, none ranges over `line`).
func openEmbedded(prefix string) (*Store, error) {
	m := miniredis.NewMiniRedis()
	client := redis.NewClient(&redis.Options{
		Addr:        "embedded",
		Dialer:      func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
		ReadTimeout: storeTimeout, WriteTimeout: storeTimeout,
	})
	return &Store{client: client, prefix: prefix, embedded: embeddedServer{m}}, nil
}
