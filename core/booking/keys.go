package booking

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// Keys are kept by day, in partitions that take turns: see migration 80.
const (
	keySlots = 6
	keyDays  = 3 // days before today whose keys are still known: a key lives for three days at least, four at most
)

// key is the scope of an Idempotency-Key.
type key struct {
	event, account int64
	route, key     string
}

// keyRow is what a key is found by in the table.
type keyRow struct {
	event, account int64
	id             uuid.UUID
}

func (k key) row() keyRow {
	b := make([]byte, 0, 128)
	b = append(append(append(b, k.route...), '|'), k.key...)
	sum := sha256.Sum256(b)
	return keyRow{k.event, k.account, uuid.UUID(sum[:16])}
}

func (k key) hash() int64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d|%d|%s|%s", k.event, k.account, k.route, k.key)
	return int64(h.Sum64())
}

// flight knows the keys this process is working on.
type flight struct {
	mu   sync.Mutex
	keys map[key]struct{}
}

// enter returns false if the key is being worked on.
func (f *flight) enter(k key) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, there := f.keys[k]; there {
		return false
	}
	if f.keys == nil {
		f.keys = make(map[key]struct{})
	}
	f.keys[k] = struct{}{}
	return true
}

func (f *flight) leave(k key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.keys, k)
}

// slotOf is the partition of a day: so many days from the database's now.
func slotOf(now time.Time, days int64) int16 {
	const day = 24 * 60 * 60
	return int16((now.Unix()/day + days) % keySlots)
}

// slotsAt are the partitions in which a key may be. They are named in every statement, so
// that the server locks these alone, and the one that is being emptied is nobody's.
func slotsAt(now time.Time) []int16 {
	list := make([]int16, 0, keySlots-1)
	for d := int64(1); d >= -keyDays; d-- {
		list = append(list, slotOf(now, d))
	}
	return list
}

// errNotSpare: midnight came between the look at the clock and the lock.
var errNotSpare = errors.New("the partition is in use")

// dropKeys empties the partition whose turn is over. It waits for nobody: who is in its way
// can only be another process that does the same, or a backup; there is a next time.
func (e *Engine) dropKeys(ctx context.Context) error {
	now, err := pg.Now(ctx, e.db.Pool)
	if err != nil {
		return err
	}
	spare := slotOf(now, 2)
	table := fmt.Sprintf("idempotency_%d", spare)
	var old bool
	if err := e.db.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+table+`)`).Scan(&old); err != nil {
		return fmt.Errorf("look for old keys: %w", err)
	}
	if !old {
		return nil
	}
	err = e.db.Once(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE `+table+` IN ACCESS EXCLUSIVE MODE NOWAIT`); err != nil {
			return err
		}
		// Under the lock: from now on nobody can write there before this has ended.
		if now, err := pg.Now(ctx, tx); err != nil || slotOf(now, 2) != spare {
			return errors.Join(errNotSpare, err)
		}
		_, err := tx.Exec(ctx, `TRUNCATE `+table)
		return err
	})
	if errors.Is(err, errNotSpare) || pg.IsLockTimeout(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("drop old keys: %w", err)
	}
	return nil
}

// keyArrays are keys as parallel arrays, in the order of the requests.
type keyArrays struct {
	events, accounts []int64
	ids              [][16]byte
	prints           [][]byte
}

func (a *keyArrays) add(k keyRow, print []byte) {
	a.events, a.accounts, a.ids, a.prints = append(a.events, k.event), append(a.accounts, k.account), append(a.ids, k.id), append(a.prints, print)
}

func keysOf(rs []*request) (a keyArrays) {
	for _, r := range rs {
		a.add(r.row, r.print)
	}
	return a
}
