package booking

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/problem"
)

// Sizes in bytes of an answer, and of a key with it, for the first allocation.
const (
	answerSize = 512
	copiedKey  = 130 + answerSize
)

// readKeys tells replays from what is new. A key is written once, with its answer, by
// the batch that has its account's row locked, so nobody else can be about to write
// one that is not there: this is read after the locks, and a COMMIT of which nothing
// is known has either come to its end or still has that row. Taking the keys first, by
// an INSERT that others wait for, would write each of them twice.
//
// A request whose account's row was skipped is neither: it has its turn later.
func (d *decision) readKeys(ctx context.Context, tx pgx.Tx) error {
	byKey := make(map[keyRow]*request, len(d.batch))
	ours := make([]*request, 0, len(d.batch))
	asked := make([]*request, 0, len(d.batch))
	for _, r := range d.batch {
		switch a := d.world.Account(r.key.event, r.key.account); {
		case a == nil:
		case a.New: // who never held anything has no key of a hold either; a refusal is proved later
			ours = append(ours, r)
		default:
			byKey[r.row] = r
			ours, asked = append(ours, r), append(asked, r)
		}
	}
	old, err := d.keysThere(ctx, tx, asked, byKey)
	if err != nil {
		return err
	}
	d.fresh = ours
	if len(old) > 0 {
		d.fresh = slices.DeleteFunc(ours, func(r *request) bool { return slices.Contains(old, r) })
	}
	for _, r := range d.fresh {
		d.out[r] = outcome{isNew: !d.world.Account(r.key.event, r.key.account).New}
	}
	return d.replay(ctx, tx, old, byKey)
}

// keysThere are those of the asked whose keys were used before.
func (d *decision) keysThere(ctx context.Context, tx pgx.Tx, asked []*request, byKey map[keyRow]*request) (old []*request, err error) {
	if len(asked) == 0 {
		return nil, nil
	}
	k := keysOf(asked)
	rows, err := tx.Query(ctx, keysThereAt(d.world.Now), k.events, k.accounts, k.ids)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	var got keyRow
	_, err = pgx.ForEachRow(rows, []any{&got.event, &got.account, &got.id}, func() error {
		old = append(old, byKey[got])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return old, nil
}

// keysThereText is the statement for each day of the six: it names the day's partitions, and
// neither reads nor locks the one that is emptied.
var keysThereText = func() (text [keySlots]string) {
	for today := range text {
		var parts []string
		for d := 1; d >= -keyDays; d-- {
			parts = append(parts, fmt.Sprintf(sqlKeysThere, (today+d+keySlots)%keySlots))
		}
		text[today] = strings.Join(parts, " UNION ALL ")
	}
	return text
}()

func keysThereAt(now time.Time) string { return keysThereText[slotOf(now, 0)] }

// replay answers from the stored rows, and counts itself in them so that its
// COMMIT waits for the standby like the first answer's did.
func (d *decision) replay(ctx context.Context, tx pgx.Tx, old []*request, byKey map[keyRow]*request) error {
	if len(old) == 0 {
		return nil
	}
	d.replayed = true
	k := keysOf(old)
	rows, err := tx.Query(ctx, sqlReplays, slotsAt(d.world.Now), k.events, k.accounts, k.ids, k.prints)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	var (
		got  keyRow
		same bool
		a    Answer
	)
	_, err = pgx.ForEachRow(rows, []any{&got.event, &got.account, &got.id, &same, &a.Status, &a.Body}, func() error {
		r := byKey[got]
		if !same {
			d.out[r] = outcome{err: ErrMismatch}
			return nil
		}
		d.out[r] = outcome{answer: &Answer{Status: a.Status, Body: slices.Clone(a.Body), Replayed: true}}
		return nil
	})
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	for _, r := range old {
		if _, ok := d.out[r]; !ok {
			d.out[r] = outcome{err: problem.Busy} // purged in between
		}
	}
	return nil
}
