package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/booking"
)

// shut lets so many in and keeps it so.
func (s *stand) shut(p pace, allowed float64) *inside {
	in := s.api.inside[p]
	in.mu.Lock()
	defer in.mu.Unlock()
	in.allowed, in.next = allowed, time.Now().Add(time.Hour)
	return in
}

// lineOf waits until so many wait.
func (s *stand) lineOf(p pace, n int) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); s.api.waiting(p) != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("%d wait, want %d", s.api.waiting(p), n)
		}
	}
}

// Holds wait in the order of their coming, and who goes away stands in nobody's way.
func TestHoldsWaitTheirTurn(t *testing.T) {
	s := open(t)
	s.shut(holding, 0)
	type end struct{ who, status int }
	ends := make(chan end, 4)
	one := map[string]any{"seats": []int{1}}
	for i, email := range []string{"first@example.com", "second@example.com", "third@example.com"} {
		b := s.buyer(email)
		go func() { ends <- end{i, b.do("POST", "/v1/events/gig/holds", one).status} }()
		s.lineOf(holding, i+1)
		if i == 0 { // somebody right behind the first goes away
			gone, cancel := context.WithCancel(t.Context())
			b := s.buyer("gone@example.com")
			left := make(chan struct{})
			go func() {
				defer close(left)
				req, _ := http.NewRequestWithContext(gone, "POST", s.url+"/v1/events/gig/holds", strings.NewReader(`{"seats":[2]}`))
				for k, v := range map[string]string{"Authorization": "Bearer " + b.token, "Ropeline-Pass": b.pass, "Idempotency-Key": "k", "Content-Type": "application/json"} {
					req.Header.Set(k, v)
				}
				if resp, err := http.DefaultClient.Do(req); err == nil {
					resp.Body.Close()
					t.Error("who went away got an answer")
				}
			}()
			s.lineOf(holding, 2)
			cancel()
			<-left
			s.lineOf(holding, 1)
		}
	}
	s.shut(holding, 1)
	for i := range 3 {
		want := http.StatusConflict
		e := <-ends
		if e.who == 0 {
			want = http.StatusCreated // the seat is the first one's
		}
		if e.status != want {
			t.Errorf("answer %d: buyer %d got %d, want %d", i, e.who, e.status, want)
		}
	}
	var held int
	if err := s.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM hold`).Scan(&held); err != nil || held != 1 {
		t.Errorf("%d holds, %v: who went away took one", held, err)
	}
	s.sound()
}

// sound checks all invariants.
func (s *stand) sound() {
	s.t.Helper()
	findings, err := booking.CheckInvariants(s.t.Context(), s.db.Pool)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range findings {
		s.t.Errorf("invariant broken: %s", f)
	}
}

// Who cannot wait, or has waited long enough, is told so and when to come again; the same key then works.
func TestTheLineInsideHasAnEnd(t *testing.T) {
	s := open(t)
	in := s.shut(holding, 0)
	in.line.MostWaiting, in.line.Longest = 1, 300*time.Millisecond
	ada, key := s.buyer("ada@example.com"), uuid.NewString()
	ask := func() *reply {
		return ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}, "Idempotency-Key", key)
	}
	r := ask().want(http.StatusServiceUnavailable, "crowded")
	if r.str("why") != "time" || r.header.Get("Retry-After") == "" {
		t.Errorf("%s, Retry-After %q", r.body, r.header.Get("Retry-After"))
	}
	in.line.Longest = time.Minute
	other, done := s.buyer("bob@example.com"), make(chan struct{})
	go func() {
		defer close(done)
		other.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{2}}).want(http.StatusCreated, "")
	}()
	s.lineOf(holding, 1)
	if r := ask().want(http.StatusServiceUnavailable, "crowded"); r.str("why") != "full" || r.header.Get("Retry-After") == "" {
		t.Errorf("%s, Retry-After %q", r.body, r.header.Get("Retry-After"))
	}
	s.shut(holding, 10)
	<-done
	ask().want(http.StatusCreated, "")
	s.sound()
}

// A wait longer than the server's deadlines ends with the answer all the same.
func TestWaitingOutlivesTheServersDeadlines(t *testing.T) {
	s := open(t)
	s.shut(holding, 0)
	server := httptest.NewUnstartedServer(s.api)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 200*time.Millisecond, 400*time.Millisecond
	server.Start()
	defer server.Close()
	s.url = server.URL
	ada, got := s.buyer("ada@example.com"), make(chan *reply, 1)
	go func() { got <- ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}) }()
	s.lineOf(holding, 1)
	time.Sleep(time.Second) // what is tested is that this is too long for the server
	s.shut(holding, 1)
	(<-got).want(http.StatusCreated, "")
}

// Payments wait for a slot of the provider before they are begun, not after: until then nothing is owed to anybody.
func TestPaymentsWaitForTheProvider(t *testing.T) {
	s := open(t)
	in := s.api.inside[paying]
	in.mu.Lock()
	in.beside = func(u booking.Usage) (int, float64) { return u.Payments.InUse, 1 }
	in.mu.Unlock()
	s.control(`{"faults":[{"op":"authorize","kind":"delay","delay":"2s","times":1}]}`)
	ada, bob := s.buyer("ada@example.com"), s.buyer("bob@example.com")
	_, first := ada.order(1)
	_, second := bob.order(2)
	card := map[string]string{"card_token": "tok_ok"}
	ada.do("POST", "/v1/orders/"+first.str("id")+"/payments", card).want(http.StatusAccepted, "")
	for s.sells.Usage().Payments.InUse == 0 {
		time.Sleep(time.Millisecond)
	}
	done := make(chan *reply, 1)
	go func() { done <- bob.do("POST", "/v1/orders/"+second.str("id")+"/payments", card) }()
	s.lineOf(paying, 1)
	if st := bob.do("GET", "/v1/orders/"+second.str("id"), nil).str("state"); st != "pending_payment" {
		t.Errorf("the order of who waits is %s", st)
	}
	(<-done).want(http.StatusAccepted, "")
	for _, b := range []struct {
		*buyer
		order string
	}{{ada, first.str("id")}, {bob, second.str("id")}} {
		if st := b.settled(b.order).str("state"); st != "captured" {
			t.Errorf("order is %s", st)
		}
	}
	s.sound()
}

func (s *stand) control(setting string) {
	s.t.Helper()
	resp, err := http.Post(s.bank+"/control", "application/json", strings.NewReader(setting))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("control: %s", resp.Status)
	}
}
