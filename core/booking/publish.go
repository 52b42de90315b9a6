package booking

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event"
	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/outbox"
)

// seatsChanged is the outbox message of an event: what is different from version-1.
type seatsChanged struct {
	Version int64 `json:"version"`
	hold.Changes
}

// Announce tells the readers of the map what an import has blocked, unblocked and
// limited, in the transaction of the import and last in it. Files that change one event
// twice are told of once: its version is raised once.
func Announce(ctx context.Context, tx pgx.Tx, changes []event.Change) error {
	byEvent := make(map[int64]*hold.Changes)
	for _, c := range changes {
		if len(c.Seats)+len(c.Counters) == 0 {
			continue
		}
		x := byEvent[c.EventID]
		if x == nil {
			x = &hold.Changes{EventID: c.EventID}
			byEvent[c.EventID] = x
		}
		for _, s := range c.Seats {
			state := hold.SeatAvailable
			if s.Blocked {
				state = hold.SeatBlocked
			}
			x.Seats = append(x.Seats, hold.SeatChange{Seat: s.Seat, State: state})
		}
		for _, n := range c.Counters {
			x.Counters = append(x.Counters, hold.CounterChange(n))
		}
	}
	var changed []hold.Changes
	for _, id := range slices.Sorted(maps.Keys(byEvent)) {
		changed = append(changed, *byEvent[id])
	}
	_, err := publish(ctx, tx, changed)
	return err
}

// publish gives every changed event its next version and one outbox row. It comes
// last in a transaction: the version is the last lock, and whoever holds it makes
// the others of the event wait for this COMMIT.
func publish(ctx context.Context, tx pgx.Tx, changed []hold.Changes) (versions map[int64]int64, err error) {
	if len(changed) == 0 {
		return map[int64]int64{}, nil
	}
	ids := make([]int64, len(changed))
	for i, c := range changed {
		ids[i] = c.EventID
	}
	if versions, err = hold.RaiseVersions(ctx, tx, ids); err != nil {
		return nil, err
	}
	rows := make([]outbox.Row, len(changed))
	for i, c := range changed {
		v := versions[c.EventID]
		rows[i] = outbox.Row{Aggregate: "event:" + strconv.FormatInt(c.EventID, 10), Seq: v, Kind: "seats_changed", Payload: seatsChanged{v, c}}
	}
	if err := outbox.Append(ctx, tx, rows...); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	return versions, nil
}
