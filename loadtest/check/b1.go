package check

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// B1, no double sale (cases/faults.md): for every event and seat there is at
// most one live claim, where a claim is a line that is sold, or held and not yet
// over; for areas and classes the live quantity stays within capacity and
// declared overbooking. The database's rows are judged as they are now, and so
// are all samples that were taken each second during the sale: a double claim
// that heals by itself was still one.
var b1 = Invariant{
	ID: "B1", Statement: "no seat and no place is claimed twice, at any second of the sale",
	Needs: []Source{Database, History},
	find: func(ctx context.Context, e *Evidence) ([]Finding, error) {
		found, err := DoubleSales(ctx, e.DB)
		if err != nil {
			return found, err
		}
		sampled, err := sampledFindings(e)
		return append(found, sampled...), err
	},
}

type doubled struct {
	Event  int64
	Seat   int32
	Claims int32
	By     []string
	At     time.Time
}

type unpaired struct {
	Event       int64
	Seat        int32
	State       string
	SeatVersion int32
	SeatHold    string
	LineHold    string
	LineVersion int32
}

type counted struct {
	Event                       int64
	ID                          int64
	Name                        string
	Limit                       int32
	Held, Sold                  int32
	LineHeld, LineSold, Claimed int64
}

// DoubleSales runs the part of B1 that reads the database.
func DoubleSales(ctx context.Context, db Querier) ([]Finding, error) {
	var found []Finding
	for what, sql := range map[string]string{"live claims": sqlDoubleClaims, "live tickets": sqlDoubleTickets} {
		rows, err := collect[doubled](ctx, db, sql)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found = append(found, Finding{
				What:     fmt.Sprintf("seat %d has %d %s", r.Seat, r.Claims, what),
				Evidence: map[string]any{"event": r.Event, "seat": r.Seat, "by": r.By, "at": r.At},
			})
		}
	}
	for _, sql := range []string{sqlSeatsWithoutLine, sqlLinesWithoutSeat} {
		rows, err := collect[unpaired](ctx, db, sql)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			found = append(found, Finding{
				What: fmt.Sprintf("seat %d is %s by hold %q version %d, and the sold line is of hold %q version %d",
					r.Seat, r.State, r.SeatHold, r.SeatVersion, r.LineHold, r.LineVersion),
				Evidence: map[string]any{"event": r.Event, "seat": r.Seat},
			})
		}
	}
	rows, err := collect[counted](ctx, db, sqlCounters)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		found = append(found, Finding{
			What: fmt.Sprintf("%q counts %d held and %d sold, its lines say %d and %d; %d claimed of %d",
				r.Name, r.Held, r.Sold, r.LineHeld, r.LineSold, r.Claimed, r.Limit),
			Evidence: map[string]any{"event": r.Event, "counter": r.ID},
		})
	}
	return found, nil
}

// sampledFindings returns what the sampler saw during the sale.
func sampledFindings(e *Evidence) ([]Finding, error) {
	var found []Finding
	for _, s := range e.History {
		if s.Begin.F != sampleOp || len(s.End.Result) == 0 {
			continue
		}
		var r sample
		if err := json.Unmarshal(s.End.Result, &r); err != nil {
			return found, fmt.Errorf("sample of operation %d: %w", s.Begin.Op, err)
		}
		if r.Error != "" {
			return found, fmt.Errorf("the sample at %s failed: %s", s.Begin.Wall.Format(time.RFC3339), r.Error)
		}
		found = append(found, r.Findings...)
	}
	return found, nil
}
