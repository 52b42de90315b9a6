package api

import (
	"crypto/ed25519"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/pg/migrate"
	"github.com/ropeline/ropeline/core/pgtest"
	"github.com/ropeline/ropeline/core/ticket"
)

// With the database away every call that needs it says so, and when to ask again; that
// is no fault of the program, and nothing it tells an operator points elsewhere.
func TestADatabaseThatIsAwayIsUnavailable(t *testing.T) {
	var p *pgtest.Proxy
	var line *pg.DB
	s := open(t, func(o *Options) {
		p = pgtest.NewProxy(t, &pgtest.DB{URL: o.DB.Pool.Config().ConnString()})
		var err error
		if line, err = pg.Open(t.Context(), p.URL, pg.Options{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(line.Close)
		engine, err := booking.New(booking.Config{}, line, booking.Deps{Tickets: ticket.NewSigner(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))})
		if err != nil {
			t.Fatal(err)
		}
		o.DB, o.Booking = line, engine
	})
	ada := s.buyer("ada@example.com")
	hold, order := ada.order(1)
	s.do("GET", "/v1/events", nil).want(http.StatusOK, "")
	p.Leave()
	for _, c := range []struct{ method, path string }{
		{"GET", "/v1/events?q=other"}, {"GET", "/v1/events/other"}, {"GET", "/v1/events/other/seats"}, {"GET", "/v1/geometry/other"},
		{"GET", "/v1/events/gig/holds/" + hold.str("id")}, {"GET", "/v1/orders"}, {"GET", "/v1/orders/" + order.str("id")}, {"GET", "/v1/tickets"},
		{"GET", "/v1/tickets/1-" + hold.str("id")}, {"DELETE", "/v1/orders/" + order.str("id")}, {"DELETE", "/v1/events/other/holds/" + hold.str("id")},
	} {
		r := ada.do(c.method, c.path, nil)
		if r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" || r.str("code") != "unavailable" && r.str("code") != "busy" {
			t.Errorf("%s %s: %d %s", c.method, c.path, r.status, r.body)
		}
	}
	if r := s.do("POST", "/dev/token", `{"email": "new@example.com"}`); r.status != http.StatusServiceUnavailable && r.status != http.StatusOK {
		t.Errorf("token: %d %s", r.status, r.body)
	}
	if err := migrate.Check(t.Context(), line.Pool); err == nil || strings.Contains(err.Error(), "no schema") {
		t.Errorf("readiness says %v", err)
	}
	p.Return()
	ada.do("GET", "/v1/orders", nil).want(http.StatusOK, "")
}

// Text that PostgreSQL cannot store is refused wherever it comes from, and what nobody
// thought of is still no fault of ours.
func TestTextThatCannotBeStored(t *testing.T) {
	s := open(t)
	ada := s.buyer("ada@example.com")
	_, order := ada.order(1)
	before := s.rows()
	for _, path := range []string{"/v1/events/%00", "/v1/events/%00/seats", "/v1/events/gi%00g", "/v1/events/%ff", "/v1/geometry/%00", "/v1/orders/%00", "/v1/tickets/%00"} {
		ada.do("GET", path, nil).want(http.StatusNotFound, "not_found")
	}
	ada.do("POST", "/v1/events/%00/holds", `{"seats": [2]}`).want(http.StatusNotFound, "not_found")
	ada.do("POST", "/v1/orders/"+order.str("id")+"/payments", `{"card_token": "tok\u0000"}`).want(http.StatusUnprocessableEntity, "invalid_body")
	ada.do("POST", "/v1/events/gig/presale", `{"code": "\u0000"}`).want(http.StatusUnprocessableEntity, "invalid_body")
	s.do("POST", "/dev/token", `{"email": "a\u0000@example.com"}`).want(http.StatusUnprocessableEntity, "invalid_body")
	if after := s.rows(); after != before {
		t.Errorf("rows %s, before %s", after, before)
	}
	_, err := s.db.Pool.Exec(t.Context(), `SELECT $1::text`, "\x00")
	if err == nil || !pg.IsNotText(err) {
		t.Errorf("PostgreSQL says %v", err)
	}
}

// A signed notice whose id is no text, or too long for an index, is kept all the same.
func TestAWebhookWithAnIDThatCannotBeStored(t *testing.T) {
	s := open(t)
	for _, id := range []string{`\u0000`, strings.Repeat("x", 9000)} {
		notice := `{"id": "evt` + id + `", "type": "payment.captured", "payment": {"id": "p\u0000", "reference": "\u0000", "status": "captured"}}`
		s.do("POST", "/webhooks/fakepay", notice, "Fakepay-Signature", fakepay.Sign(secret, time.Now(), []byte(notice))).want(http.StatusNoContent, "")
	}
	var n int
	if err := s.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM webhook_inbox WHERE id LIKE 'sha256:%'`).Scan(&n); err != nil || n != 2 {
		t.Errorf("%d stored, %v", n, err)
	}
}
