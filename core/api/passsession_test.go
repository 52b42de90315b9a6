package api

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission"
)

// AT16, W51: one pass, one account, one sign-in. Whoever comes with a copied pass is refused and the first is told; the
// same person signing in again goes on, and the sign-in before is told.
func TestACopiedPassBuysForOneAccount(t *testing.T) {
	s := open(t)
	ada, eve := s.buyer("ada@example.com"), s.buyer("eve@example.com")
	eve.pass = ada.pass
	hold := func(b *buyer, seat int) *reply {
		return b.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{seat}})
	}
	if r := hold(ada, 1).want(http.StatusCreated, ""); r.header.Get(contestedHeader) != "" {
		t.Error("told of another before one came")
	}
	before := s.rows()
	r := hold(eve, 2).want(http.StatusConflict, "session_taken_over")
	if r.header.Get(contestedHeader) != "" || s.rows() != before {
		t.Errorf("the second is told %q; rows %s, before %s", r.header.Get(contestedHeader), s.rows(), before)
	}
	s.api.sessions.forget() // another process, or five seconds later
	if r := hold(ada, 2).want(http.StatusCreated, ""); r.header.Get(contestedHeader) == "" {
		t.Error("the first is not told")
	}
	// Ada signs in again: her new sign-in goes on and the old one is over.
	token, err := s.api.issuer.Sign("ada@example.com", time.Now().Add(2*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	again := &buyer{s: s, token: token, pass: ada.pass}
	hold(again, 3).want(http.StatusCreated, "")
	s.api.sessions.forget()
	hold(ada, 3).want(http.StatusConflict, "session_taken_over")
	hold(again, 4).want(http.StatusCreated, "")
	// A pass of her own lets Eve buy, and the same account may have several passes.
	eve.pass = s.pass()
	hold(eve, 5).want(http.StatusCreated, "")
	ada.pass = s.pass()
	ada.do("POST", "/v1/events/gig/holds", map[string]any{"places": []map[string]any{{"area": "Floor", "qty": 1}}})
}

// Fifty at once with one pass: one account has it.
func TestFiftyAccountsWithOnePass(t *testing.T) {
	s := open(t)
	pass := s.pass()
	var buyers []*buyer
	for i := range 50 {
		b := s.buyer(fmt.Sprintf("b%d@example.com", i))
		b.pass = pass
		buyers = append(buyers, b)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	through := map[int]int{}
	for _, b := range buyers {
		wg.Go(func() {
			r := b.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}})
			mu.Lock()
			defer mu.Unlock()
			through[r.status]++
			if r.status == http.StatusConflict && r.str("code") != "session_taken_over" {
				t.Errorf("%s", r.body)
			}
		})
	}
	wg.Wait()
	if through[http.StatusCreated] != 1 || through[http.StatusConflict] != 49 {
		t.Errorf("answers: %v", through)
	}
}

// When the session is over its visitor has nobody: after a recall the same visitor may come again, as anybody.
func TestASessionOfAPassEnds(t *testing.T) {
	s := open(t)
	vid := admission.NewVID()
	of := func(hard time.Duration) string {
		return s.pass(func(p *admission.Pass) {
			p.VID, p.Hard = vid, time.Now().Add(hard)
			p.Expires = p.Hard
		})
	}
	ada, eve := s.buyer("ada@example.com"), s.buyer("eve@example.com")
	ada.pass, eve.pass = of(time.Minute), of(2*time.Minute)
	ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}).want(http.StatusCreated, "")
	eve.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{2}}).want(http.StatusConflict, "session_taken_over")
	if _, err := s.db.Pool.Exec(t.Context(), `UPDATE pass_session SET ends_at = now() - interval '2 hours'`); err != nil {
		t.Fatal(err)
	}
	eve.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{2}}).want(http.StatusCreated, "")
	if _, err := s.db.Pool.Exec(t.Context(), `UPDATE pass_session SET ends_at = now() - interval '2 hours'`); err != nil {
		t.Fatal(err)
	}
	ada.pass = s.pass()
	ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{3}}).want(http.StatusCreated, "")
	var n int
	if err := s.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pass_session`).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d sessions are kept, %v: an old one goes with each new one", n, err)
	}
}

func (s *passSessions) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.seen)
}

// AH1, AH3: with a lock nothing but probes answers to whoever came around the edge, storefront and catalogue included.
func TestALockedOriginAnswersEdgesOnly(t *testing.T) {
	const old, fresh = "0123456789abcdef-old", "0123456789abcdef-new"
	s := open(t)
	lock, err := admission.NewOriginLock(fresh, old)
	if err != nil {
		t.Fatal(err)
	}
	s.api.handler = s.api.observe(s.api.locked(lock, s.api.handler))
	before := s.rows()
	for _, path := range []string{"/", "/v1/events", "/v1/orders", "/assets/x", "/webhooks/fakepay", "/sign-in"} {
		for _, given := range []string{"", "0123456789abcdef-ole"} {
			s.do("GET", path, nil, admission.OriginSecretHeader, given, "Host", "shop.example.com").want(http.StatusForbidden, "edge_required")
		}
	}
	s.do("GET", "/healthz", nil).want(http.StatusOK, "")
	for _, given := range []string{old, fresh} {
		s.do("GET", "/v1/events", nil, admission.OriginSecretHeader, given).want(http.StatusOK, "")
	}
	if after := s.rows(); after != before {
		t.Errorf("rows %s, before %s", after, before)
	}
}
