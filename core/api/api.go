package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/core/api/issuer"
	"github.com/ropeline/ropeline/core/api/throttle"
	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/event"
	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/web"
	"github.com/ropeline/ropeline/seatmap/readpath"
)

// Booking is what the API asks of the engine; *booking.Engine is it.
type Booking interface {
	Hold(context.Context, booking.Command, booking.HoldRequest) (booking.Answer, error)
	Extend(context.Context, booking.Command, booking.ExtendRequest) (booking.Answer, error)
	Redeem(context.Context, booking.Command, booking.RedeemRequest) (booking.Answer, error)
	Release(context.Context, booking.Command, booking.ReleaseRequest) (booking.Answer, error)
	PlaceOrder(context.Context, booking.Command, booking.OrderRequest) (booking.Answer, error)
	Pay(context.Context, booking.Command, booking.PayRequest) (booking.Answer, error)
	CancelOrder(context.Context, booking.Command, booking.CancelRequest) (booking.Answer, error)
	HoldView(ctx context.Context, account int64, event string, id uuid.UUID) (booking.HoldView, error)
	OrderView(ctx context.Context, account int64, r booking.Ref) (booking.OrderView, error)
	Orders(ctx context.Context, account int64) ([]booking.OrderView, error)
	Tickets(ctx context.Context, account int64) ([]booking.TicketView, error)
	Ticket(ctx context.Context, account int64, r booking.Ref) (booking.TicketView, error)
	SetLimit(ctx context.Context, event string, r booking.LimitRequest) (booking.LimitView, error)
	Presales(ctx context.Context, event string) ([]booking.PresaleUse, error)
	Codes(ctx context.Context, event string, presale int16, after, only string) ([]booking.CodeUse, error)
	DeniedBoarding(ctx context.Context, event string, counter int64) ([]booking.DeniedView, error)
	TicketKeys() []byte
	ReceiveWebhook(ctx context.Context, provider string, h http.Header, body []byte) error
	// Usage is how busy it is, Stock what is left of what is on sale.
	Usage() booking.Usage
	Stock(context.Context) (s booking.Stock, ok bool, err error)
	Books
}

// Books is what staff do about money.
type Books interface {
	ReturnLines(context.Context, booking.Command, booking.ReturnRequest) (booking.Answer, error)
	RefundByStaff(context.Context, booking.StaffRefund) (booking.RefundDecision, error)
	RefundRequests(context.Context) ([]booking.RefundDecision, error)
	ApproveRefund(ctx context.Context, r booking.Ref, by string, amount int64) (booking.RefundDecision, error)
	RejectRefund(ctx context.Context, r booking.Ref, by string) (booking.RefundDecision, error)
	CancelEvent(ctx context.Context, event, by, why string, confirmed int64) (booking.Cancellation, error)
	CancellationOf(ctx context.Context, event string) (booking.Cancellation, error)
	WriteStatement(ctx context.Context, w io.Writer, organiser, event string, p ledger.Period) error
}

// Options of the API. They are read once by New.
type Options struct {
	DB      *pg.DB  // accounts and the catalogue; required
	Booking Booking // required

	// Maps keeps the seat maps; whoever makes it runs it. Required.
	Maps *readpath.Shelf

	// Issuer signs and verifies account tokens; required. DevIssuer also puts its
	// sign-in page and POST /dev/token on the air: anybody becomes anybody.
	Issuer    *issuer.Issuer
	DevIssuer bool

	// Passes checks the passes of buying calls. nil: they are not asked for, which
	// is for development without an edge.
	Passes PassVerifier

	// Lock lets only requests of an edge through, /healthz and /readyz apart. nil: everybody.
	Lock *admission.OriginLock

	// Room is the waiting room in front, for the pages; "" is none.
	Room string

	// TrustedProxies are the networks whose X-Forwarded-* headers are believed.
	TrustedProxies []netip.Prefix

	// Holds and Payments bound how often a buyer may try; the zero value does not.
	Holds, Payments Paces

	// Ready is asked by /readyz; nil is always ready.
	Ready func(context.Context) error

	Log     *slog.Logger          // default slog.Default()
	Metrics prometheus.Registerer // default: a registry nobody reads
	Now     func() time.Time      // default time.Now
}

// API is the HTTP side of the booking core.
type API struct {
	booking   Booking
	catalogue *event.Catalogue
	maps      *readpath.Shelf
	accounts  *accounts
	sessions  *passSessions
	issuer    *issuer.Issuer
	db        *pg.DB // of the catalogue's changes
	passes    PassVerifier
	proxies   proxies
	pacers    map[pace]*pacer
	forgers   *throttle.Table // networks that send notices nobody signed
	ready     func(context.Context) error
	log       *slog.Logger
	metrics   *metrics
	now       func() time.Time
	draining  atomic.Bool
	inside    map[pace]*inside // the lines before holds and payments
	pressure  pressure
	completed completed
	document  []byte // OpenAPI
	handler   http.Handler
}

// New builds the API. It starts nothing and does no I/O.
func New(o Options) (*API, error) {
	if o.DB == nil || o.Booking == nil || o.Issuer == nil || o.Maps == nil {
		return nil, errors.New("api: DB, Booking, Maps and Issuer are required")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Metrics == nil {
		o.Metrics = prometheus.NewRegistry()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Ready == nil {
		o.Ready = func(context.Context) error { return nil }
	}
	m, err := newMetrics(o.Metrics)
	if err != nil {
		return nil, fmt.Errorf("api metrics: %w", err)
	}
	a := &API{
		booking: o.Booking, catalogue: event.NewCatalogue(o.DB.Pool, nil), maps: o.Maps, issuer: o.Issuer, db: o.DB, passes: o.Passes, proxies: o.TrustedProxies,
		accounts: newAccounts(o.Issuer.Verify, o.DB, o.Now), sessions: newPassSessions(o.DB, o.Now), ready: o.Ready, log: o.Log,
		pacers: map[pace]*pacer{holding: newPacer(o.Holds), paying: newPacer(o.Payments)}, forgers: throttle.New(forgersKept), metrics: m, now: o.Now,
	}
	a.inside = newInside(a.booking.Usage)
	if err := a.registerInside(o.Metrics); err != nil {
		return nil, fmt.Errorf("api metrics: %w", err)
	}
	if a.document, err = openAPIDocument(o.DevIssuer); err != nil {
		return nil, err
	}
	a.handler = a.observe(a.locked(o.Lock, a.router(o)))
	return a, nil
}

// ServeHTTP answers everything: the API, and the storefront for the rest.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

func (a *API) router(o Options) http.Handler {
	mux := chi.NewRouter()
	for i := range routes {
		if rt := &routes[i]; !rt.dev || o.DevIssuer {
			mux.Method(rt.method, rt.pattern, a.serve(rt))
			if rt.method == http.MethodGet { // net/http leaves the body out
				mux.Method(http.MethodHead, rt.pattern, a.serve(rt))
			}
		}
	}
	mux.Method(openAPIRoute.method, openAPIRoute.pattern, a.serve(&openAPIRoute))
	pages := web.Handler(web.Options{API: mux, Room: o.Room, Logger: o.Log})
	mux.NotFound(a.fallback(pages))
	mux.MethodNotAllowed(a.methodNotAllowed(mux))
	return mux
}
