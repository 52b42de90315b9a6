package api

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/core/api/issuer"
	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/event"
	"github.com/ropeline/ropeline/core/event/eventfile"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/core/pgtest"
	"github.com/ropeline/ropeline/core/ticket"
	"github.com/ropeline/ropeline/seatmap/readpath"
)

const (
	room   = "boxoffice"
	secret = "whsec_api_test"
)

// gig: three seats of class A, two of B, and a floor of ten.
const gig = `{
  "venue": {"slug": "hall", "name": "Hall", "city": "Bonn", "country": "DE", "width": 100, "height": 50,
    "sections": [{"name": "Stalls", "rows": [
      {"name": "1", "class": "A", "seats": [["1", 1, 1], ["2", 2, 1], ["3", 3, 1]]},
      {"name": "2", "class": "B", "seats": [["1", 1, 2], ["2", 2, 2]]}]}],
    "areas": [{"name": "Floor", "x": 0, "y": 10, "w": 20, "h": 5}]},
  "events": [{
    "slug": "gig", "venue": "hall", "organiser": "Org", "title": "Gig", "place": "Bonn",
    "starts_at": "2127-06-12T20:00", "time_zone": "Europe/Berlin", "currency": "EUR",
    "prices": [{"class": "A", "amount": 4500}, {"class": "B", "amount": 4000}, {"class": "C", "amount": 3000}],
    "counters": [{"name": "Floor", "class": "C", "capacity": 10}]
  }]
}`

// stand is a whole booking core on the network: real HTTP, real PostgreSQL, a real
// payment provider that sends real webhooks.
type stand struct {
	t     *testing.T
	db    *pgtest.DB
	api   *API
	url   string
	ring  *admission.Keyring
	log   *bytes.Buffer // what the program logged; read it after the requests
	check *validator
	bank  string // address of the payment provider
	sells *booking.Engine
}

// open starts a stand; change may alter the options before the API is made.
func open(t *testing.T, change ...func(*Options)) *stand {
	t.Helper()
	s := &stand{t: t, db: pgtest.New(t), log: &bytes.Buffer{}}
	s.importFile(gig)
	var handler atomic.Pointer[API]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.Load().ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	server.Config.MaxHeaderBytes = MaxServerHeader
	s.url = server.URL

	bank, err := fakepay.New(fakepay.Options{WebhookURL: s.url + "/webhooks/fakepay", WebhookSecret: secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bank.Close() })
	bankServer := httptest.NewServer(bank)
	t.Cleanup(bankServer.Close)
	s.bank = bankServer.URL
	client, err := fakepay.NewClient(fakepay.ClientConfig{URL: bankServer.URL, PublicURL: "/fakepay", Secrets: []string{secret}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	engine, err := booking.New(booking.Config{}, s.db.DB, booking.Deps{Providers: []payment.Provider{client}, Tickets: ticket.NewSigner(key)})
	if err != nil {
		t.Fatal(err)
	}
	s.sells = engine
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the engine's loops: %v", err)
		}
	})

	o := Options{DB: s.db.DB, Booking: engine, Issuer: issuer.New(key, nil), DevIssuer: true, Passes: s.verifier(), Room: room,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Log: slog.New(slog.NewJSONHandler(s.log, nil))}
	for _, c := range change {
		c(&o)
	}
	o.Maps = readpath.New(event.NewMaps(o.DB.Pool), slog.New(slog.DiscardHandler), nil)
	go func() { _ = o.Maps.Run(ctx) }()
	if s.api, err = New(o); err != nil {
		t.Fatal(err)
	}
	handler.Store(s.api)
	s.check = newValidator(t, s.api.document)
	return s
}

func (s *stand) importFile(file string) {
	s.t.Helper()
	parsed, err := eventfile.Parse([]byte(file))
	if err == nil {
		err = s.db.InTx(s.t.Context(), func(ctx context.Context, tx pgx.Tx) error {
			_, err := event.Import(ctx, tx, parsed)
			return err
		})
	}
	if err != nil {
		s.t.Fatalf("import: %v", err)
	}
}

// verifier checks passes against a key set that is fetched, as in production.
func (s *stand) verifier() PassVerifier {
	s.t.Helper()
	since := time.Now().Add(-time.Hour)
	ring, err := admission.NewKeyring(admission.NewKey(admission.UseTicket, admission.AlgHS256, since),
		admission.NewKey(admission.UsePass, admission.AlgEdDSA, since), admission.NewKey(admission.UseDraw, admission.AlgHS256, since))
	if err != nil {
		s.t.Fatal(err)
	}
	s.ring = ring
	jwks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(ring.JWKS(time.Now())) }))
	s.t.Cleanup(jwks.Close)
	v, err := admission.NewVerifier(admission.Options{JWKSURL: jwks.URL, Room: room})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *stand) pass(change ...func(*admission.Pass)) string {
	s.t.Helper()
	now := time.Now()
	p := admission.Pass{Room: room, VID: admission.NewVID(), Epoch: 1, Term: 1, Place: 7, IssuedAt: now, NotBefore: now.Add(-time.Second),
		Expires: now.Add(4 * time.Minute), Hard: now.Add(time.Hour)}
	for _, c := range change {
		c(&p)
	}
	token, err := s.ring.SignPass(p)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}
