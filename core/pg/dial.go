package pg

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
)

// errDialedAlready is what pgx gets when it wants to send a CancelRequest.
var errDialedAlready = errors.New("this connection is up: no second one is dialled for it")

// dialOnce lets a connection dial as often as it needs to come up (several hosts,
// TLS fallback) and never again afterwards. pgx dials a second time only to send a
// CancelRequest, which could publish a commit that its standby has not got. A
// statement nobody waits for is ended by statement_timeout instead.
func dialOnce(c *pgconn.Config) {
	var up atomic.Bool
	dial, after := c.DialFunc, c.AfterConnect
	c.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if up.Load() {
			return nil, errDialedAlready
		}
		return dial(ctx, network, addr)
	}
	c.AfterConnect = func(ctx context.Context, pc *pgconn.PgConn) error {
		up.Store(true)
		if after != nil {
			return after(ctx, pc)
		}
		return nil
	}
}
