package web

import (
	"log/slog"
	"net/http"
)

// Options says what the storefront stands on. It is read once by Handler.
type Options struct {
	// API answers the JSON API. Pages ask it, in process, for
	// GET /v1/events and GET /v1/events/{event}. It may be the router on which
	// the storefront itself is mounted. Required.
	API http.Handler

	// Room names the waiting room in front of the storefront. The pages then
	// renew the visitor's pass while the visitor is doing something. Empty:
	// there is none.
	Room string

	// Logger receives what went wrong while rendering. Default slog.Default().
	Logger *slog.Logger
}

// AccountCookie is the cookie that carries the signed-in account. The
// storefront trusts nothing in it: whether it is there chooses between "Sign in"
// and the links to orders and tickets, and its name is shown to whoever sent it.
const AccountCookie = "ropeline_account"

// Handler returns the storefront. It answers every path: those it does not know
// with a 404 page, so it can be mounted as the fallback of a router.
// It panics when Options.API is missing, which is a mistake of wiring.
func Handler(o Options) http.Handler {
	if o.API == nil {
		panic("web: Options.API is missing: pass the handler that answers /v1/events")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &site{api: reader{api: o.API}, room: o.Room, log: o.Logger}

	mux := http.NewServeMux()
	mux.Handle("GET "+assetPrefix, http.HandlerFunc(serveAsset))
	mux.HandleFunc("GET /favicon.ico", serveFavicon)
	mux.HandleFunc("GET /pay/{order}", throughTheLine)
	for _, r := range s.routes() {
		mux.HandleFunc("GET "+r.pattern, s.page(r))
	}
	return securityHeaders(mux)
}

// route is one page: where it lives, who it is for, and what fills it.
type route struct {
	pattern  string
	template string
	personal bool // true: the page shows what belongs to one person
	fill     func(*site, *http.Request) (view, error)
}

func (s *site) routes() []route {
	return []route{
		{"/{$}", "events.html", false, (*site).events},
		{"/events/{event}", "event.html", false, (*site).event},
		{"/checkout/{order}", "order.html", true, (*site).checkout},
		{"/orders/{order}", "order.html", true, (*site).order},
		{"/orders", "orders.html", true, (*site).orders},
		{"/tickets", "tickets.html", true, (*site).tickets},
		{"/tickets/{ticket}", "ticket.html", true, (*site).ticket},
		{"/", "problem.html", false, (*site).unknown},
	}
}
