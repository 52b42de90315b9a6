package booking

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

const (
	lockTries = 6                     // of a transaction that met a busy lock
	lockPause = 20 * time.Millisecond // first pause; doubles, +-50 %
)

// patiently is InTx for orders and money. A hold that meets a busy lock may say so,
// there are other seats; who has places and pays for them has nowhere else to go,
// and evidence from a provider must not wait for its next delivery. Giving up the
// locks in between lets the batch that is in the way pass.
func (e *Engine) patiently(ctx context.Context, fn func(ctx context.Context, tx pgx.Tx) error) error {
	pause := lockPause
	for try := 1; ; try++ {
		err := e.db.InTx(ctx, fn)
		if try == lockTries || !errors.Is(err, problem.Busy) || !pg.IsLockTimeout(err) {
			return err
		}
		e.metrics.reruns.WithLabelValues("lock").Inc()
		t := time.NewTimer(pause/2 + rand.N(pause))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return err
		}
		pause *= 2
	}
}
