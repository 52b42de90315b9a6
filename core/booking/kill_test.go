package booking

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

const (
	killAttempts = 10_000
	killClients  = 200
	killSeats    = 1000
	kills        = 5
	killTries    = 6 // of one request, with the same key
	killKept     = 4 // places a client keeps before it gives some back
)

// killSale is a crowd on two engines, one of which dies again and again.
type killSale struct {
	x       *sale
	procs   [2]*process
	client  *http.Client
	history history
	tried   atomic.Int64

	mu    sync.Mutex
	held  map[string]*heldByKey // by key: what was acknowledged, or may be
	codes tally
}

type heldByKey struct {
	id       uuid.UUID // Nil: its end is unknown
	seats    []int32
	released seatState
}

type seatState int

const (
	stillKept seatState = iota
	returnedByOwner
	perhapsReturned
)

// B1, B3, B4, B5, B6, I1: ten thousand attempts to hold, by two hundred clients over
// two processes, one of which is killed at random points. Nothing that was
// acknowledged is lost, nothing happens twice, every seat's history is linearizable.
func TestACrowdWhileAnEngineIsKilled(t *testing.T) {
	t.Parallel()
	x := newSale(t, saleSpec{seats: killSeats})
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	k := &killSale{
		x: x, procs: [2]*process{startProcess(t, x.db.URL), startProcess(t, x.db.URL)},
		client:  &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: killClients}},
		history: history{begun: time.Now()}, held: make(map[string]*heldByKey), codes: make(tally),
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	points := make([]int64, kills)
	for i := range points {
		points[i] = int64(killAttempts/20 + rng.IntN(killAttempts*8/10))
	}
	slices.Sort(points)
	var all sync.WaitGroup
	reached := make(chan struct{}, kills)
	for i := range killClients {
		all.Go(func() { k.buy(i, rand.New(rand.NewPCG(seed, uint64(i+1))), points, reached) })
	}
	for range kills {
		<-reached
		k.procs[0].kill()
		k.procs[0].start()
	}
	all.Wait()
	k.client.CloseIdleConnections()
	t.Logf("%v", k.codes)
	if k.codes["ok"] < killSeats || k.codes["seat_taken"] == 0 {
		t.Errorf("this was no crowd: %v", k.codes)
	}
	k.codes.only(t, "ok", "seat_taken", "limit_exceeded", "unknown")
	k.history.check(t)
	k.compare()
}

// buy is one client: it holds random sets, keeps some, gives others back.
func (k *killSale) buy(i int, rng *rand.Rand, points []int64, reached chan<- struct{}) {
	account := int64(i + 1)
	var mine []string
	for n := range killAttempts / killClients {
		if slices.Contains(points, k.tried.Add(1)) {
			reached <- struct{}{}
		}
		for k.count(mine) >= killKept {
			k.release(i, account, mine[0], rng)
			mine = mine[1:]
		}
		key := fmt.Sprintf("%d-%d", i, n)
		set := make([]int32, 1+rng.IntN(3))
		for j := range set {
			set[j] = int32(1 + rng.IntN(killSeats))
		}
		slices.Sort(set)
		if k.hold(i, account, key, slices.Compact(set), rng) {
			mine = append(mine, key)
		}
	}
}

func (k *killSale) count(keys []string) (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range keys {
		n += len(k.held[key].seats)
	}
	return n
}

// ask asks until there is an answer, at whichever process. known: it is final.
func (k *killSale) ask(q ask, rng *rand.Rand) (t told, known bool) {
	for range killTries {
		t, err := k.procs[rng.IntN(2)].send(k.client, q)
		if err != nil {
			continue
		}
		switch t.Code {
		case "busy", "overloaded", "outcome_unknown", "idempotency_in_progress":
			continue
		}
		return t, true
	}
	return t, false
}

func (k *killSale) hold(i int, account int64, key string, set []int32, rng *rand.Rand) (mine bool) {
	called := k.history.now()
	q := ask{Account: account, Key: key, Seats: set}
	t, known := k.ask(q, rng)
	if known && t.Code == "" && rng.IntN(10) == 0 {
		if again, ok := k.ask(q, rng); ok && (again.Code != "" || !bytes.Equal(again.Body, t.Body)) {
			k.x.t.Errorf("key %s: first %s, then %s %s", key, t.Body, again.Code, again.Body)
		}
	}
	k.mu.Lock()
	switch {
	case !known:
		k.codes["unknown"]++
	case t.Code == "":
		k.codes["ok"]++
	default:
		k.codes[t.Code]++
	}
	if !known || t.Code == "" {
		k.held[key] = &heldByKey{id: t.Hold, seats: set}
	}
	k.mu.Unlock()
	end := endDone
	if !known {
		end = endUnknown
	} else if t.Code != "" {
		set, end = t.Taken, endTaken
	}
	for _, s := range set {
		k.history.add(i, called, seatOp{s, false, key}, end)
	}
	return known && t.Code == ""
}

func (k *killSale) release(i int, account int64, key string, rng *rand.Rand) {
	k.mu.Lock()
	h := k.held[key]
	k.mu.Unlock()
	called := k.history.now()
	t, known := k.ask(ask{Account: account, Key: "back-" + key, Release: h.id}, rng)
	end := endDone
	switch {
	case !known:
		h.released, end = perhapsReturned, endUnknown
	case t.Code == "":
		h.released = returnedByOwner
	default:
		k.x.t.Errorf("release of %s: %s", key, t.Code)
	}
	for _, s := range h.seats {
		k.history.add(i, called, seatOp{s, true, key}, end)
	}
}

// compare: what was acknowledged is there, and nothing else.
func (k *killSale) compare() {
	t := k.x.t
	rows, err := k.x.db.Pool.Query(t.Context(), `SELECT i.id, h.id, h.state,
		(SELECT array_agg(l.seat_id ORDER BY l.seat_id) FROM hold_line l WHERE l.hold_id = h.id)
		FROM idempotency i JOIN hold h ON h.id = (convert_from(i.body, 'UTF8')::jsonb->>'id')::uuid WHERE i.status = 201`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := make(map[string]bool)
	keys := make(map[uuid.UUID]string, len(k.held)) // as the table has them
	for s := range k.held {
		keys[key{route: "process", key: s}.row().id] = s
	}
	for rows.Next() {
		var (
			row   uuid.UUID
			id    uuid.UUID
			state int16
			set   []int32
		)
		if err := rows.Scan(&row, &id, &state, &set); err != nil {
			t.Fatal(err)
		}
		key := keys[row]
		found[key] = true
		h := k.held[key]
		switch {
		case h == nil:
			t.Errorf("hold %s of key %s was refused, and is there", id, key)
		case !slices.Equal(set, h.seats):
			t.Errorf("key %s asked for %v and has %v", key, h.seats, set)
		case h.id != uuid.Nil && h.id != id:
			t.Errorf("key %s was told hold %s, the database has %s", key, h.id, id)
		case h.released == stillKept && state != 1, h.released == returnedByOwner && state != 3:
			t.Errorf("hold %s is in state %d", id, state)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for key, h := range k.held {
		if h.id != uuid.Nil && !found[key] {
			t.Errorf("hold %s of key %s was acknowledged and is lost", h.id, key)
		}
	}
	var holds, used int
	if err := k.x.db.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM hold), (SELECT count(*) FROM idempotency WHERE status = 201)`).Scan(&holds, &used); err != nil || holds != used {
		t.Errorf("%d holds of %d keys, %v", holds, used, err)
	}
}
