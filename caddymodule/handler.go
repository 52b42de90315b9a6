package caddymodule

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/caddymodule/captcha"
	"github.com/ropeline/ropeline/caddymodule/page"
	"github.com/ropeline/ropeline/caddymodule/wire"
)

func init() { caddy.RegisterModule(new(Handler)) }

// reservedPrefix is ours on every host and never forwarded.
const reservedPrefix = "/.well-known/ropeline/"

// Handler is the waiting room in front of whatever handlers follow it.
type Handler struct {
	// Room names the line. Several handlers may share one.
	Room string `json:"room"`
	// Gate selects the requests that need a pass; all when empty. The others go on at once, with the visitor's pass if
	// there is one.
	Gate caddyhttp.RawMatcherSets `json:"gate,omitempty" caddy:"namespace=http.matchers"`

	RoomConfig

	app  *App
	room *room
	gate caddyhttp.MatcherSets
	log  *slog.Logger

	origins, presets []string
	signIn           string // path of the sign-in page, outside the gate
	pages            *page.Set
	identities       *identities      // nil: nobody signs identities
	captcha          captcha.Verifier // nil: none
	terms            [8]byte          // of what newcomers are asked for
	service          captcha.Service
	waits            *waitPages // nil: there is no page for a cache
}

// CaddyModule returns the module's id.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.waiting_room", New: func() caddy.Module { return new(Handler) }}
}

// Provision checks the options and claims the room.
func (h *Handler) Provision(ctx caddy.Context) error {
	h.log = ctx.Slogger()
	if err := checkName(h.Room); err != nil {
		return fmt.Errorf("waiting_room: %w", err)
	}
	if err := h.validate(); err != nil {
		return fmt.Errorf("waiting_room %s: %w", h.Room, err)
	}
	if h.Gate != nil {
		sets, err := ctx.LoadModule(h, "Gate")
		if err != nil {
			return fmt.Errorf("waiting_room %s: matcher: %w", h.Room, err)
		}
		if err := h.gate.FromInterface(sets); err != nil {
			return fmt.Errorf("waiting_room %s: matcher: %w", h.Room, err)
		}
	}
	h.origins, _ = origins(h.Cors) // validate has read it
	h.presets = strings.Fields(h.Beside)
	h.signIn = signInPath(h.SignIn)
	pages, err := loadPages(h.RoomConfig)
	if err != nil {
		return fmt.Errorf("waiting_room %s: %w", h.Room, err)
	}
	h.pages = pages
	if h.waits, err = newWaitPages(pages, h.Room, h.RoomConfig); err != nil {
		return fmt.Errorf("waiting_room %s: %w", h.Room, err)
	}
	if h.identities, err = loadIdentities(h.RoomConfig, h.Room); err != nil {
		return fmt.Errorf("waiting_room %s: %w", h.Room, err)
	}
	if err := h.checkFiles(); err != nil {
		return fmt.Errorf("waiting_room %s: %w", h.Room, err)
	}
	h.captcha, h.service = captchaOf(h.RoomConfig)
	h.terms = h.RoomConfig.terms()
	app, err := ctx.App("ropeline")
	if err != nil {
		return err
	}
	h.app = app.(*App)
	h.room, err = h.app.claim(h.Room, h.RoomConfig)
	if err == nil {
		h.app.introduce(h)
	}
	return err
}

// checkFiles looks at the files that the room needs when it starts, so that `validate` refuses with the words of `run`.
func (c RoomConfig) checkFiles() error {
	if _, err := originSecret(c.OriginSecret); err != nil {
		return err
	}
	if _, err := crawlersNow(c.Crawlers); err != nil {
		return err
	}
	if c.Pace.on() {
		if _, err := c.Pace.secret(); err != nil {
			return fmt.Errorf("pace: %w", err)
		}
		if err := c.Pace.checkLogDir(); err != nil {
			return fmt.Errorf("pace: %w", err)
		}
	}
	return checkDirOf("grant_log", c.GrantLog)
}

// ServeHTTP is the way of one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	dropH2C(r.Header)
	r, through := h.arrive(r)
	switch r.Method {
	case http.MethodConnect, http.MethodTrace, "TRACK":
		// TRACE would echo cookies to scripts, CONNECT would make a tunnel past the line.
		return problem{Status: http.StatusMethodNotAllowed, Code: "method_refused", Detail: "The waiting room does not pass on " + r.Method + "."}.write(w, r)
	}
	if !h.room.ready() {
		return problem{Status: http.StatusServiceUnavailable, Code: "starting", Detail: "The waiting room is starting.", RetryAfter: 1}.write(w, r)
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, reservedPrefix); ok {
		name, route, _ := strings.Cut(rest, "/")
		if name == h.Room && route == "resume" {
			return h.serveResume(w, r, next)
		}
		if name == h.Room {
			return h.serveReserved(w, r, route)
		}
		if other := h.app.handlerOf(name); other != nil && route != "resume" {
			return other.serveReserved(w, r, route)
		} else if other != nil && through != nil {
			return h.forward(w, r, next, guard(w, nil), "", false) // the other room's handler stands behind this one
		}
		return problem{Status: http.StatusNotFound, Code: "not_found", Detail: "No such waiting room."}.write(w, r)
	}
	gated, err := h.gated(r)
	if err != nil {
		return err
	}
	if gated {
		if done, err := h.preflight(w, r); done {
			return err
		}
	}
	v := h.bearer(r)
	if v.inside {
		return h.serveInside(w, r, next, v, gated)
	}
	if v.tooOften && gated {
		return h.tooOften(w, r)
	}
	if !gated {
		h.met(r, metBeside, "", unknown)
		return h.passOn(w, r, next)
	}
	h.share(w, r)
	if done, err := h.returning(w, r); done {
		return err
	}
	return h.serveWaiting(w, r, next, v)
}

// tooOften answers an address that floods us with made-up tokens. Its genuine visitors lose nothing but a moment.
func (h *Handler) tooOften(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("RateLimit", `"tokens";r=0;t=1`)
	return problem{Status: http.StatusTooManyRequests, Code: "slow_down", Answer: "wait", RetryAfter: 1,
		Detail: "Too many tokens from this network were not issued here. Come again in a moment; no place is lost."}.write(w, r)
}

func (h *Handler) gated(r *http.Request) (bool, error) {
	if h.beside(r) {
		return false, nil
	}
	if len(h.gate) == 0 || !wire.PlainPath(r.URL) {
		return true, nil
	}
	return h.gate.AnyMatchWithError(r)
}

// clean takes everything of ours out of a request before the origin sees it.
func (h *Handler) clean(r *http.Request) {
	wire.StripCookies(r.Header)
	wire.StripHeaders(r.Header)
	stripConnection(r.Header)
	cleanTrailers(r)
	if !trustedPeer(r) {
		for _, name := range addressHeaders {
			delete(r.Header, name)
		}
	}
}

// addressHeaders are what proxies say about a visitor's address beside X-Forwarded-*, which reverse_proxy writes anew.
// From anybody else they are a visitor's own word, and an origin that believes one would be told any address.
var addressHeaders = []string{"Forwarded", "X-Real-Ip", "True-Client-Ip", "Cf-Connecting-Ip"}

// introduce makes a handler known as one that can answer for its room.
func (a *App) introduce(h *Handler) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.claims[h.Room]; c.handler == nil {
		c.handler = h
	}
}

// handlerOf is a handler of a room of this configuration, wherever it stands.
func (a *App) handlerOf(name string) *Handler {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.claims[name]; c != nil {
		return c.handler
	}
	return nil
}

// Validate is part of Provision; it is here for `caddy validate` on hand-written JSON that lacks the room.
func (h *Handler) Validate() error {
	if h.room == nil {
		return errors.New("waiting_room: no room")
	}
	return nil
}

var (
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.Validator             = (*Handler)(nil)
)
