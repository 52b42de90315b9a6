package booking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/outbox"
)

const (
	maxFloors  = 4096    // events whose rows are kept in memory
	maxFloored = 2 << 20 // seats of all of them
	maxMissed  = 512     // versions a floor may be behind before it is built anew
)

// floors are the rows of events in memory, with what is free on them as far as this
// process has heard. They are built when first needed and follow the outbox, which
// has every change of every process in the order of the versions.
type floors struct {
	mu    sync.Mutex
	of    map[int64]*hold.Floor
	seats int
}

func (f *floors) get(event int64) *hold.Floor {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of[event]
}

func (f *floors) put(event int64, floor *hold.Floor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil || len(f.of) >= maxFloors || f.seats+floor.Plan.Size() > maxFloored {
		f.of, f.seats = make(map[int64]*hold.Floor), 0 // each is built again in less than a blink
	}
	if old := f.of[event]; old != nil {
		f.seats -= old.Plan.Size()
	}
	f.of[event] = floor
	f.seats += floor.Plan.Size()
}

// surveyFirst ends a transaction that needs a floor which is not there, or has
// missed too much. Reading 60,000 seats is not done under anybody's locks.
type surveyFirst struct{ event int64 }

func (s surveyFirst) Error() string {
	return fmt.Sprintf("the rows of event %d are not known", s.event)
}

// withFloors runs fn, and again after each survey it asks for: at most one for each
// request of a batch, so that events too large to be kept together end in a refusal.
func (e *Engine) withFloors(ctx context.Context, fn func() error) error {
	for surveys := 0; ; surveys++ {
		err := fn()
		var s surveyFirst
		if !errors.As(err, &s) || surveys == maxBatch {
			return err
		}
		floor, err := hold.Survey(ctx, e.db.Pool, s.event)
		if err != nil {
			return err
		}
		e.floors.put(s.event, floor)
	}
}

// listen brings a floor up to what has been committed.
func listen(ctx context.Context, tx pgx.Tx, event int64, f *hold.Floor) error {
	rows, err := outbox.Since(ctx, tx, "event:"+strconv.FormatInt(event, 10), f.Version(), maxMissed)
	if err != nil {
		return err
	}
	if len(rows) == maxMissed {
		return surveyFirst{event}
	}
	for _, r := range rows {
		var c seatsChanged
		if err := json.Unmarshal(r.Payload, &c); err != nil {
			return fmt.Errorf("outbox of event %d, %d: %w", event, r.Seq, err)
		}
		if !f.Hear(r.Seq, c.Seats) {
			return surveyFirst{event}
		}
	}
	return nil
}
