package booking

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
)

// maxBoxed is how many webhooks one transaction stores.
const maxBoxed = 256

// letterbox stores webhooks as they come, many with one COMMIT: a provider that has
// something to tell of a whole sale must not wait for a disk once for each.
type letterbox struct {
	e     *Engine
	mu    sync.Mutex
	queue []*delivery
	busy  bool
}

// delivery is a webhook that is answered when it is on disk.
type delivery struct {
	provider, id string
	body         []byte
	done         chan struct{}
	err          error
}

// put stores a webhook; nil means that it is on disk.
func (b *letterbox) put(d *delivery) error {
	d.done = make(chan struct{})
	b.mu.Lock()
	b.queue = append(b.queue, d)
	if !b.busy {
		b.busy = true
		go b.run()
	}
	b.mu.Unlock()
	<-d.done
	return d.err
}

func (b *letterbox) run() {
	for {
		b.mu.Lock()
		n := min(len(b.queue), maxBoxed)
		batch := b.queue[:n:n]
		if b.queue = b.queue[n:]; n == 0 {
			b.busy, b.queue = false, nil
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		err := b.store(batch)
		for _, d := range batch {
			d.err = err
			close(d.done)
		}
		b.e.kick(&b.e.kicks.inbox)
	}
}

// store writes a batch. A webhook that comes twice in it is one row.
func (b *letterbox) store(batch []*delivery) error {
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	var providers, ids []string
	var bodies [][]byte
	seen := make(map[[2]string]bool, len(batch))
	for _, d := range batch {
		if k := [2]string{d.provider, d.id}; !seen[k] {
			seen[k] = true
			providers, ids, bodies = append(providers, d.provider), append(ids, d.id), append(bodies, d.body)
		}
	}
	err := b.e.docketDB.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sqlStoreWebhooks, providers, ids, bodies)
		if err == nil && tag.RowsAffected() == 0 {
			_, err = tx.Exec(ctx, sqlSayDuplicate)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("store webhooks: %w", err)
	}
	return nil
}
