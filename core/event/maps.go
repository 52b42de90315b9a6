package event

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/seatmap"
	"github.com/ropeline/ropeline/seatmap/readpath"
)

// maxNews bounds what one round hears of one event; the rest comes the next time.
const maxNews = 256

// Maps is where seat maps are read from: the tables once, the outbox from then on.
// It never touches a row that a hold is waiting for.
type Maps struct{ db pg.Querier }

// NewMaps reads from db, which may be a replica: its maps are then as old as it is.
func NewMaps(db pg.Querier) *Maps { return &Maps{db} }

var _ readpath.Source = (*Maps)(nil)

// Load reads one event whole.
func (m *Maps) Load(ctx context.Context, slug string) (*readpath.Facts, error) {
	f := &readpath.Facts{}
	var hash, digits string
	var seats []int32
	var until []time.Time
	var counters []byte
	err := m.db.QueryRow(ctx, sqlSeats, slug).Scan(&f.ID, &f.V, &f.Now, &f.Life, &hash, &digits, &seats, &until, &counters)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, readpath.ErrUnknown
	}
	if err != nil {
		return nil, fmt.Errorf("read seats of %s: %w", slug, err)
	}
	if len(digits) > 0 { // a venue of areas alone has a geometry, but no seats it numbers
		sum, err := hex.DecodeString(hash)
		if err != nil || len(sum) < len(f.Geometry) {
			return nil, fmt.Errorf("geometry hash of %s: %q is no SHA-256", slug, hash)
		}
		copy(f.Geometry[:], sum)
	}
	f.Seats = make([]readpath.Seat, len(digits))
	for i := range f.Seats {
		f.Seats[i].State = seatmap.State(digits[i] - '0')
	}
	for i, s := range seats {
		f.Seats[s-1].Until = until[i]
	}
	var left []struct{ ID, Available int64 }
	if err := json.Unmarshal(counters, &left); err != nil {
		return nil, fmt.Errorf("read counters of %s: %w", slug, err)
	}
	for _, c := range left {
		f.Counters = append(f.Counters, readpath.Free{ID: c.ID, Left: c.Available})
	}
	return f, nil
}

// change is what the map needs of the outbox message "seats_changed".
type change struct {
	Seats []struct {
		Seat      int       `json:"seat"`
		State     string    `json:"state"`
		HeldUntil time.Time `json:"held_until"`
	} `json:"seats"`
	Counters []struct {
		ID        int64 `json:"id"`
		Available int64 `json:"available"`
	} `json:"counters"`
}

var states = map[string]seatmap.State{"available": seatmap.Available, "held": seatmap.Held, "sold": seatmap.Sold, "blocked": seatmap.Blocked}

// News reads what was committed since.
func (m *Maps) News(ctx context.Context, known []readpath.Known) (news []readpath.News, now time.Time, err error) {
	ids, versions := make([]int64, len(known)), make([]int64, len(known))
	for i, k := range known {
		ids[i], versions[i] = k.ID, k.V
	}
	rows, err := m.db.Query(ctx, sqlNews, ids, versions, maxNews)
	if err != nil {
		return nil, now, fmt.Errorf("read changes of %d events: %w", len(known), err)
	}
	defer rows.Close()
	for rows.Next() {
		var n readpath.News
		var seq *int64
		var payload []byte
		var newest int64
		if err := rows.Scan(&n.ID, &newest, &seq, &payload, &now); err != nil {
			return nil, now, fmt.Errorf("read changes of %d events: %w", len(known), err)
		}
		if seq == nil {
			n.V, n.Lost = newest, true
		} else if n, err = newsOf(n.ID, *seq, payload); err != nil {
			return nil, now, fmt.Errorf("outbox of event %d, %d: %w", n.ID, *seq, err)
		}
		news = append(news, n)
	}
	if err := rows.Err(); err != nil {
		return nil, now, fmt.Errorf("read changes of %d events: %w", len(known), err)
	}
	if len(news) == 0 { // nobody has told the time
		if err := m.db.QueryRow(ctx, sqlClock).Scan(&now); err != nil {
			return nil, now, fmt.Errorf("read the database's clock: %w", err)
		}
	}
	return news, now, nil
}

func newsOf(id, seq int64, payload []byte) (readpath.News, error) {
	n := readpath.News{ID: id, V: seq}
	var c change
	if err := json.Unmarshal(payload, &c); err != nil {
		return n, err
	}
	for _, s := range c.Seats {
		state, ok := states[s.State]
		if !ok {
			return n, fmt.Errorf("seat %d is %q", s.Seat, s.State)
		}
		n.Seats = append(n.Seats, readpath.SeatNews{Number: s.Seat, Seat: readpath.Seat{State: state, Until: s.HeldUntil}})
	}
	for _, c := range c.Counters {
		n.Counters = append(n.Counters, readpath.Free{ID: c.ID, Left: c.Available})
	}
	return n, nil
}
