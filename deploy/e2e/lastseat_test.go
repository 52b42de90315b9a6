package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ropeline/ropeline/deploy/stack"
)

// crowdSize people want the one seat there is.
const crowdSize = 50

// Fifty buyers come through the line, press at the same moment, and one of them has the seat; the others are told which
// seat is gone, and the one who has it can pay.
func TestFiftyBuyersOneSeat(t *testing.T) {
	s := up(t, func(c *stack.Config) {
		c.Events = []string{oneSeat(t)}
		c.EdgeEnv = func(*stack.Stack) []string { return []string{"ROPELINE_RATE=200/s"} }
	})
	buyers := make([]*buyer, crowdSize)
	together(func(i int) { buyers[i] = newBuyer(t, s, fmt.Sprintf("buyer%d@example.com", i)) })
	if t.Failed() {
		t.FailNow()
	}

	type answer struct {
		status int
		hold   struct{ ID, State string }
		code   string
		seats  []struct{ Seat int }
	}
	answers := make([]answer, crowdSize)
	together(func(i int) {
		var body struct {
			ID, State, Code string
			Seats           []struct{ Seat int }
		}
		status, err := buyers[i].send(http.MethodPost, "/v1/events/solo/holds", map[string]any{"seats": []int{1}}, &body)
		if err != nil {
			t.Errorf("buyer %d: %v", i, err)
		}
		answers[i].status, answers[i].hold.ID, answers[i].code, answers[i].seats = status, body.ID, body.Code, body.Seats
	})

	winner := -1
	for i, a := range answers {
		switch {
		case a.status == http.StatusCreated && winner < 0:
			winner = i
		case a.status == http.StatusCreated:
			t.Errorf("buyers %d and %d both hold the seat", winner, i)
		case a.status != http.StatusConflict || a.code != "seat_taken" || len(a.seats) != 1 || a.seats[0].Seat != 1:
			t.Errorf("buyer %d: %d %s %v, want 409 seat_taken for seat 1", i, a.status, a.code, a.seats)
		}
	}
	if winner < 0 {
		t.Fatal("nobody holds the seat")
	}
	o := buyers[winner].buys("solo", answers[winner].hold.ID, "tok_ok")
	if len(o.Tickets) != 1 {
		t.Errorf("the order is %s with %d tickets, want one", o.State, len(o.Tickets))
	}
	judged(t, s)
}

func together(f func(i int)) {
	var wg sync.WaitGroup
	for i := range crowdSize {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// oneSeat is an event with one seat.
func oneSeat(t *testing.T) string {
	t.Helper()
	return eventFile(t, `{
		"venue": {"slug": "solo-hall", "name": "Solo Hall", "city": "Leipzig", "country": "DE", "width": 100, "height": 100,
			"sections": [{"name": "Stalls", "class": "A", "rows": [{"name": "1", "seats": [["1", 50, 50]]}]}]},
		"events": [{"slug": "solo", "venue": "solo-hall", "organiser": "Solo", "title": "Solo", "place": "Leipzig",
			"starts_at": "2035-05-01T20:00", "time_zone": "Europe/Berlin", "currency": "EUR",
			"prices": [{"class": "A", "name": "The seat", "amount": 5000}]}]
	}`)
}

func eventFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
