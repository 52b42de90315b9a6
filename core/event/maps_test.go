package event

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/outbox"
	"github.com/ropeline/ropeline/core/pgtest"
	"github.com/ropeline/ropeline/seatmap"
	"github.com/ropeline/ropeline/seatmap/readpath"
)

// B06: a hold that ran out shows as free whether or not anything sweeps.
func TestMapsTellTheTruthWithoutASweeper(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, gig)
	db.Owner(t, `UPDATE seat SET state = 'held', hold_id = gen_random_uuid(), held_until = now() + interval '1 hour' WHERE seat_id = 1`)
	db.Owner(t, `UPDATE seat SET state = 'held', hold_id = gen_random_uuid(), held_until = now() - interval '1 second' WHERE seat_id = 2`)
	db.Owner(t, `UPDATE seat SET state = 'sold', hold_id = gen_random_uuid() WHERE seat_id = 3`)
	db.Owner(t, `UPDATE seat SET state = 'blocked' WHERE seat_id = 5`)
	db.Owner(t, `UPDATE counter SET held = 7, sold = 100`)
	db.Owner(t, `INSERT INTO hold_line (event_id, hold_id, line, counter_id, account_id, qty, price, state, held_until)
		SELECT id, gen_random_uuid(), 0, 1, 1, 5, 1, 1, now() - interval '1 second' FROM event`)
	db.Owner(t, `INSERT INTO hold_line (event_id, hold_id, line, counter_id, account_id, qty, price, state, held_until)
		SELECT id, gen_random_uuid(), 0, 1, 1, 2, 1, 1, now() + interval '1 hour' FROM event`)

	m := look(t, shelf(db))
	want := []seatmap.State{seatmap.Held, seatmap.Available, seatmap.Sold, seatmap.Available, seatmap.Blocked}
	if diff := cmp.Diff(want, statesOf(t, m)); diff != "" {
		t.Errorf("seats (-want +got):\n%s", diff)
	}
	// 200 + 3 places, 100 sold, 2 in a live hold; the 5 of the dead one are free again: 101, said as 100.
	if diff := cmp.Diff([]seatmap.Counter{{ID: 1, Level: 100}}, m.Counters); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
}

// What is committed is heard from the outbox, in the form the engine writes it; a
// change that is no longer there is not passed over.
func TestMapsFollowTheOutbox(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, gig)
	s := shelf(db)
	before := look(t, s)
	commit := func(payload map[string]any) {
		t.Helper()
		err := db.InTx(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
			var v int64
			err := tx.QueryRow(ctx, `UPDATE event_version SET v = v + 1 RETURNING v`).Scan(&v)
			return errors.Join(err, outbox.Append(ctx, tx, outbox.Row{Aggregate: "event:1", Seq: v, Kind: "seats_changed", Payload: payload}))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	until := "2127-01-01T00:00:00.25Z"
	commit(map[string]any{"seats": []any{map[string]any{"seat": 2, "state": "held", "held_until": until}}, "counters": []any{map[string]any{"id": 1, "held": 3, "available": 7}}})
	commit(map[string]any{"seats": []any{map[string]any{"seat": 4, "state": "sold"}}})
	s.round(t)
	after := look(t, s)
	want := []seatmap.State{seatmap.Available, seatmap.Held, seatmap.Available, seatmap.Sold, seatmap.Available}
	if diff := cmp.Diff(want, statesOf(t, after)); diff != "" {
		t.Errorf("seats (-want +got):\n%s", diff)
	}
	if after.Version.V != before.Version.V+2 || after.Counters[0].Level != 7 || s.Loads() != 1 {
		t.Errorf("version %s after %s, counters %v, read whole %d times", after.Version, before.Version, after.Counters, s.Loads())
	}

	db.Owner(t, `UPDATE seat SET state = 'blocked' WHERE seat_id = 5`)
	db.Owner(t, `UPDATE event_version SET v = v + 1`)
	s.round(t)
	if got := statesOf(t, look(t, s)); got[4] != seatmap.Blocked || s.Loads() != 2 {
		t.Errorf("after a change that was not told: %v, read whole %d times", got, s.Loads())
	}
	db.Owner(t, `UPDATE event_version SET v = v + 1`)
	db.Owner(t, `INSERT INTO outbox (lane, aggregate, seq, kind, payload) VALUES (1, 'event:1', (SELECT v FROM event_version), 'seats_changed', '{"seats":[{"seat":1,"state":"eaten"}]}')`)
	if err := s.Step(t.Context()); err == nil || !strings.Contains(err.Error(), `seat 1 is "eaten"`) {
		t.Errorf("a message in words nobody knows: %v", err)
	}
}

func TestMapsOfWhatIsNotPublic(t *testing.T) {
	db := pgtest.New(t)
	mustImport(t, db.DB, strings.Replace(gig, `"slug": "gig"`, `"slug": "gig", "state": "draft"`, 1))
	for _, slug := range []string{"gig", "nope"} {
		if _, err := NewMaps(db.Pool).Load(t.Context(), slug); !errors.Is(err, readpath.ErrUnknown) {
			t.Errorf("%s: %v", slug, err)
		}
	}
}

// stand is a shelf with a clock of its own, for the lives of editions.
type stand struct {
	*readpath.Shelf
	at time.Time
}

func shelf(db *pgtest.DB) *stand {
	s := &stand{at: time.Unix(1, 0)}
	s.Shelf = readpath.New(NewMaps(db.Pool), slog.New(slog.DiscardHandler), func() time.Time { return s.at })
	return s
}

func (s *stand) round(t *testing.T) {
	t.Helper()
	s.at = s.at.Add(readpath.Life)
	if err := s.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func look(t *testing.T, s *stand) *seatmap.Map {
	t.Helper()
	e, err := s.Latest(t.Context(), "gig")
	if err != nil {
		t.Fatal(err)
	}
	return e.Map
}

func statesOf(t *testing.T, m *seatmap.Map) []seatmap.State {
	t.Helper()
	s, err := seatmap.Unpack(m.States, m.Seats)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
